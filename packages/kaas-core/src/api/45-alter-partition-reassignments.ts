/**
 * AlterPartitionReassignments (key 45), versions 0-1.
 *
 * Says which brokers shall have a partition (KIP-455). Storage is shared, so no data moves: the first of them that lives
 * is to lead, and the wish is kept until null takes it back.
 *
 * - v1: whether the replication factor may change (KIP-860). It is 1 and stays so; a list of several is refused where
 *   it may not change.
 */
import { assignmentRefusal } from "../cluster/replica-assignment.js";
import { type Refusal, refuse } from "../errors/refusal.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  AlterPartitionReassignmentsRequest,
  AlterPartitionReassignmentsResponseInit,
} from "../messages/generated/index.js";
import type { LeaderWish } from "../ports/leadership-wishes.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";
import { type AskedPartition, byTopic, failureOfAll, granted, knownPartition } from "./leadership-wish.js";

const REPLICATION_FACTOR = 1;

export const alterPartitionReassignments: ApiHandler<
  AlterPartitionReassignmentsRequest,
  AlterPartitionReassignmentsResponseInit
> = {
  key: 45,
  versionMin: 0,
  versionMax: 1,

  async handle(context, request) {
    const asked = request.topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex, replicas }) => ({
        topic: name,
        partition: partitionIndex,
        wish: wishFor(context, request, name, partitionIndex, replicas),
      })),
    );
    const { wishes } = context.broker;
    const results = await granted(asked, (those) => wishes.reassign(those, request.timeoutMs));
    const failure = failureOfAll(results);
    if (failure !== undefined) return failed(request, failure);
    return respond(request, asked, results);
  },

  fail(request, errorCode) {
    return failed(request, refuse(errorCode, ""));
  },
};

function wishFor(
  context: RequestContext,
  request: AlterPartitionReassignmentsRequest,
  topic: string,
  partition: number,
  replicas: readonly number[] | null,
): LeaderWish | Refusal {
  if (context.broker.topics.byName(topic) === undefined) {
    return refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `Unable to find a topic named ${topic}.`);
  }
  const known = knownPartition(context, topic, partition);
  if (known === undefined) {
    return refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `Unable to find partition ${topic}:${partition}.`);
  }
  if (replicas === null) return { ...known, brokers: null };
  const { cluster } = context.broker;
  const refusal = assignmentRefusal(replicas, (id) => cluster.broker(id) !== undefined);
  if (refusal !== undefined) return refusal;
  if (!request.allowReplicationFactorChange && replicas.length !== REPLICATION_FACTOR) {
    const change = `from ${REPLICATION_FACTOR} to ${replicas.length}`;
    return refuse(ErrorCode.INVALID_REPLICATION_FACTOR, `The replication factor is changed ${change}`);
  }
  return { ...known, brokers: replicas };
}

function respond(
  request: AlterPartitionReassignmentsRequest,
  asked: readonly AskedPartition<LeaderWish>[],
  results: readonly Refusal[],
): AlterPartitionReassignmentsResponseInit {
  return {
    allowReplicationFactorChange: request.allowReplicationFactorChange,
    errorCode: ErrorCode.NONE,
    errorMessage: null,
    throttleTimeMs: 0,
    responses: [...byTopic(asked, results)].map(([name, partitions]) => ({
      name,
      partitions: partitions.map(({ partition, result: { errorCode, message } }) => ({
        partitionIndex: partition,
        errorCode,
        errorMessage: message === "" ? null : message,
      })),
    })),
  };
}

function failed(
  request: AlterPartitionReassignmentsRequest,
  { errorCode, message }: Refusal,
): AlterPartitionReassignmentsResponseInit {
  return {
    allowReplicationFactorChange: request.allowReplicationFactorChange,
    errorCode,
    errorMessage: message === "" ? null : message,
    throttleTimeMs: 0,
    responses: [],
  };
}
