import type { Topic, TopicTable } from "../../cluster/topic-table.js";
import { ErrorCode } from "../../errors/error-codes.js";
import { KaasError } from "../../errors/kaas-error.js";
import type { Clock, Random, Timer } from "../../ports/clock.js";
import type { Log } from "../../ports/log.js";
import type { SlotJournal, SlotJournals } from "../../ports/slot-journals.js";
import type { ClassicGroup, GroupEnvironment } from "../classic/classic-group.js";
import type { DeadlineQueue } from "../deadline-queue.js";
import type { GroupSettings } from "../group-settings.js";
import type { SlotEntry } from "./slot-entry.js";
import { readSlotEntry, readSlotSnapshot } from "./slot-entry-reader.js";
import { SlotState } from "./slot-state.js";

const RETRY_DELAY_MS_MIN = 1_000;
const RETRY_DELAY_MS_MAX = 30_000;
/** A snapshot that failed is not tried again with every commit. */
const SNAPSHOT_RETRY_MS = 60_000;

/** A topic that is gone, of which offsets may be left. */
export type DeletedTopic = Pick<Topic, "id" | "name">;

export interface SlotEnvironment {
  readonly journals: SlotJournals;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly settings: GroupSettings;
  readonly deadlines: DeadlineQueue;
  readonly topics: TopicTable;
  /** Called when a slot serves, or does so no longer. */
  readonly slotChanged: () => void;
}

/**
 * One coordinator slot: the groups whose ids hash to it, and their journal. The state in memory runs ahead of the
 * journal, so nothing that depends on a change may be answered before {@link GroupSlot.append} or
 * {@link GroupSlot.settled} has resolved. When the journal fails, the state is thrown away and loaded again.
 *
 * ```
 *   loading ──▶ serving ──▶ failed ──▶ loading …        closed from any of them
 * ```
 */
export class GroupSlot {
  readonly number: number;
  readonly #environment: SlotEnvironment;
  readonly #groupEnvironment: GroupEnvironment;
  #state: SlotState;
  #journal: SlotJournal | undefined;
  #error: ErrorCode = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS;
  #isClosed = false;
  /** Ends the wait of a loading for the coordinator before. */
  readonly #unwanted = new AbortController();
  #loading: Promise<void> = Promise.resolve();
  #lastAppend: Promise<boolean> = Promise.resolve(true);
  #appendCount = 0;
  #isSnapshotting = false;
  #snapshotAfterMs = 0;
  #retryDelayMs = RETRY_DELAY_MS_MIN;
  #retryTimer: Timer | undefined;
  /** Topics that were deleted while nothing was loaded that could forget their offsets. */
  #topicsToForget: DeletedTopic[] = [];

