import { ErrorCode } from "../errors/error-codes.js";
import { type Refusal, refuse } from "../errors/refusal.js";

/**
 * What stands against replicas that a client chose by hand for one partition. Storage is shared and every broker can
 * lead, so a list of live brokers is accepted; one that names others, or one twice, is not.
 */
export function assignmentRefusal(
  brokerIds: readonly number[],
  isBroker: (id: number) => boolean,
): Refusal | undefined {
  if (brokerIds.length === 0) {
    return refuse(
      ErrorCode.INVALID_REPLICA_ASSIGNMENT,
      "The manual partition assignment includes an empty replica list.",
    );
  }
  if (new Set(brokerIds).size !== brokerIds.length) {
    return refuse(ErrorCode.INVALID_REPLICA_ASSIGNMENT, "The manual partition assignment names a broker twice.");
  }
  const unknown = brokerIds.find((id) => !isBroker(id));
  if (unknown === undefined) return undefined;
  return refuse(
    ErrorCode.INVALID_REPLICA_ASSIGNMENT,
    `The manual partition assignment names broker ${unknown}, which is not part of the cluster.`,
  );
}
