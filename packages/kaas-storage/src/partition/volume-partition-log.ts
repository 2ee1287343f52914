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
import type { Stallable } from "../leadership/stall-watch.js";
import type { LogEnvironment } from "./log-environment.js";
import { OpenLog, type OpenLogEvents } from "./open-log.js";
import { findByTimestamp, findMaxTimestamp } from "./timestamp-lookup.js";

const REOPEN_DELAY_MS_MIN = 100;
const REOPEN_DELAY_MS_MAX = 10_000;

/**
 * A partition's log for as long as this broker leads the partition. When its files fail it answers
 * `KAFKA_STORAGE_ERROR`, and is recovered at a new epoch in the background, again and again until that succeeds.
 */
export class VolumePartitionLog implements PartitionLog, OpenLogEvents, CompactableLog, Stallable {
  readonly id: PartitionId;
  readonly #directory: string;
  readonly #environment: LogEnvironment;
  readonly #listeners = new Set<LogListener>();
  #config: LogConfig;
  #log: OpenLog;
  /** Handed over or abandoned: it does not come back. */
  #isClosed = false;
  #isFenced = false;
  #removal: { failure: unknown } | undefined;
  #recovering: Promise<void> | undefined;
  #stopWaiting: () => void = () => undefined;

  private constructor(
    id: PartitionId,
    directory: string,
    config: LogConfig,
    environment: LogEnvironment,
    log: OpenLog,
  ) {
    this.id = id;
    this.#directory = directory;
    this.#config = config;
    this.#environment = environment;
    this.#log = log;
    log.ownedBy(this);
  }

  static async open(
    id: PartitionId,
    directory: string,
    config: LogConfig,
    environment: LogEnvironment,
    unwanted?: AbortSignal,
  ): Promise<VolumePartitionLog> {
    const log = await OpenLog.open(id, directory, config, environment, undefined, unwanted);
    return new VolumePartitionLog(id, directory, config, environment, log);
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
    return this.#log.core.health;
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

  get isEnding(): boolean {
    return this.#isClosed || this.#removal !== undefined || this.health !== ErrorCode.NONE;
  }

  async enforceRetention(): Promise<void> {
    if (this.health === ErrorCode.NONE) await this.#log.maintenance.enforceRetention();
  }

  checkpoint(): void {
    if (this.health === ErrorCode.NONE) this.#log.maintenance.checkpoint();
  }

  /** Forgets producers that have not appended since. */
  expireProducers(sinceMs: number): void {
    this.#log.core.producers.expire(sinceMs);
    this.#log.core.guards.expire(sinceMs);
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
    if (isFenced(error)) {
      this.fence(error);
      return;
    }
    if (this.#isFenced) return;
    this.#environment.log.error({ ...this.#place, err: error }, "a log's files failed; it is recovered at a new epoch");
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
    this.#recovering = (this.#recovering ?? Promise.resolve())
      .then(() => this.#closeFailed(ErrorCode.NOT_LEADER_OR_FOLLOWER, error.message))
      .finally(() => {
        this.#recovering = undefined;
      });
  }

  /** The files are about to go: their failing is no failure until it turns out that they stay. */
  expectRemoval(): void {
    this.#removal = { failure: undefined };
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
    await this.#finishRecovering();
    await this.#log.close(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "the topic has been deleted");
    this.advanced();
  }

  get #place(): { readonly topic: string; readonly partition: number } {
    return { topic: this.id.topic, partition: this.id.partition };
  }

  async #finishRecovering(): Promise<void> {
    this.#isClosed = true;
    this.#stopWaiting();
    await this.#recovering;
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
    for (let delayMs = REOPEN_DELAY_MS_MIN; ; delayMs = Math.min(delayMs * 2, REOPEN_DELAY_MS_MAX)) {
      await this.#wait(delayMs);
      if (this.#isClosed || this.#isFenced || (await this.#reopen())) return;
    }
  }

  async #reopen(): Promise<boolean> {
    try {
      const { epoch } = this.#log.core;
      const log = await OpenLog.open(this.id, this.#directory, this.#config, this.#environment, epoch);
      log.core.config = this.#config;
      log.ownedBy(this);
      this.#log = log;
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
