import {
  type AppendResult,
  ErrorCode,
  KaasError,
  type LogConfig,
  type LogListener,
  type PartitionId,
  type PartitionLog,
  type ProducerStateView,
  type ReadOptions,
  type ReadResult,
  type SharedLease,
  type TimestampOffset,
  type TransactionEnd,
  type TransactionGuard,
  type TransactionStart,
} from "@kaas/core";
import type { CompactableLog } from "../compaction/cleaner.js";
import type { LogCompaction } from "../compaction/log-compaction.js";
import type { Pace } from "../compaction/pace.js";
import type { Stallable } from "../leadership/stall-watch.js";
import type { LogCopy } from "../moving/log-copy.js";
import { copyWhileServing, handOverTo } from "../moving/log-move.js";
import type { LogPlaces, LogVolume } from "../moving/log-places.js";
import { openAtHome } from "../moving/open-at-home.js";
import type { LogEnvironment } from "./log-environment.js";
import type { OpenLog, OpenLogEvents } from "./open-log.js";
import { findByTimestamp, findMaxTimestamp } from "./timestamp-lookup.js";

const REOPEN_DELAY_MS_MIN = 100;
const REOPEN_DELAY_MS_MAX = 10_000;

/**
 * A partition's log for as long as this broker leads the partition. When its files fail it answers
 * `KAFKA_STORAGE_ERROR`, and is recovered at a new epoch in the background, again and again until that succeeds. When it
 * moves to another log directory it is handed over, and comes back there.
 */
export class VolumePartitionLog implements PartitionLog, OpenLogEvents, CompactableLog, Stallable {
  readonly id: PartitionId;
  readonly #places: LogPlaces;
  readonly #listeners = new Set<LogListener>();
  #config: LogConfig;
  #volume: LogVolume;
  #log: OpenLog;
  /** Handed over or abandoned: it does not come back. */
  #isClosed = false;
  #isFenced = false;
  #removal: { failure: unknown } | undefined;
  #recovering: Promise<void> | undefined;
  /** Nothing is appended while it is handed over to itself, up to where it serves again. */
  #isHandingOver = false;
  #move: { readonly pace: Pace; readonly done: Promise<void> } | undefined;
  #stopWaiting: () => void = () => undefined;

  private constructor(id: PartitionId, places: LogPlaces, config: LogConfig, volume: LogVolume, log: OpenLog) {
    this.id = id;
    this.#places = places;
    this.#config = config;
    this.#volume = volume;
    this.#log = log;
    log.ownedBy(this);
  }

  static async open(
    id: PartitionId,
    config: LogConfig,
    places: LogPlaces,
    unwanted?: AbortSignal,
  ): Promise<VolumePartitionLog> {
    const { volume, log } = await openAtHome(id, config, places, places.volumeOf(id), { unwanted });
    return new VolumePartitionLog(id, places, config, volume, log);
  }

  /** Where it lies. */
  get volume(): LogVolume {
    return this.#volume;
  }

  get leaderEpoch(): number {
    return this.#log.core.epoch;
  }

  get logStartOffset(): number {
    return this.#log.core.logStartOffset;
  }

  get highWatermark(): number {
    return this.#log.core.highWatermark;
  }

  get lastStableOffset(): number {
    return this.#log.core.lastStableOffset;
  }

  get logEndOffset(): number {
    return this.#log.core.logEndOffset;
  }

  get sizeBytes(): number {
    return this.#log.core.sizeBytes;
  }

  get health(): ErrorCode {
    // Whoever hands over to himself is not deposed: nobody is to claim the partition for that.
    return this.#isHandingOver ? ErrorCode.KAFKA_STORAGE_ERROR : this.#log.core.health;
  }

  append(records: Buffer, acks: -1 | 0 | 1, guard?: TransactionGuard, memory?: SharedLease): Promise<AppendResult> {
    return this.#log.appender.append(records, acks, guard, memory);
  }

  guardTransaction(start: TransactionStart): TransactionGuard | undefined {
    return this.#log.appender.guardTransaction(start);
  }

  endTransaction(end: TransactionEnd): Promise<AppendResult> {
    return this.#log.appender.endTransaction(end);
  }

  read(offset: number, options: ReadOptions): ReadResult | Promise<ReadResult> {
    return this.#log.reader.read(offset, options);
  }

  async offsetForTimestamp(
    timestamp: number,
    isolation: ReadOptions["isolation"],
  ): Promise<TimestampOffset | undefined> {
    const { core } = this.#log;
    const bound = isolation === "read_committed" ? core.lastStableOffset : core.highWatermark;
    const found = await findByTimestamp(core, timestamp);
    return found !== undefined && found.offset < bound ? found : undefined;
  }

