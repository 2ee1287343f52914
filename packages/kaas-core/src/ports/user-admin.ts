import type { ErrorCode } from "../errors/error-codes.js";
import type { QuotaEntity, QuotaKey, ScramCredential, ScramMechanism } from "./credentials.js";

/** Why a change was not made, as the client is told. */
export interface UserChangeRefusal {
  readonly errorCode: ErrorCode;
  readonly message: string;
}

/** What is to become of one user's SCRAM credentials: all of it, or nothing. */
export interface ScramAlteration {
  readonly user: string;
  readonly upserts: ReadonlyMap<ScramMechanism, ScramCredential>;
  readonly deletions: ReadonlySet<ScramMechanism>;
}

/** What is to become of one entity's quotas: all of it, or nothing. */
export interface QuotaAlteration {
  readonly entity: QuotaEntity;
  /** The new limits; null takes a limit away. */
  readonly limits: Readonly<Partial<Record<QuotaKey, number | null>>>;
}

/**
 * Changes users and quotas. Arguments are validated by the caller. What was changed is durable, and visible in
 * {@link Credentials} of this broker, when a call resolves with undefined. Rejects with a `KaasError` when the outside
 * fails in a way that the client can do nothing about.
 */
export interface UserAdmin {
  /** Sets and removes SCRAM credentials of one user. What keeps that from being made, or undefined once it is made. */
  alterScram(alteration: ScramAlteration): Promise<UserChangeRefusal | undefined>;
  /** Sets and removes limits of one entity. What keeps that from being made, or undefined once it is made. */
  alterQuotas(alteration: QuotaAlteration): Promise<UserChangeRefusal | undefined>;
}
