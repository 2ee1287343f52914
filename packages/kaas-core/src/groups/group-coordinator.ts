import type { Topic, TopicTable } from "../cluster/topic-table.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { Clock, Random, Timer } from "../ports/clock.js";
import type { Log } from "../ports/log.js";
import type { SlotJournals } from "../ports/slot-journals.js";
import type { ClassicGroup } from "./classic/classic-group.js";
import { protocolsSize } from "./classic/classic-member.js";
import {
  type HeartbeatRequest,
  type JoinRequest,
  type JoinResult,
  joinError,
  type LeaveResult,
  type LeavingMember,
  type SyncRequest,
  type SyncResult,
  syncError,
} from "./classic/classic-requests.js";
import { joinGroup } from "./classic/join.js";
import { leaveGroup } from "./classic/leave.js";
import { heartbeat } from "./classic/membership.js";
import { syncGroup } from "./classic/sync.js";
import { DeadlineQueue } from "./deadline-queue.js";
import {
  type DescribedGroup,
  deleteGroup,
  describeGroup,
  expireGroups,
  type GroupFilter,
  type ListedGroup,
  listGroups,
} from "./group-admin.js";
import { GROUPS_PER_SLOT_MAX, MEMBER_METADATA_BYTES_MAX } from "./group-limits.js";
import { type GroupConfigSource, GroupSettings } from "./group-settings.js";
import { slotOf } from "./murmur2.js";
import { commitOffsets, type OffsetCommit } from "./offsets/commit-offsets.js";
import { deleteOffsets, type OffsetDeleteResult } from "./offsets/delete-offsets.js";
import { fetchOffsets, type OffsetFetch, type OffsetFetchResult } from "./offsets/fetch-offsets.js";
import type { TopicPartitions } from "./offsets/retention.js";
import { type DeletedTopic, GroupSlot, type SlotEnvironment } from "./slot/group-slot.js";

export interface GroupCoordinatorOptions {
  readonly journals: SlotJournals;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly config: GroupConfigSource;
  /** Complete before {@link GroupCoordinator.start}. */
  readonly topics: TopicTable;
}

/** Topics that were deleted lately, whose offsets a slot may still have that is led elsewhere. */
const DELETED_TOPICS_MAX = 1_000;

/** Consumer groups and their committed offsets: what the group API handlers talk to. */
export class GroupCoordinator {
  readonly settings: GroupSettings;
  readonly #environment: SlotEnvironment;
  /** The slots that are led here, by number. */
  readonly #slots = new Map<number, GroupSlot>();
  /** Slots that are being handed over. */
  readonly #leaving = new Map<number, Promise<void>>();
  readonly #deletedTopics: DeletedTopic[] = [];
  readonly #slotListeners = new Set<() => void>();
  readonly #slotCount: number;
  #retentionTimer: Timer | undefined;
  #isClosed = false;

  constructor(options: GroupCoordinatorOptions) {
    const { journals, clock, random, log, topics } = options;
    this.settings = new GroupSettings(options.config);
    const deadlines = new DeadlineQueue(clock);
    const slotChanged = (): void => this.#slotChanged();
    this.#environment = { journals, clock, random, log, settings: this.settings, deadlines, topics, slotChanged };
    this.#slotCount = journals.slotCount;
    topics.addListener({
      topicAdded: (topic) => this.#eachSlot((slot) => slot.forgetEarlierTopics(topic)),
      topicRemoved: (topic: Topic) => this.#forgetTopic(topic),
    });
  }

