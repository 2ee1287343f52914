/**
 * DeleteRecords (key 21), versions 0-2.
 *
 * Moves the start of some logs forward (KIP-107). Offset −1 stands for the high watermark.
 */
import { ErrorCode } from "../errors/error-codes.js";
import type {
  DeleteRecordsRequest,
  DeleteRecordsResponseDeleteRecordsPartitionResultInit,
  DeleteRecordsResponseInit,
} from "../messages/generated/index.js";
import { withDeadline } from "../timers/with-deadline.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";

type PartitionResult = DeleteRecordsResponseDeleteRecordsPartitionResultInit;

export const deleteRecords: ApiHandler<DeleteRecordsRequest, DeleteRecordsResponseInit> = {
  key: 21,
  versionMin: 0,
  versionMax: 2,

  async handle(context, request) {
    const topics = request.topics.map(async ({ name, partitions }) => ({
      name,
      partitions: await Promise.all(
        partitions.map(({ partitionIndex, offset }) =>
          deleteBefore(context, name, partitionIndex, offset, request.timeoutMs),
        ),
      ),
    }));
    return { topics: await Promise.all(topics) };
  },

  fail(request, errorCode) {
    return {
      topics: request.topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex }) => failed(partitionIndex, errorCode)),
      })),
    };
  },
};

function failed(partitionIndex: number, errorCode: ErrorCode): PartitionResult {
  return { partitionIndex, lowWatermark: -1, errorCode };
}

async function deleteBefore(
  context: RequestContext,
  name: string,
  partitionIndex: number,
  offset: number,
  timeoutMs: number,
): Promise<PartitionResult> {
  if (!context.connection.access.may("DELETE", "TOPIC", name)) {
    return failed(partitionIndex, ErrorCode.TOPIC_AUTHORIZATION_FAILED);
  }
  const topic = context.broker.topics.byName(name);
  if (topic === undefined || partitionIndex < 0 || partitionIndex >= topic.partitionCount) {
    return failed(partitionIndex, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
  }
  const log = topic.partitions[partitionIndex];
  if (log === undefined) return failed(partitionIndex, ErrorCode.NOT_LEADER_OR_FOLLOWER);
  const { cleanupPolicy } = topic.config;
  if (cleanupPolicy.compact && !cleanupPolicy.delete) return failed(partitionIndex, ErrorCode.POLICY_VIOLATION);
  const deleting = log
    .deleteRecords(offset)
    .then(({ errorCode, lowWatermark }): PartitionResult => ({ partitionIndex, errorCode, lowWatermark }));
  const late = (): PartitionResult => failed(partitionIndex, ErrorCode.REQUEST_TIMED_OUT);
  return withDeadline(context.broker.deadlines, timeoutMs, deleting, late);
}
