/**
 * OffsetCommit (key 8), versions 2-10.
 *
 * Keeps where a group has read to. Answered once it is durable.
 *
 * - v2 to v4: how long the client wants the offsets kept; since v5 only the broker decides (KIP-211).
 * - v6: the leader epoch of what was read last (KIP-320).
 * - v7: the instance id of a static member (KIP-345).
 * - v9: members of the newer group types; an unknown group has an error of its own (KIP-848).
 * - v10: topics are named by id (KIP-516).
 */
import type { Topic } from "../cluster/topic-table.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { CommitTopic } from "../groups/offsets/commit-offsets.js";
import type { CommittedPartition } from "../groups/slot/slot-entry.js";
import type {
  OffsetCommitRequest,
  OffsetCommitRequestTopic,
  OffsetCommitResponseInit,
  OffsetCommitResponsePartitionInit,
} from "../messages/generated/index.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";

/** Partitions whose answer is that of the group as a whole are left open until that is known. */
interface CheckedTopic {
  readonly asked: OffsetCommitRequestTopic;
  readonly topic: Topic | undefined;
  readonly errors: readonly ErrorCode[];
}

/** Errors of what the group is not asked about. */
const NOT_SHOWN: readonly ErrorCode[] = [
  ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
  ErrorCode.UNKNOWN_TOPIC_ID,
  ErrorCode.TOPIC_AUTHORIZATION_FAILED,
];

export const offsetCommit: ApiHandler<OffsetCommitRequest, OffsetCommitResponseInit> = {
  key: 8,
  versionMin: 2,
  versionMax: 10,

  async handle(context, request) {
    if (!context.connection.access.may("READ", "GROUP", request.groupId)) {
      return this.fail(request, ErrorCode.GROUP_AUTHORIZATION_FAILED);
    }
    const checked = request.topics.map((topic) => checkTopic(context, topic));
    // What has no partition that exists is not shown to the group, and tells nothing about it.
    if (checked.every(({ errors }) => errors.every((error) => NOT_SHOWN.includes(error)))) {
      return respond(checked, ErrorCode.NONE);
    }
    const groupError = await context.broker.groups.commitOffsets({
      groupId: request.groupId,
      generationId: request.generationIdOrMemberEpoch,
      memberId: request.memberId,
      groupInstanceId: request.groupInstanceId,
      retentionMs: request.retentionTimeMs === -1 ? null : request.retentionTimeMs,
      unknownGroupError: context.apiVersion >= 9 ? ErrorCode.GROUP_ID_NOT_FOUND : ErrorCode.ILLEGAL_GENERATION,
      topics: acceptedOffsets(checked),
    });
    return respond(checked, groupError);
  },

  fail(request, errorCode) {
    return {
      topics: request.topics.map(({ name, topicId, partitions }) => ({
        name,
        topicId,
        partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode })),
      })),
    };
  },
};

function checkTopic({ broker, connection, apiVersion }: RequestContext, asked: OffsetCommitRequestTopic): CheckedTopic {
  const byId = apiVersion >= 10;
  const topic = byId ? broker.topics.byId(asked.topicId) : broker.topics.byName(asked.name);
  const name = topic?.name ?? asked.name;
  const isForbidden = (topic !== undefined || !byId) && !connection.access.may("READ", "TOPIC", name);
  const lengthMax = broker.groups.settings.offsetMetadataLengthMax;
  const errors = asked.partitions.map(({ partitionIndex, committedMetadata }) => {
    if (isForbidden) return ErrorCode.TOPIC_AUTHORIZATION_FAILED;
    if (topic === undefined && byId) return ErrorCode.UNKNOWN_TOPIC_ID;
    if (topic === undefined || partitionIndex < 0 || partitionIndex >= topic.partitionCount) {
      return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
    }
    return (committedMetadata?.length ?? 0) > lengthMax ? ErrorCode.OFFSET_METADATA_TOO_LARGE : ErrorCode.NONE;
  });
  return { asked, topic, errors };
}

function acceptedOffsets(checked: readonly CheckedTopic[]): CommitTopic[] {
  const accepted: CommitTopic[] = [];
  for (const { asked, topic, errors } of checked) {
    const partitions: CommittedPartition[] = [];
    for (const [index, partition] of asked.partitions.entries()) {
      if (errors[index] !== ErrorCode.NONE) continue;
      const { partitionIndex, committedOffset, committedLeaderEpoch, committedMetadata } = partition;
      partitions.push([partitionIndex, committedOffset, committedLeaderEpoch, committedMetadata ?? ""]);
    }
    if (topic !== undefined && partitions.length > 0) {
      accepted.push({ topic: topic.name, topicId: topic.id, partitions });
    }
  }
  return accepted;
}

/** The group's error counts for what was shown to the group, and before what is wrong with the metadata. */
function respond(checked: readonly CheckedTopic[], groupError: ErrorCode): OffsetCommitResponseInit {
  return {
    topics: checked.map(({ asked, errors }) => ({
      name: asked.name,
      topicId: asked.topicId,
      partitions: asked.partitions.map(({ partitionIndex }, index): OffsetCommitResponsePartitionInit => {
        const own = errors[index] as ErrorCode;
        const shown = own === ErrorCode.NONE || own === ErrorCode.OFFSET_METADATA_TOO_LARGE;
        return { partitionIndex, errorCode: shown && groupError !== ErrorCode.NONE ? groupError : own };
      }),
    })),
  };
}
