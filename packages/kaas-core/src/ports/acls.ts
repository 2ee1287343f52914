/** What an ACL is about, by Kafka's names. */
export type AclResourceType = "TOPIC" | "GROUP" | "CLUSTER" | "TRANSACTIONAL_ID" | "DELEGATION_TOKEN" | "USER";

/** Whether an ACL holds for the name itself (`*` stands for all names), or for all that begin with it (KIP-290). */
export type AclPatternType = "LITERAL" | "PREFIXED";

/** What an ACL allows or denies. */
export type AclOperation =
  | "ALL"
  | "READ"
  | "WRITE"
  | "CREATE"
  | "DELETE"
  | "ALTER"
  | "DESCRIBE"
  | "CLUSTER_ACTION"
  | "DESCRIBE_CONFIGS"
  | "ALTER_CONFIGS"
  | "IDEMPOTENT_WRITE"
  | "CREATE_TOKENS"
  | "DESCRIBE_TOKENS"
  | "TWO_PHASE_COMMIT";

/** Whether an ACL lets its principal do something, or keeps it from doing so; a denial outweighs what allows it. */
export type AclPermission = "ALLOW" | "DENY";

/** One ACL: who may, or may not, do what with which resources. */
export interface AclBinding {
  readonly resourceType: AclResourceType;
  readonly patternType: AclPatternType;
  readonly resourceName: string;
  /** Kafka's text form, such as `User:alice`; `User:*` is everybody. */
  readonly principal: string;
  /** An address, or `*` for every one. */
  readonly host: string;
  readonly operation: AclOperation;
  readonly permission: AclPermission;
}

/** The ACLs of the cluster as this broker knows them. Reads are from memory. */
export interface Acls {
  /** Another array whenever anything has changed, so that it may be compared by identity. */
  bindings(): readonly AclBinding[];
  /**
   * Looks whether others have changed anything: what they had made durable before the call is in force when it resolves,
   * unless that takes longer than a client should be kept waiting. Never rejects.
   */
  refresh(): Promise<void>;
  /** Calls back after anything has changed. Returns a function that takes it back. */
  onChange(callback: () => void): () => void;
}

/** Why ACLs were not changed, as the client is told. */
export interface AclChangeRefusal {
  /** One of Kafka's error codes. */
  readonly errorCode: number;
  readonly message: string;
}

/** What is to become of the ACLs: all of it, or nothing. ACLs that are there already, or not there, change nothing. */
export interface AclChange {
  readonly added: readonly AclBinding[];
  readonly removed: readonly AclBinding[];
}

/**
 * Changes ACLs. Arguments are validated by the caller. What was changed is durable, and visible in {@link Acls} of this
 * broker, when a call resolves with undefined; `timeoutMs` bounds how long that may be waited for. Rejects with a
 * `KaasError` when the outside fails in a way that the client can do nothing about.
 */
export interface AclAdmin {
  /** Why an ACL can never be added here, whatever else is; it is answered for itself, and the others are added. */
  refusalOf?(acl: AclBinding): AclChangeRefusal | undefined;
  /** Makes a change. What keeps it from being made, or undefined once it is made. */
  changeAcls(change: AclChange, timeoutMs: number): Promise<AclChangeRefusal | undefined>;
}
