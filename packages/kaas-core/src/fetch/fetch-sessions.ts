import type { Clock, Random } from "../ports/clock.js";

/** Session epochs with a meaning of their own (KIP-227). */
export const INITIAL_EPOCH: number = 0;
export const FINAL_EPOCH: number = -1;
/** "No session": in a request, none is asked for; in a response, none was granted. */
export const NO_SESSION: number = 0;

const INT32_MAX = 0x7fff_ffff;

/** A partition as a session remembers it: what the client asked last, and what it was told last. */
export interface SessionPartition {
  readonly key: string;
  /** Empty in sessions by topic id. */
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
  currentLeaderEpoch: number;
  fetchOffset: number;
  lastFetchedEpoch: number;
  maxBytes: number;
  /** −1: nothing was told yet, or an error was. */
  toldHighWatermark: number;
  toldLogStartOffset: number;
}

/** One incremental fetch session. Partitions are kept in the order in which they are served next. */
export class FetchSession {
  readonly id: number;
  readonly usesTopicIds: boolean;
  readonly createdMs: number;
  readonly partitions: Map<string, SessionPartition>;
  /** The epoch that the next request must carry. */
  epoch = 1;
  lastUsedMs: number;

  constructor(id: number, usesTopicIds: boolean, nowMs: number, partitions: Map<string, SessionPartition>) {
    this.id = id;
    this.usesTopicIds = usesTopicIds;
    this.createdMs = nowMs;
    this.lastUsedMs = nowMs;
    this.partitions = partitions;
  }

  advance(): void {
    this.epoch = this.epoch === INT32_MAX ? 1 : this.epoch + 1;
  }

  /** Served last time: others come first the next time, so that none starves when bytes are scarce. */
  moveToEnd(partition: SessionPartition): void {
    this.partitions.delete(partition.key);
    this.partitions.set(partition.key, partition);
  }
}

/** The sessions of this broker, at most `slotsMax` of them. */
export class FetchSessions {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #slotsMax: number;
  readonly #evictionMs: number;
  /** In the order of last use. */
  readonly #sessions = new Map<number, FetchSession>();

  constructor(options: { clock: Clock; random: Random; slotsMax: number; evictionMs: number }) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#slotsMax = options.slotsMax;
    this.#evictionMs = options.evictionMs;
  }

  get size(): number {
    return this.#sessions.size;
  }

  get(id: number): FetchSession | undefined {
    return this.#sessions.get(id);
  }

  /** Notes that a session was used just now. */
  touch(session: FetchSession): void {
    session.lastUsedMs = this.#clock.monotonic();
    this.#sessions.delete(session.id);
    this.#sessions.set(session.id, session);
  }

  remove(id: number): void {
    this.#sessions.delete(id);
  }

  /** A new session, or undefined when all slots are taken by sessions that have a better claim. */
  create(usesTopicIds: boolean, partitions: Map<string, SessionPartition>): FetchSession | undefined {
    const now = this.#clock.monotonic();
    if (this.#sessions.size >= this.#slotsMax && !this.#evictFor(partitions.size, now)) return undefined;
    const session = new FetchSession(this.#freeId(), usesTopicIds, now, partitions);
    this.#sessions.set(session.id, session);
    return session;
  }

  /**
   * Makes room: the session unused for longest goes if it is stale; otherwise the smallest that has had its time, if
   * the new one is larger.
   */
  #evictFor(partitionCount: number, now: number): boolean {
    const oldest = this.#sessions.values().next().value;
    if (oldest === undefined) return false;
    if (now - oldest.lastUsedMs > this.#evictionMs) return this.#sessions.delete(oldest.id);
    let smallest: FetchSession | undefined;
    for (const session of this.#sessions.values()) {
      if (now - session.createdMs <= this.#evictionMs) continue;
      if (smallest === undefined || session.partitions.size < smallest.partitions.size) smallest = session;
    }
    if (smallest === undefined || smallest.partitions.size >= partitionCount) return false;
    return this.#sessions.delete(smallest.id);
  }

  #freeId(): number {
    for (;;) {
      const id = 1 + this.#random.integer(INT32_MAX - 1);
      if (!this.#sessions.has(id)) return id;
    }
  }
}