  /** Takes slots, all of them unless told which, and loads them. Resolves when each was tried once; never rejects. */
  async start(
    slots: readonly number[] = Array.from({ length: this.#slotCount }, (_, number) => number),
  ): Promise<void> {
    this.#scheduleRetention();
    await Promise.all(slots.map((number) => this.takeSlot(number)));
  }

  /**
   * Leads these slots and no others: takes what is new, and hands over what is not among them any more. Resolves when
   * each that is new was tried once, and each that is not is handed over; never rejects.
   */
  async lead(isLed: (slot: number) => boolean): Promise<void> {
    const changes: Promise<void>[] = [];
    for (let number = 0; number < this.#slotCount; number++) {
      if (isLed(number)) changes.push(this.takeSlot(number));
      else changes.push(this.handOverSlot(number));
    }
    await Promise.all(changes);
  }

  /** Called when a slot is taken, serves, fails, or is handed over. */
  onSlotChange(callback: () => void): void {
    this.#slotListeners.add(callback);
  }

  /** In which slot a group is. */
  slotOf(groupId: string): number {
    return slotOf(groupId, this.#slotCount);
  }

  /** Slots that are loaded and serve. */
  openSlots(): readonly number[] {
    return [...this.#slots.values()].filter(({ error }) => error === ErrorCode.NONE).map(({ number }) => number);
  }

  /** How many slots are led here, loaded or not, and how many are being handed over. */
  get slotCounts(): { readonly assigned: number; readonly releasing: number } {
    return { assigned: this.#slots.size, releasing: this.#leaving.size };
  }

  /**
   * Takes the lead of a slot that is led elsewhere, or was. Until it is loaded its groups are answered
   * COORDINATOR_LOAD_IN_PROGRESS, so nothing needs to wait for this; it resolves when loading was tried once, and
   * never rejects. A slot that is led here already stays as it is.
   */
  async takeSlot(number: number): Promise<void> {
    if (this.#isClosed || this.#slots.has(number)) return;
    const slot = new GroupSlot(number, this.#environment);
    this.#slots.set(number, slot);
    // Whoever led it until now may not have heard of these.
    for (const topic of this.#deletedTopics) slot.forgetTopic(topic);
    await slot.load(this.#leaving.get(number));
  }

  /**
   * Hands the lead of a slot over. From the call on its groups are answered NOT_COORDINATOR; commits that were under
   * way are answered as they end. Resolves when everything that was acknowledged is durable and the next coordinator
   * may take the slot; never rejects.
   */
  async handOverSlot(number: number): Promise<void> {
    const slot = this.#slots.get(number);
    if (slot === undefined) return this.#leaving.get(number);
    this.#slots.delete(number);
    const left = slot.close().finally(() => {
      if (this.#leaving.get(number) === left) this.#leaving.delete(number);
      this.#slotChanged();
    });
    this.#leaving.set(number, left);
    await left;
  }

  /** Answers all who wait, makes durable what was accepted, and hands the slots over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retentionTimer?.cancel();
    await Promise.all([...Array.from(this.#slots.values(), (slot) => slot.close()), ...this.#leaving.values()]);
    this.#environment.deadlines.close();
  }

  /** JoinGroup. Resolves when the group has a new generation; may take as long as the rebalance timeout. */
  join(request: JoinRequest): Promise<JoinResult> {
    return new Promise((resolve) => {
      const refusal = this.#refuseJoin(request);
      if (refusal !== null) return resolve(refusal);
      const slot = this.#route(request.groupId);
      if (typeof slot === "number") return resolve(joinError(slot, request.memberId));
      const known = slot.state.groups.get(request.groupId);
      // Only a member that is new may make a group: an id that we gave out belongs to a group that was.
      if (known === undefined && request.memberId !== "") {
        return resolve(joinError(ErrorCode.UNKNOWN_MEMBER_ID, request.memberId));
      }
      if (known === undefined && slot.state.groups.size >= GROUPS_PER_SLOT_MAX) {
        return resolve(joinError(ErrorCode.COORDINATOR_NOT_AVAILABLE, ""));
      }
      joinGroup(known ?? slot.state.ensureGroup(request.groupId), request, resolve);
    });
  }

  /** SyncGroup. Resolves when the leader has brought the assignment and the generation is durable. */
  sync(request: SyncRequest): Promise<SyncResult> {
    return new Promise((resolve) => {
      const group = this.#member(request.groupId);
      if (typeof group === "number") resolve(syncError(group));
      else syncGroup(group, request, resolve);
    });
  }

  heartbeat(request: HeartbeatRequest): ErrorCode {
    const group = this.#member(request.groupId);
    return typeof group === "number" ? group : heartbeat(group, request);
  }

  /** LeaveGroup. An error of the whole request, or one for each member. */
  async leave(groupId: string, members: readonly LeavingMember[]): Promise<ErrorCode | readonly LeaveResult[]> {
    if (groupId === "") return ErrorCode.INVALID_GROUP_ID;
    const slot = this.#route(groupId);
    if (typeof slot === "number") return slot;
    const group = slot.state.groups.get(groupId);
    if (group === undefined) {
      return members.map(({ memberId, groupInstanceId }) => ({
        memberId,
        groupInstanceId,
        errorCode: ErrorCode.UNKNOWN_MEMBER_ID,
      }));
    }
    const appendedBefore = slot.appendCount;
    const results = leaveGroup(group, members);
    if (slot.appendCount === appendedBefore) return results;
    return (await slot.settled()) ? results : slot.refusal;
  }

  /** OffsetCommit. Resolves when the offsets are durable. The empty group id is a name like any other here. */
  async commitOffsets(commit: OffsetCommit): Promise<ErrorCode> {
    const slot = this.#route(commit.groupId);
    return typeof slot === "number" ? slot : commitOffsets(slot, commit);
  }

  /** OffsetFetch of one group. */
  async fetchOffsets(fetch: OffsetFetch): Promise<OffsetFetchResult> {
    const slot = this.#route(fetch.groupId);
    if (typeof slot === "number") return { errorCode: slot, topics: [] };
    return fetchOffsets(slot, fetch, this.#environment.topics);
  }

  /** OffsetDelete. */
  async deleteOffsets(groupId: string, topics: readonly TopicPartitions[]): Promise<OffsetDeleteResult> {
    const slot = groupId === "" ? ErrorCode.INVALID_GROUP_ID : this.#route(groupId);
    if (typeof slot === "number") return { errorCode: slot, topicErrors: [] };
    return deleteOffsets(slot, groupId, topics);
  }

  /** DescribeGroups of one group; `GROUP_ID_NOT_FOUND` or why the coordinator cannot answer. */
  describe(groupId: string): DescribedGroup | ErrorCode {
    const slot = this.#route(groupId);
    if (typeof slot === "number") return slot;
    const group = slot.state.groups.get(groupId);
    return group === undefined ? ErrorCode.GROUP_ID_NOT_FOUND : describeGroup(group);
  }

  /** ListGroups. A listing with holes would mislead: while a slot is not there to ask, there is only the error. */
  list(filter: GroupFilter): readonly ListedGroup[] | ErrorCode {
    if (this.#isClosed) return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    const listed: ListedGroup[] = [];
    for (const slot of this.#slots.values()) {
      if (slot.error !== ErrorCode.NONE) return slot.error;
      for (const group of listGroups(slot, filter)) listed.push(group);
    }
    return listed;
  }

  /** All offsets that groups of the slots led here have committed. */
  *committed(): Generator<{ group: string; topic: string; partition: number; offset: number }> {
    for (const { error, state } of this.#slots.values()) {
      if (error !== ErrorCode.NONE) continue;
      for (const [group, offsets] of state.offsets) {
        for (const [topic, { partitions }] of offsets.topics()) {
          for (const [partition, { offset }] of partitions) yield { group, topic, partition, offset };
        }
      }
    }
  }

  /** DeleteGroups of one group. Resolves when the deletion is durable. */
  async deleteGroup(groupId: string): Promise<ErrorCode> {
    const slot = this.#route(groupId);
    return typeof slot === "number" ? slot : deleteGroup(slot, groupId);
  }

  #refuseJoin({ groupId, memberId, sessionTimeoutMs, protocols }: JoinRequest): JoinResult | null {
    if (groupId === "") return joinError(ErrorCode.INVALID_GROUP_ID, memberId);
    const { sessionTimeoutMsMin, sessionTimeoutMsMax } = this.settings;
    if (sessionTimeoutMs < sessionTimeoutMsMin || sessionTimeoutMs > sessionTimeoutMsMax) {
      return joinError(ErrorCode.INVALID_SESSION_TIMEOUT, memberId);
    }
    if (protocolsSize(protocols) > MEMBER_METADATA_BYTES_MAX) return joinError(ErrorCode.MESSAGE_TOO_LARGE, memberId);
    return null;
  }

  /** The group that a member talks of. Who talks of a group that is not there is no member of it. */
  #member(groupId: string): ClassicGroup | ErrorCode {
    if (groupId === "") return ErrorCode.INVALID_GROUP_ID;
    const slot = this.#route(groupId);
    if (typeof slot === "number") return slot;
    return slot.state.groups.get(groupId) ?? ErrorCode.UNKNOWN_MEMBER_ID;
  }

  /** The slot of a group, or why it cannot be used. */
  #route(groupId: string): GroupSlot | ErrorCode {
    if (this.#isClosed) return ErrorCode.COORDINATOR_NOT_AVAILABLE;
    const slot = this.#slots.get(this.slotOf(groupId));
    if (slot === undefined) return ErrorCode.NOT_COORDINATOR;
    return slot.error === ErrorCode.NONE ? slot : slot.error;
  }

  #forgetTopic({ id, name }: Topic): void {
    const topic = { id, name };
    this.#eachSlot((slot) => slot.forgetTopic(topic));
    this.#deletedTopics.push(topic);
    if (this.#deletedTopics.length > DELETED_TOPICS_MAX) this.#deletedTopics.shift();
  }

  #slotChanged(): void {
    for (const callback of this.#slotListeners) callback();
  }

  #eachSlot(visit: (slot: GroupSlot) => void): void {
    for (const slot of this.#slots.values()) visit(slot);
  }

  #scheduleRetention(): void {
    this.#retentionTimer = this.#environment.clock.schedule(this.settings.offsetsRetentionCheckIntervalMs, () => {
      this.#eachSlot((slot) => {
        if (slot.error === ErrorCode.NONE) expireGroups(slot);
      });
      this.#scheduleRetention();
    });
  }
}