  constructor(number: number, environment: SlotEnvironment) {
    this.number = number;
    this.#environment = environment;
    const { clock, random, log, settings, deadlines } = environment;
    this.#groupEnvironment = {
      clock,
      random,
      log,
      settings,
      deadline: (expire) => deadlines.create(expire),
      persist: (group) => this.persist(group),
    };
    this.#state = new SlotState(this.#groupEnvironment);
  }

  /** `NONE` while the slot serves; what every request is answered otherwise. */
  get error(): ErrorCode {
    return this.#error;
  }

  /** What a change that could not be made durable is answered. */
  get refusal(): ErrorCode {
    return this.#error === ErrorCode.NONE ? ErrorCode.COORDINATOR_NOT_AVAILABLE : this.#error;
  }

  get state(): SlotState {
    return this.#state;
  }

  get settings(): GroupSettings {
    return this.#environment.settings;
  }

  get clock(): Clock {
    return this.#environment.clock;
  }

  /** How many entries were appended so far; tells whether something was. */
  get appendCount(): number {
    return this.#appendCount;
  }

  /**
   * Loads the slot, once `before` has resolved. Resolves when it serves, or when the first try failed and others will
   * follow. Never rejects.
   */
  load(before?: Promise<void>): Promise<void> {
    this.#loading = this.#tryLoad(before);
    return this.#loading;
  }

  async #tryLoad(before?: Promise<void>): Promise<void> {
    this.#retryTimer = undefined;
    let journal: SlotJournal | undefined;
    try {
      if (before !== undefined) await before;
      if (this.#isClosed) return;
      journal = await this.#environment.journals.open("groups", this.number, this.#unwanted.signal);
      if (this.#isClosed) return await journal.close();
      this.#adopt(journal);
      this.#retryDelayMs = RETRY_DELAY_MS_MIN;
    } catch (error) {
      if (journal !== undefined) await this.#closeQuietly(journal);
      if (this.#unwanted.signal.aborted) return;
      this.#unavailable("group coordinator slot cannot be loaded", error);
    }
  }

  /** Applies a change and makes it durable. Resolves with false when the journal failed. */
  append(entry: SlotEntry): Promise<boolean> {
    const journal = this.#journal;
    if (journal === undefined) return Promise.resolve(false);
    this.#state.apply(entry);
    this.#appendCount++;
    this.#lastAppend = journal.append(entry).then(
      () => {
        this.#snapshotIfWanted(journal);
        return true;
      },
      (error: unknown) => {
        this.#fail(journal, error);
        return false;
      },
    );
    return this.#lastAppend;
  }

  /** Resolves when everything that the state shows is durable; with false when that failed. */
  settled(): Promise<boolean> {
    return this.#lastAppend;
  }

  persist(group: ClassicGroup): Promise<boolean> {
    return this.append({
      type: "group",
      group: group.id,
      protocolType: group.protocolType,
      protocol: group.protocolName,
      generation: group.generation,
      emptySince: group.state === "Empty" ? group.stateSince : null,
    });
  }

  /** Deletes a group that has no members, and its offsets. */
  deleteGroup(group: ClassicGroup): Promise<boolean> {
    this.#state.groups.delete(group.id);
    group.kill(ErrorCode.UNKNOWN_MEMBER_ID);
    return this.append({ type: "delete-group", group: group.id });
  }

  /** Offsets of a deleted topic are of no use to anybody, least of all to a new topic of the same name. */
  forgetTopic(topic: DeletedTopic): void {
    if (this.#journal === undefined) this.#topicsToForget.push(topic);
    else this.#forget(topic.name, (topicId) => topicId === topic.id);
  }

  /** A topic appeared: what was committed for an earlier one of the same name goes. */
  forgetEarlierTopics(topic: Topic): void {
    if (this.#journal !== undefined) this.#forget(topic.name, (topicId) => topicId !== topic.id);
  }

  /** Answers all who wait, makes durable what was accepted, and hands the journal over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unwanted.abort();
    this.#error = ErrorCode.NOT_COORDINATOR;
    this.#retryTimer?.cancel();
    this.#dropState();
    await this.#loading;
    await this.#lastAppend;
    const journal = this.#journal;
    this.#journal = undefined;
    if (journal !== undefined) await this.#closeQuietly(journal);
  }

  #adopt(journal: SlotJournal): void {
    const { snapshot, entries } = journal.recovered();
    const state = new SlotState(this.#groupEnvironment);
    if (snapshot !== undefined) state.restore(readSlotSnapshot(snapshot));
    for (const entry of entries) state.replay(readSlotEntry(entry));
    this.#state = state;
    this.#journal = journal;
    this.#lastAppend = Promise.resolve(true);
    this.#error = ErrorCode.NONE;
    this.#environment.slotChanged();
    // Members are not remembered, they join again. Retention of offsets counts from now, should none come.
    for (const id of state.orphaned) void this.persist(state.ensureGroup(id));
    state.orphaned.clear();
    for (const topic of this.#environment.topics.all()) this.forgetEarlierTopics(topic);
    for (const topic of this.#topicsToForget.splice(0)) this.forgetTopic(topic);
  }

  #forget(name: string, isGone: (topicId: string) => boolean): void {
    const goneIds = new Set<string>();
    for (const offsets of this.#state.offsets.values()) {
      const topicId = offsets.topic(name)?.topicId;
      if (topicId !== undefined && isGone(topicId)) goneIds.add(topicId);
    }
    for (const topicId of goneIds) void this.append({ type: "delete-topic", topic: name, topicId });
  }

  #snapshotIfWanted(journal: SlotJournal): void {
    const { clock, log } = this.#environment;
    if (this.#isSnapshotting || this.#journal !== journal || !journal.wantsSnapshot) return;
    if (clock.monotonic() < this.#snapshotAfterMs) return;
    this.#isSnapshotting = true;
    journal.writeSnapshot(this.#state.snapshot()).then(
      () => {
        this.#isSnapshotting = false;
      },
      (error: unknown) => {
        this.#isSnapshotting = false;
        this.#snapshotAfterMs = clock.monotonic() + SNAPSHOT_RETRY_MS;
        log.warn(
          { slot: this.number, err: error },
          "snapshot of a group coordinator slot failed; it is tried again later",
        );
      },
    );
  }

  #fail(journal: SlotJournal, error: unknown): void {
    if (this.#journal !== journal || this.#isClosed) return;
    this.#journal = undefined;
    void this.#closeQuietly(journal);
    if (error instanceof KaasError && error.code === "KAAS_FENCED") return this.#deposed(error);
    this.#unavailable("journal of a group coordinator slot failed; the slot is loaded again", error);
  }

  /** Another process has taken over from this one, which leads nothing any more. */
  #deposed(error: unknown): void {
    this.#environment.log.error({ slot: this.number, err: error }, "a group coordinator slot has been taken over");
    this.#error = ErrorCode.NOT_COORDINATOR;
    this.#dropState();
  }

  #unavailable(message: string, error: unknown): void {
    this.#environment.log.error({ slot: this.number, err: error }, message);
    if (this.#isClosed) return;
    this.#error = ErrorCode.COORDINATOR_NOT_AVAILABLE;
    this.#dropState();
    this.#retryTimer = this.#environment.clock.schedule(this.#retryDelayMs, () => void this.load());
    this.#retryDelayMs = Math.min(this.#retryDelayMs * 2, RETRY_DELAY_MS_MAX);
  }

  #dropState(): void {
    const { groups } = this.#state;
    this.#state = new SlotState(this.#groupEnvironment);
    this.#environment.slotChanged();
    for (const group of groups.values()) group.kill(this.#error);
  }

  async #closeQuietly(journal: SlotJournal): Promise<void> {
    try {
      await journal.close();
    } catch (error) {
      this.#environment.log.warn(
        { slot: this.number, err: error },
        "journal of a group coordinator slot did not close",
      );
    }
  }
}
