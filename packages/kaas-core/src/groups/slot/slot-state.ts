import { ClassicGroup, type GroupEnvironment } from "../classic/classic-group.js";
import { GroupOffsets } from "../offsets/group-offsets.js";
import type { CommitEntry, SlotEntry, SlotSnapshot, SnapshotGroup } from "./slot-entry.js";

/** The groups of one slot and what they committed. Offsets never exist without their group. */
export class SlotState {
  readonly groups: Map<string, ClassicGroup> = new Map();
  readonly offsets: Map<string, GroupOffsets> = new Map();
  /** Groups that had members when the journal ended. */
  readonly orphaned: Set<string> = new Set();
  readonly #environment: GroupEnvironment;

  constructor(environment: GroupEnvironment) {
    this.#environment = environment;
  }

  /** The group of that name; a new, empty one if there is none. */
  ensureGroup(id: string): ClassicGroup {
    const known = this.groups.get(id);
    if (known !== undefined) return known;
    const group = new ClassicGroup(id, this.#environment);
    this.groups.set(id, group);
    return group;
  }

  restore(snapshot: SlotSnapshot): void {
    for (const group of snapshot.groups) {
      this.#restoreGroup(group);
      for (const { topic, topicId, partitions } of group.offsets) {
        const committed = this.#offsetsOf(group.group).ensureTopic(topic, topicId);
        for (const [partition, offset, leaderEpoch, metadata, committedAt, expiresAt] of partitions) {
          committed.set(partition, { offset, leaderEpoch, metadata, committedAt, expiresAt });
        }
      }
    }
  }

  /** Does again what an entry of the journal says. */
  replay(entry: SlotEntry): void {
    if (entry.type === "commit") this.ensureGroup(entry.group);
    if (entry.type === "group") this.#restoreGroup(entry);
    if (entry.type === "delete-group") this.groups.delete(entry.group);
    this.apply(entry);
  }

  /** Does what an entry says about offsets; what it says about groups, the groups have done themselves. */
  apply(entry: SlotEntry): void {
    switch (entry.type) {
      case "commit":
        this.#commit(entry);
        break;
      case "delete-offsets": {
        const offsets = this.offsets.get(entry.group);
        if (offsets === undefined) break;
        for (const { topic, partitions } of entry.topics) offsets.delete(topic, partitions);
        this.#dropIfEmpty(entry.group, offsets);
        break;
      }
      case "delete-topic":
        for (const [group, offsets] of this.offsets) {
          offsets.deleteTopic(entry.topic, entry.topicId);
          this.#dropIfEmpty(group, offsets);
        }
        break;
      case "delete-group":
        this.offsets.delete(entry.group);
        break;
      case "group":
        break;
    }
  }

  snapshot(): SlotSnapshot {
    return { groups: Array.from(this.groups.values(), (group) => this.#snapshotGroup(group)) };
  }

  #restoreGroup(record: Omit<SnapshotGroup, "offsets">): void {
    const group = new ClassicGroup(record.group, this.#environment, {
      protocolType: record.protocolType,
      protocolName: record.emptySince === null ? null : record.protocol,
      generation: record.generation,
      stateSince: record.emptySince ?? this.#environment.clock.now(),
    });
    this.groups.set(record.group, group);
    if (record.emptySince === null) this.orphaned.add(record.group);
    else this.orphaned.delete(record.group);
  }

  #snapshotGroup(group: ClassicGroup): SnapshotGroup {
    return {
      group: group.id,
      protocolType: group.protocolType,
      protocol: group.protocolName,
      generation: group.generation,
      emptySince: group.state === "Empty" ? group.stateSince : null,
      offsets: Array.from(this.offsets.get(group.id)?.topics() ?? [], ([topic, { topicId, partitions }]) => ({
        topic,
        topicId,
        partitions: Array.from(
          partitions,
          ([partition, at]) =>
            [partition, at.offset, at.leaderEpoch, at.metadata, at.committedAt, at.expiresAt] as const,
        ),
      })),
    };
  }

  #commit({ group, committedAt, expiresAt, topics }: CommitEntry): void {
    const offsets = this.#offsetsOf(group);
    for (const { topic, topicId, partitions } of topics) {
      const committed = offsets.ensureTopic(topic, topicId);
      for (const [partition, offset, leaderEpoch, metadata] of partitions) {
        committed.set(partition, { offset, leaderEpoch, metadata, committedAt, expiresAt });
      }
    }
  }

  #offsetsOf(group: string): GroupOffsets {
    const known = this.offsets.get(group);
    if (known !== undefined) return known;
    const offsets = new GroupOffsets();
    this.offsets.set(group, offsets);
    return offsets;
  }

  #dropIfEmpty(group: string, offsets: GroupOffsets): void {
    if (offsets.isEmpty) this.offsets.delete(group);
  }
}
