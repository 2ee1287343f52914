import type { KafkaCluster, KafkaUser } from "@kaas/operator-api";
import type { UserRecord } from "@kaas/storage";
import type { Secret } from "../kubernetes/resources.js";

/** One reconciliation of a user: what its steps find out, for those that follow. */
export interface UserRun {
  readonly object: KafkaUser;
  readonly cluster: KafkaCluster | undefined;
  readonly username: string;
  /** Whether the user is still there, and this process leads: asked when something is written that nobody would remove. */
  readonly goesOn: () => boolean;
  /** The user's Secret as it was when it was read for the password; undefined where there was none. */
  found?: Secret | undefined;
  /** The password, of users who have one. */
  password?: string;
  /** What is to be kept of it. */
  keys: UserRecord["scram"];
  /** The Secret with what a client needs, where there is one. */
  secret?: string;
  /** Whether something is waited for that no watch tells of. */
  isPending?: boolean;
}
