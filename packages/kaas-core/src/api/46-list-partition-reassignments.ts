/**
 * ListPartitionReassignments (key 46), version 0.
 *
 * Lists the partitions whose leader is moving now (KIP-455), of all topics or of those that are named.
 */
import { ErrorCode } from "../errors/error-codes.js";
import type {
  ListPartitionReassignmentsRequest,
  ListPartitionReassignmentsResponseInit,
} from "../messages/generated/index.js";
import type { OngoingMove } from "../ports/leadership-wishes.js";
import type { ApiHandler } from "./api-handler.js";
import { byTopic } from "./leadership-wish.js";

const NOBODY = -1;

export const listPartitionReassignments: ApiHandler<
  ListPartitionReassignmentsRequest,
  ListPartitionReassignmentsResponseInit
> = {
  key: 46,
  versionMin: 0,
  versionMax: 0,

  async handle(context, request) {
    const moves = await context.broker.wishes.moves(request.timeoutMs);
    if ("errorCode" in moves) {
      return { errorCode: moves.errorCode, errorMessage: moves.message, throttleTimeMs: 0, topics: [] };
    }
    const asked = moves.filter((move) => isAsked(request, move));
    return {
      errorCode: ErrorCode.NONE,
      errorMessage: null,
      throttleTimeMs: 0,
      topics: [...byTopic(asked, asked)].map(([name, partitions]) => ({
        name,
        partitions: partitions.map(({ partition, result }) => ({ partitionIndex: partition, ...replicasOf(result) })),
      })),
    };
  },

  fail(_request, errorCode) {
    return { errorCode, errorMessage: null, throttleTimeMs: 0, topics: [] };
  },
};

function isAsked({ topics }: ListPartitionReassignmentsRequest, { topic, partition }: OngoingMove): boolean {
  if (topics === null) return true;
  return topics.some(({ name, partitionIndexes }) => name === topic && partitionIndexes.includes(partition));
}

/** The broker that is to lead is added, the one that led is removed. */
function replicasOf({ from, to }: OngoingMove) {
  const removingReplicas = from === NOBODY ? [] : [from];
  return { replicas: [to, ...removingReplicas], addingReplicas: [to], removingReplicas };
}
