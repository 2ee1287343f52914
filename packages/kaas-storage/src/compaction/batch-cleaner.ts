import type { LogConfig } from "@kaas/core";
import {
  batch,
  deleteHorizonMs,
  emptiedBatch,
  readRecordsInPool,
  type RecordReader,
  retainedBatch,
} from "@kaas/core/internal";
import type { LastRecord } from "../partition/producer-states.js";
import { RECORDS_A_LOOK } from "./map-keys.js";
import type { OffsetMap } from "./offset-map.js";
import type { Pace } from "./pace.js";
import type { TransactionFilter } from "./transaction-filter.js";

/** By what a log is cleaned. */
export interface CleaningRules {
  /** The last offset of each key that has a record in what was looked at, below {@link mappedTo}. */
  readonly map: OffsetMap;
  readonly mappedTo: number;
  /** Where what is cleaned ends. */
  readonly endOffset: number;
  readonly filter: TransactionFilter;
  /** What producers wrote last, by their ids. */
  readonly lastRecords: ReadonlyMap<number, LastRecord>;
  readonly nowMs: number;
  readonly deleteRetentionMs: number;
  readonly compressionLevels: LogConfig["compressionLevels"];
}

/** Records that stay, as they lie in the batch. */
interface Selection {
  readonly records: Buffer;
  readonly count: number;
  readonly maxTimestamp: number;
  readonly hasTombstone: boolean;
}

/** The second pass: says of each batch, in order, what stays of it. */
export class BatchCleaner {
  readonly #rules: CleaningRules;
  readonly #pace: Pace;

  constructor(rules: CleaningRules, pace: Pace) {
    this.#rules = rules;
    this.#pace = pace;
  }

  /** What takes the place of the batch; "same" when it stays as it is, undefined when nothing of it does. */
  async clean(buffer: Buffer, start: number): Promise<Buffer | "same" | undefined> {
    const { filter, nowMs, deleteRetentionMs } = this.#rules;
    const isNeedless = filter.isNeedless(buffer, start);
    const isControl = batch.isControl(buffer, start);
    const horizonMs = deleteHorizonMs(buffer, start);
    // A marker stays as long as a tombstone would: readers that are behind have to meet it.
    const goes = isNeedless && (!isControl || (horizonMs !== undefined && horizonMs <= nowMs));
    const recordCount = batch.recordCount(buffer, start);
    if (goes || recordCount === 0) return this.#empty(buffer, start, recordCount);
    if (!isControl && batch.baseOffset(buffer, start) >= this.#rules.mappedTo) return "same";
    const selection = isControl ? undefined : await this.#select(buffer, start, horizonMs);
    if (selection?.count === 0) return this.#empty(buffer, start, recordCount);
    const setsHorizon = horizonMs === undefined && (selection?.hasTombstone ?? isNeedless);
    if (!setsHorizon && (selection === undefined || selection.count === recordCount)) return "same";
    const deleteAtMs = setsHorizon ? nowMs + deleteRetentionMs : undefined;
    const retained = { ...(selection ?? wholeControlBatch(buffer, start)), deleteHorizonMs: deleteAtMs };
    return retainedBatch(buffer, start, retained, this.#rules.compressionLevels);
  }

  /** What becomes of a batch without records. */
  #empty(buffer: Buffer, start: number, recordCount: number): Buffer | "same" | undefined {
    if (!this.#mustStay(buffer, start)) return undefined;
    return recordCount === 0 ? "same" : emptiedBatch(buffer, start);
  }

  /**
   * A batch stays without records where its header is needed: by its producer, whose last sequence number or epoch it
   * has, and by readers at the end of what was cleaned, who would find nothing there and wait for ever.
   */
  #mustStay(buffer: Buffer, start: number): boolean {
    const { mappedTo, endOffset, lastRecords } = this.#rules;
    const nextOffset = batch.lastOffset(buffer, start) + 1;
    if (nextOffset === mappedTo || nextOffset === endOffset) return true;
    const last = lastRecords.get(batch.producerId(buffer, start));
    if (last === undefined) return false;
    if (last.lastDataOffset !== undefined) return nextOffset - 1 === last.lastDataOffset;
    return batch.isControl(buffer, start) && batch.producerEpoch(buffer, start) === last.producerEpoch;
  }

  async #select(buffer: Buffer, start: number, horizonMs: number | undefined): Promise<Selection> {
    const record = await readRecordsInPool(buffer, start);
    const runs: Buffer[] = [];
    let runStart = -1;
    let count = 0;
    let maxTimestamp = Number.NEGATIVE_INFINITY;
    let hasTombstone = false;
    for (let looked = 1; record.next(); looked++) {
      if (looked % RECORDS_A_LOOK === 0 && this.#pace.isDue) await this.#pace.breathe();
      if (this.#keeps(record, horizonMs)) {
        if (runStart < 0) runStart = record.start;
        count++;
        maxTimestamp = Math.max(maxTimestamp, record.timestamp);
        hasTombstone ||= !record.hasValue;
      } else if (runStart >= 0) {
        runs.push(record.buffer.subarray(runStart, record.start));
        runStart = -1;
      }
    }
    if (runStart >= 0) runs.push(record.buffer.subarray(runStart, record.end));
    const [first] = runs;
    const records = runs.length === 1 && first !== undefined ? first : Buffer.concat(runs);
    return { records, count, maxTimestamp, hasTombstone };
  }

  #keeps(record: RecordReader, horizonMs: number | undefined): boolean {
    const { map, mappedTo, nowMs } = this.#rules;
    if (record.offset >= mappedTo) return true;
    const { key } = record;
    // Such a record can only be from before the topic was compacted.
    if (key === null || record.offset < map.get(key)) return false;
    return record.hasValue || horizonMs === undefined || horizonMs > nowMs;
  }
}

function wholeControlBatch(buffer: Buffer, start: number): { records: Buffer; count: number; maxTimestamp: number } {
  const records = buffer.subarray(start + batch.BATCH_HEADER_BYTES, start + batch.batchSize(buffer, start));
  const count = batch.recordCount(buffer, start);
  return { records, count, maxTimestamp: batch.maxTimestamp(buffer, start) };
}
