import { type AppendResult, ErrorCode, type LogConfig, type PartitionId } from "@kaas/core";
import type { SavedProducers } from "../documents/document-types.js";
import { AbortedTransactions } from "./aborted-transactions.js";
import type { ActiveSegment } from "./active-segment.js";
import type { EpochTable } from "./epoch-table.js";
import type { LogEnvironment } from "./log-environment.js";
import type { OpenTransactions } from "./open-transactions.js";
import type { ProducerStates } from "./producer-states.js";
import type { Segment } from "./segment.js";
import { LogTail } from "./tail-cache.js";
import { TransactionGuards } from "./transaction-guards.js";

const NO_RECORD_ERRORS: AppendResult["recordErrors"] = [];

/** What recovery found, and what a log starts from. */
export interface RecoveredLog {
  readonly epoch: number;
  readonly directory: string;
  readonly logStartOffset: number;
  readonly endOffset: number;
  readonly segments: Segment[];
  readonly cleanedOffset: number;
  readonly epochs: EpochTable;
  readonly producers: ProducerStates;
  readonly transactions: OpenTransactions;
  readonly savedProducers: SavedProducers;
  /** Whether the producers changed since they were saved. */
  readonly hasUnsavedProducers: boolean;
}

/** The state of one log at one epoch, shared by the parts that append, commit, read and maintain it. */
export class LogCore {
  readonly id: PartitionId;
  readonly environment: LogEnvironment;
  readonly epoch: number;
  readonly directory: string;
  config: LogConfig;
  /** `NONE` while the log serves. */
  health: ErrorCode = ErrorCode.NONE;
  logStartOffset: number;
  /** Everything below is durable, or as durable as `flush.messages` asks for. */
  highWatermark: number;
  /** Where the next append goes. */
  logEndOffset: number;
  /** How much of the active segment lies below the high watermark. */
  visibleBytes = 0;
  /** Compaction has looked at the keys of everything below. */
  cleanedOffset: number;
  /** All segments in force, ascending; the active one last. */
  readonly segments: Segment[];
  active: ActiveSegment | undefined;
  readonly epochs: EpochTable;
  readonly producers: ProducerStates;
  /** What keeps the last stable offset back. */
  readonly transactions: OpenTransactions;
  readonly aborted: AbortedTransactions;
  readonly guards: TransactionGuards = new TransactionGuards();
  savedProducers: SavedProducers;
  hasUnsavedProducers: boolean;
  readonly tail: LogTail;
  /** Called after the high watermark or the log start moved. */
  readonly advanced: () => void;
  #generation = 0;

  constructor(
    id: PartitionId,
    config: LogConfig,
    environment: LogEnvironment,
    recovered: RecoveredLog,
    advanced: () => void,
  ) {
    this.id = id;
    this.config = config;
    this.environment = environment;
    this.epoch = recovered.epoch;
    this.directory = recovered.directory;
    this.logStartOffset = recovered.logStartOffset;
    this.highWatermark = recovered.endOffset;
    this.logEndOffset = recovered.endOffset;
    this.segments = recovered.segments;
    this.cleanedOffset = recovered.cleanedOffset;
    this.epochs = recovered.epochs;
    this.producers = recovered.producers;
    this.transactions = recovered.transactions;
    this.aborted = new AbortedTransactions(this);
    this.savedProducers = recovered.savedProducers;
    this.hasUnsavedProducers = recovered.hasUnsavedProducers;
    this.tail = new LogTail(environment.tailCache);
    this.advanced = advanced;
  }

  /** Everything below is visible and belongs to no transaction that is open, or whose end is not visible. */
  get lastStableOffset(): number {
    const { highWatermark, logStartOffset } = this;
    const unstable = this.transactions.firstUnstable(highWatermark);
    return unstable === undefined ? highWatermark : Math.min(highWatermark, Math.max(unstable, logStartOffset));
  }

  /** Bytes of record data on disk. */
  get sizeBytes(): number {
    let total = 0;
    for (const segment of this.segments) total += segment.sizeBytes;
    return total;
  }

  /** How much of a segment readers may see. */
  visibleBytesOf(segment: Segment): number {
    return segment === this.active?.segment ? this.visibleBytes : segment.sizeBytes;
  }

  /** For the name of the next segment that compaction writes, or a move copies: no other of this epoch has it. */
  nextGeneration(): number {
    return ++this.#generation;
  }

  refusal(errorCode: ErrorCode, errorMessage: string | null): AppendResult {
    return {
      errorCode,
      baseOffset: -1,
      logAppendTimeMs: -1,
      logStartOffset: this.logStartOffset,
      recordErrors: NO_RECORD_ERRORS,
      errorMessage,
    };
  }

  accepted(baseOffset: number, logAppendTimeMs: number): AppendResult {
    return {
      errorCode: ErrorCode.NONE,
      baseOffset,
      logAppendTimeMs,
      logStartOffset: this.logStartOffset,
      recordErrors: NO_RECORD_ERRORS,
      errorMessage: null,
    };
  }
}
