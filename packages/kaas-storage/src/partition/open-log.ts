import { ErrorCode, type LogConfig, type PartitionId } from "@kaas/core";
import { LogCompaction } from "../compaction/log-compaction.js";
import { Appender } from "./appender.js";
import { Committer } from "./committer.js";
import { LogCore, type RecoveredLog } from "./log-core.js";
import type { LogEnvironment } from "./log-environment.js";
import { LogMaintenance } from "./log-maintenance.js";
import { LogReader } from "./log-reader.js";
import { LogTasks } from "./log-tasks.js";
import type { Recovery } from "./recovery.js";
import { RecoveryCheckpoint } from "./recovery-checkpoint.js";
import type { LogState } from "../documents/document-types.js";

/** What an open log tells its owner. */
export interface OpenLogEvents {
  /** The high watermark or the log start moved. */
  advanced(): void;
  /** A write or an fsync failed. The log has stopped; its files must be closed, and recovered at a new epoch. */
  failed(error: unknown): void;
}

/** A log at one epoch, from the claim to the hand-over, or to the first failure of its files. */
export class OpenLog {
  readonly core: LogCore;
  readonly appender: Appender;
  readonly reader: LogReader;
  readonly committer: Committer;
  readonly tasks: LogTasks;
  readonly checkpoint: RecoveryCheckpoint;
  readonly maintenance: LogMaintenance;
  readonly compaction: LogCompaction;

  #owner: OpenLogEvents | undefined;
  #closing: Promise<void> | undefined;

  private constructor(id: PartitionId, config: LogConfig, environment: LogEnvironment, recovered: RecoveredLog) {
    const core = new LogCore(id, config, environment, recovered, () => this.#owner?.advanced());
    this.core = core;
    this.committer = new Committer(core, {
      segmentClosed: (active, isSynced) => this.maintenance.segmentClosed(active, isSynced),
      synced: (active, sizeBytes) => this.checkpoint.synced(active, sizeBytes),
      failed: (error) => this.#owner?.failed(error),
    });
    this.tasks = new LogTasks(core);
    this.checkpoint = new RecoveryCheckpoint(core, this.tasks);
    this.maintenance = new LogMaintenance(core, this.committer, this.tasks, (error) => this.#owner?.failed(error));
    this.compaction = new LogCompaction(core, this.tasks, this.maintenance);
    this.appender = new Appender(core, this.committer);
    this.reader = new LogReader(core);
  }

  /** Serves what has been recovered, and tidies up behind that. */
  static of(id: PartitionId, config: LogConfig, environment: LogEnvironment, recovery: Recovery): OpenLog {
    const log = new OpenLog(id, config, environment, recovery.log);
    log.tasks.runInBackground("tidying up after recovery", () => recovery.tidyUp());
    return log;
  }

  /** Whoever opened the log is told what becomes of it. */
  ownedBy(owner: OpenLogEvents): void {
    this.#owner = owner;
  }

  /**
   * Hands over: takes nothing more, brings everything to the disk, says so there, closes. Resolves with what was said;
   * undefined when it came to nothing.
   */
  async release(): Promise<LogState | undefined> {
    this.core.health = ErrorCode.NOT_LEADER_OR_FOLLOWER;
    await Promise.all([this.compaction.close(), this.committer.drained()]);
    // What failed or lost its fuse meanwhile has nothing to hand over.
    if (this.#closing !== undefined) {
      await this.#closing;
      return undefined;
    }
    try {
      return await this.maintenance.release();
    } finally {
      await this.close(ErrorCode.NOT_LEADER_OR_FOLLOWER, "the partition has been handed over");
    }
  }

  /** Writes nothing more, answers what waits with an error, and closes the files once they are at rest. */
  close(errorCode: ErrorCode, message: string): Promise<void> {
    this.core.health = errorCode;
    this.#closing ??= this.#close(errorCode, message);
    return this.#closing;
  }

  async #close(errorCode: ErrorCode, message: string): Promise<void> {
    const { core } = this;
    const stopped = this.committer.stop(errorCode, message);
    core.tail.clear();
    await Promise.all([this.compaction.close(), stopped]);
    await this.tasks.close();
    await this.maintenance.close();
    const { active } = core;
    core.active = undefined;
    if (active !== undefined) {
      await active.closeForWriting();
      await active.access.release();
    }
    for (const segment of core.segments) await core.environment.segmentCache.evict(segment);
  }
}