  async offsetOfMaxTimestamp(): Promise<TimestampOffset | undefined> {
    const { core, committer } = this.#log;
    await committer.whenVisible(core.logEndOffset);
    return findMaxTimestamp(core);
  }

  epochAt(offset: number): number {
    return this.#log.core.epochs.epochBefore(offset);
  }

  endOffsetForEpoch(epoch: number): { readonly epoch: number; readonly endOffset: number } {
    return this.#log.core.epochs.endOffset(epoch, this.#log.core.logEndOffset);
  }

  async deleteRecords(offset: number): Promise<{ readonly errorCode: ErrorCode; readonly lowWatermark: number }> {
    const { core, maintenance } = this.#log;
    if (core.health !== ErrorCode.NONE) return { errorCode: core.health, lowWatermark: -1 };
    try {
      return await maintenance.deleteRecords(offset);
    } catch (error) {
      if (isFenced(error)) {
        this.fence(error);
        return { errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER, lowWatermark: -1 };
      }
      this.#environment.log.error({ ...this.#place, err: error }, "records could not be deleted");
      return { errorCode: ErrorCode.KAFKA_STORAGE_ERROR, lowWatermark: -1 };
    }
  }

  producers(): readonly ProducerStateView[] {
    return this.#log.core.producers.views();
  }

  configure(config: LogConfig): void {
    this.#config = config;
    this.#log.core.config = config;
    this.#log.compaction.configured();
  }

  addListener(listener: LogListener): void {
    this.#listeners.add(listener);
  }

  removeListener(listener: LogListener): void {
    this.#listeners.delete(listener);
  }

  get compaction(): LogCompaction {
    return this.#log.compaction;
  }

  get isBusy(): boolean {
    return this.#log.committer.isBusy;
  }

  get progress(): number {
    return this.#log.committer.progress;
  }

  stalled(): void {
    this.#log.committer.stalled();
  }

  get isGone(): boolean {
    return this.#isClosed || this.#isFenced || this.#removal !== undefined;
  }

  get isEnding(): boolean {
    return this.isGone || this.health !== ErrorCode.NONE;
  }

  async enforceRetention(): Promise<void> {
    if (this.health === ErrorCode.NONE) await this.#log.maintenance.enforceRetention();
  }

  checkpoint(): void {
    const { checkpoint, committer } = this.#log;
    if (this.health === ErrorCode.NONE) checkpoint.update(committer.syncedBytes);
  }

  /** Forgets producers that have not appended since. */
  expireProducers(sinceMs: number): void {
    this.#log.core.producers.expire(sinceMs);
    this.#log.core.guards.expire(sinceMs);
  }

