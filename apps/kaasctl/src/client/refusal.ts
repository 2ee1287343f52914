import { ErrorCode, type ErrorName, errorName } from "@kaas/core";
import { ClusterError } from "./cluster-error.js";

/** What to do about an error that a broker answers with. */
const ADVICE: Readonly<Partial<Record<ErrorName, string>>> = {
  CLUSTER_AUTHORIZATION_FAILED: "the user needs DESCRIBE on the cluster, and DESCRIBE_CONFIGS for quotas",
  TOPIC_AUTHORIZATION_FAILED: "the user needs DESCRIBE on the topic",
  GROUP_AUTHORIZATION_FAILED: "the user needs DESCRIBE on the group",
  SECURITY_DISABLED: "authorizer.class.name is not set, so brokers look at no ACLs",
  UNKNOWN_SERVER_ERROR: "the broker's log says what went wrong",
};

/** A broker's error in words, with what the broker says of it, or else what to do. */
export function describeError(errorCode: number, message: string | null = null): string {
  const name = errorName(errorCode);
  const known = ADVICE[name];
  const said = message === null || message === "" ? undefined : message;
  const why = [said, known].filter((text) => text !== undefined).join("; ");
  return why === "" ? name : `${name}: ${why}`;
}

/** A broker's error as one to end with. */
export function refusal(what: string, errorCode: number, message: string | null = null): ClusterError {
  return new ClusterError(`${what}: ${describeError(errorCode, message)}`);
}

/** Whether an error says that somebody may not look. */
export function isForbidden(errorCode: number): boolean {
  return (
    errorCode === ErrorCode.CLUSTER_AUTHORIZATION_FAILED ||
    errorCode === ErrorCode.TOPIC_AUTHORIZATION_FAILED ||
    errorCode === ErrorCode.GROUP_AUTHORIZATION_FAILED
  );
}
