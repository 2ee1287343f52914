import { ErrorCode } from "../../errors/error-codes.js";
import type { HeartbeatRequest } from "../classic/classic-requests.js";
import { checkOffsetCommit } from "../classic/membership.js";
import { ENTRY_PARTITIONS_MAX, GROUPS_PER_SLOT_MAX } from "../group-limits.js";
import type { GroupSlot } from "../slot/group-slot.js";
import type { CommittedPartition } from "../slot/slot-entry.js";

export interface CommitTopic {
  readonly topic: string;
  readonly topicId: string;
  readonly partitions: readonly CommittedPartition[];
}

/** Offsets of partitions that exist, with metadata that is short enough. */
export interface OffsetCommit extends HeartbeatRequest {
  /** How long the client wants the offsets kept (OffsetCommit v2 to v4); null: as long as the broker keeps them. */
  readonly retentionMs: number | null;
  /** What a generation of an unknown group is answered. */
  readonly unknownGroupError: ErrorCode;
  readonly topics: readonly CommitTopic[];
}

/** OffsetCommit. Resolves when the offsets are durable, with one answer for all of them. */
export async function commitOffsets(slot: GroupSlot, commit: OffsetCommit): Promise<ErrorCode> {
  const error = checkCommit(slot, commit);
  if (error !== ErrorCode.NONE) return error;
  const committedAt = slot.clock.now();
  const expiresAt = commit.retentionMs === null ? null : committedAt + commit.retentionMs;
  let durable: Promise<boolean> = Promise.resolve(true);
  for (const topics of portions(commit.topics)) {
    // The last one decides: entries become durable in order, and after a failure none is accepted.
    durable = slot.append({ type: "commit", group: commit.groupId, committedAt, expiresAt, topics });
  }
  return (await durable) ? ErrorCode.NONE : slot.refusal;
}

function checkCommit(slot: GroupSlot, commit: OffsetCommit): ErrorCode {
  const { groups } = slot.state;
  const group = groups.get(commit.groupId);
  if (group !== undefined) return checkOffsetCommit(group, commit);
  if (commit.generationId >= 0) return commit.unknownGroupError;
  if (groups.size >= GROUPS_PER_SLOT_MAX) return ErrorCode.COORDINATOR_NOT_AVAILABLE;
  slot.state.ensureGroup(commit.groupId);
  return ErrorCode.NONE;
}

/** Cuts a very large commit into entries of bounded size; nearly always there is one. */
function portions(topics: readonly CommitTopic[]): (readonly CommitTopic[])[] {
  const count = topics.reduce((sum, { partitions }) => sum + partitions.length, 0);
  if (count === 0) return [];
  if (count <= ENTRY_PARTITIONS_MAX) return [topics];
  const cut: (readonly CommitTopic[])[] = [];
  for (const { topic, topicId, partitions } of topics) {
    for (let start = 0; start < partitions.length; start += ENTRY_PARTITIONS_MAX) {
      cut.push([{ topic, topicId, partitions: partitions.slice(start, start + ENTRY_PARTITIONS_MAX) }]);
    }
  }
  return cut;
}
