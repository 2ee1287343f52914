/** The SCRAM mechanisms that are served. */
export type ScramMechanism = "SCRAM-SHA-256" | "SCRAM-SHA-512";

/** What is kept of a password, for one mechanism (RFC 5802): enough to check it, not enough to log in with. */
export interface ScramCredential {
  readonly salt: Buffer;
  readonly iterations: number;
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;
}

/**
 * Whom a quota is for: any of user, client id and address (`ip` stands alone). A part that is absent does not matter,
 * one that is null is the default for those who have no quota of their own.
 */
export interface QuotaEntity {
  readonly user?: string | null;
  readonly clientId?: string | null;
  readonly ip?: string | null;
}

/** Kafka's names of what can be limited. */
export type QuotaKey =
  | "producer_byte_rate"
  | "consumer_byte_rate"
  | "request_percentage"
  | "controller_mutation_rate"
  | "connection_creation_rate";

/** The limits of one entity; what is absent is not limited by it. */
export interface ClientQuota {
  readonly entity: QuotaEntity;
  readonly limits: Readonly<Partial<Record<QuotaKey, number>>>;
}

/** The users that can log in by password, and the quotas of the cluster. Reads are from memory. */
export interface Credentials {
  /** Users with SCRAM credentials, in no order. */
  users(): Iterable<string>;
  /** A user's credentials by mechanism; undefined for a user who has none. */
  scram(user: string): ReadonlyMap<ScramMechanism, ScramCredential> | undefined;
  /** Of random bytes, the same on all brokers: what answers to unknown users are made from. Told to nobody. */
  readonly decoySecret: Buffer;
  /** Another array whenever any quota has changed, so that it may be compared by identity. */
  quotas(): readonly ClientQuota[];
  /**
   * Looks whether others have changed anything: what they had made durable before the call is in force when it resolves,
   * unless that takes longer than a client should be kept waiting. Never rejects.
   */
  refresh(): Promise<void>;
  /** Calls back after anything has changed. Returns a function that takes it back. */
  onChange(callback: () => void): () => void;
}