  /**
   * Moves to another log directory: copies what there is while the log serves, and hands it over to itself there. It
   * rejects, and stays where it is, when that fails before the hand-over; afterwards it lies where the volume says.
   * Rejects with `CleaningStopped` when it is told to stop.
   */
  async moveTo(target: LogVolume, pace: Pace): Promise<void> {
    const done = this.#moveTo(target, pace).finally(() => {
      this.#move = undefined;
    });
    this.#move = { pace, done: done.catch(() => undefined) };
    await done;
  }

  stopMoving(): void {
    this.#move?.pace.stop();
  }

  advanced(): void {
    for (const listener of this.#listeners) {
      try {
        listener.logAdvanced(this);
      } catch (error) {
        // Others have to be told all the same, and what was acknowledged stays acknowledged.
        this.#environment.log.error({ ...this.#place, err: error }, "a listener of a log failed");
      }
    }
  }

  failed(error: unknown): void {
    if (this.#removal !== undefined) {
      this.#removal.failure ??= error;
      return;
    }
    if (isFenced(error)) this.fence(error);
    if (this.#isFenced) return;
    this.#environment.log.error({ ...this.#place, err: error }, "a log's files failed; it is recovered at a new epoch");
    // The hand-over waits for what has failed; it goes on with the recovery.
    if (this.#isHandingOver) void this.#closeFailed(ErrorCode.KAFKA_STORAGE_ERROR, "the partition's files failed");
    this.#recovering ??= this.#recover().finally(() => {
      this.#recovering = undefined;
    });
  }

  /** Another broker leads: answers so, acknowledges and writes nothing more, and does not come back. */
  fence(error: KaasError): void {
    if (this.#isFenced) return;
    this.#isFenced = true;
    this.#stopWaiting();
    this.#environment.log.error({ ...this.#place, err: error }, "a log is no longer led by this process");
    if (this.#isHandingOver) void this.#closeFailed(ErrorCode.NOT_LEADER_OR_FOLLOWER, error.message);
    this.#recovering = (this.#recovering ?? Promise.resolve())
      .then(() => this.#closeFailed(ErrorCode.NOT_LEADER_OR_FOLLOWER, error.message))
      .finally(() => {
        this.#recovering = undefined;
      });
  }

  /** The files are about to go: their failing is no failure until it turns out that they stay. */
  expectRemoval(): void {
    this.#removal = { failure: undefined };
    this.stopMoving();
    void this.#log.compaction.stop();
  }

  removalFailed(): void {
    const failure = this.#removal?.failure;
    this.#removal = undefined;
    if (failure !== undefined) this.failed(failure);
  }

  async release(): Promise<void> {
    await this.#finishRecovering();
    if (this.health === ErrorCode.NONE) await this.#log.release();
    this.advanced();
  }

  async abandon(): Promise<void> {
    const close = () => this.#log.close(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "the topic has been deleted");
    this.#isClosed = true;
    if (this.#isHandingOver) await close(); // it waits for what will not be written any more
    await this.#finishRecovering();
    await close();
    this.advanced();
  }

  get #environment(): LogEnvironment {
    return this.#volume.environment;
  }

  get #place(): { readonly topic: string; readonly partition: number } {
    return { topic: this.id.topic, partition: this.id.partition };
  }

  async #finishRecovering(): Promise<void> {
    this.#isClosed = true;
    this.#stopWaiting();
    this.stopMoving();
    await this.#move?.done;
    await this.#recovering;
  }

  async #moveTo(target: LogVolume, pace: Pace): Promise<void> {
    const log = this.#log;
    const isOurs = () => this.#log === log && !this.isEnding && this.#recovering === undefined;
    const copy = await copyWhileServing(log, target, pace, isOurs);
    this.#isHandingOver = true;
    const handingOver = this.#handOver(log, copy, target);
    this.#recovering = handingOver;
    await handingOver;
    if (this.#recovering === handingOver) this.#recovering = undefined;
  }

  /** Whatever becomes of it, the log comes back where the volume says that it lies. */
  async #handOver(log: OpenLog, copy: LogCopy, target: LogVolume): Promise<void> {
    try {
      await handOverTo(target, copy, log, this.#volume, this.id);
    } catch (error) {
      if (isFenced(error)) this.fence(error);
      else this.#environment.log.warn({ ...this.#place, err: error }, "a move failed; the log is opened again");
    }
    await this.#comeBack(0);
    this.#isHandingOver = false;
  }

  async #closeFailed(errorCode: ErrorCode, message: string): Promise<void> {
    const closed = this.#log.close(errorCode, message);
    this.advanced();
    await closed.catch((error: unknown) => {
      this.#environment.log.warn({ ...this.#place, err: error }, "the files of a failed log could not be closed");
    });
  }

  async #recover(): Promise<void> {
    await this.#closeFailed(ErrorCode.KAFKA_STORAGE_ERROR, "the partition's files failed");
    await this.#comeBack(REOPEN_DELAY_MS_MIN);
  }

  async #comeBack(firstDelayMs: number): Promise<void> {
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2 || REOPEN_DELAY_MS_MIN, REOPEN_DELAY_MS_MAX)) {
      if (delayMs > 0) await this.#wait(delayMs);
      if (this.#isClosed || this.#isFenced || (await this.#reopen())) return;
    }
  }

  async #reopen(): Promise<boolean> {
    try {
      const { epoch } = this.#log.core;
      const found = await openAtHome(this.id, this.#config, this.#places, this.#volume, { heldEpoch: epoch });
      const { log, volume } = found;
      log.core.config = this.#config;
      log.ownedBy(this);
      this.#log = log;
      this.#isHandingOver = false;
      this.#volume = volume;
      this.#environment.log.info({ ...this.#place, leaderEpoch: log.core.epoch }, "a log has been recovered");
      this.advanced();
      return true;
    } catch (error) {
      if (isFenced(error)) this.fence(error);
      else
        this.#environment.log.warn({ ...this.#place, err: error }, "a log could not be recovered; it is tried again");
      return false;
    }
  }

  #wait(delayMs: number): Promise<void> {
    if (this.#isClosed || this.#isFenced) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#environment.clock.schedule(delayMs, resolve);
      this.#stopWaiting = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

function isFenced(error: unknown): error is KaasError {
  return error instanceof KaasError && error.code === "KAAS_FENCED";
}
