import type { Json } from "@kaas/core";
import { GroupOffsets, readSlotEntry, readSlotSnapshot, type SlotEntry } from "@kaas/core/internal";

/** A consumer group as its slot's snapshot and journal say. Times are milliseconds since 1970. */
export interface GroupView {
  readonly group: string;
  readonly protocolType: string | null;
  readonly generation: number;
  /** Null: it had members when the journal was last written. */
  readonly emptySince: number | null;
  readonly offsets: readonly CommittedOffsetView[];
}

/** What a group committed for one partition. */
export interface CommittedOffsetView {
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
  readonly offset: number;
  /** −1: the client did not say. */
  readonly leaderEpoch: number;
  readonly metadata: string;
  readonly committedAt: number;
  /** Null: by the broker's retention. */
  readonly expiresAt: number | null;
}

interface GroupState {
  protocolType: string | null;
  generation: number;
  emptySince: number | null;
  readonly offsets: GroupOffsets;
}

/** The groups of a slot, ascending by name. Rejects with `KAAS_VOLUME_INVALID` what is no state of groups. */
export function readGroups(snapshot: Json | undefined, entries: readonly Json[]): GroupView[] {
  const groups = new Map<string, GroupState>();
  if (snapshot !== undefined) {
    for (const group of readSlotSnapshot(snapshot).groups) {
      const state = ensure(groups, group.group);
      setGroup(state, group);
      for (const { topic, topicId, partitions } of group.offsets) {
        const committed = state.offsets.ensureTopic(topic, topicId);
        for (const [partition, offset, leaderEpoch, metadata, committedAt, expiresAt] of partitions) {
          committed.set(partition, { offset, leaderEpoch, metadata, committedAt, expiresAt });
        }
      }
    }
  }
  for (const entry of entries) apply(groups, readSlotEntry(entry));
  return [...groups].map(([group, state]) => viewOf(group, state)).sort((a, b) => (a.group < b.group ? -1 : 1));
}

function ensure(groups: Map<string, GroupState>, group: string): GroupState {
  let state = groups.get(group);
  if (state === undefined) {
    state = { protocolType: null, generation: 0, emptySince: null, offsets: new GroupOffsets() };
    groups.set(group, state);
  }
  return state;
}

function setGroup(
  state: GroupState,
  from: { readonly protocolType: string | null; readonly generation: number; readonly emptySince: number | null },
): void {
  state.protocolType = from.protocolType;
  state.generation = from.generation;
  state.emptySince = from.emptySince;
}

function apply(groups: Map<string, GroupState>, entry: SlotEntry): void {
  switch (entry.type) {
    case "group":
      setGroup(ensure(groups, entry.group), entry);
      break;
    case "commit": {
      const { offsets } = ensure(groups, entry.group);
      const { committedAt, expiresAt } = entry;
      for (const { topic, topicId, partitions } of entry.topics) {
        const committed = offsets.ensureTopic(topic, topicId);
        for (const [partition, offset, leaderEpoch, metadata] of partitions) {
          committed.set(partition, { offset, leaderEpoch, metadata, committedAt, expiresAt });
        }
      }
      break;
    }
    case "delete-offsets":
      for (const { topic, partitions } of entry.topics) groups.get(entry.group)?.offsets.delete(topic, partitions);
      break;
    case "delete-topic":
      for (const { offsets } of groups.values()) offsets.deleteTopic(entry.topic, entry.topicId);
      break;
    case "delete-group":
      groups.delete(entry.group);
      break;
  }
}

function viewOf(group: string, { protocolType, generation, emptySince, offsets }: GroupState): GroupView {
  const committed = [...offsets.topics()].flatMap(([topic, { topicId, partitions }]) =>
    Array.from(partitions, ([partition, at]) => ({ topic, topicId, partition, ...at })),
  );
  committed.sort((a, b) => (a.topic === b.topic ? a.partition - b.partition : a.topic < b.topic ? -1 : 1));
  return { group, protocolType, generation, emptySince, offsets: committed };
}
