import type { PartitionLog } from "@kaas/core";
import { batch, type BatchOptions, buildBatch, deleteHorizonMs, loadCodec, readRecords } from "@kaas/core/internal";

/** A key, a value (null for a tombstone), and a time. */
export type Keyed = readonly [key: string | null, value: string | null, timestamp?: number];

const TIME = 1_700_000_000_000;

/** A batch of records with keys. */
export function keyed(records: readonly Keyed[], options: BatchOptions = {}): Buffer {
  return buildBatch(
    records.map(([key, value, timestamp = TIME]) => ({
      key: key === null ? null : Buffer.from(key),
      value: value === null ? null : Buffer.from(value),
      timestamp,
    })),
    options,
  );
}

export interface KeyedRecord {
  readonly offset: number;
  readonly key: string;
  readonly value: string | null;
  readonly timestamp: number;
}

/** What the header of a batch says. */
export interface BatchSummary {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly count: number;
  readonly isControl: boolean;
  readonly producerId: number;
  readonly compression: number;
  readonly deleteHorizonMs: number | undefined;
}

export interface LogContent {
  readonly records: KeyedRecord[];
  readonly batches: BatchSummary[];
}

/** Everything that a consumer gets who reads on to the end; as read_committed, without the records it has to skip. */
export async function contentOf(
  log: PartitionLog,
  isolation: "read_uncommitted" | "read_committed" = "read_uncommitted",
  from: number = log.logStartOffset,
): Promise<LogContent> {
  const content: LogContent = { records: [], batches: [] };
  const endOffset = isolation === "read_committed" ? log.lastStableOffset : log.highWatermark;
  for (let offset = from; offset < endOffset; ) {
    const result = await log.read(offset, { maxBytes: 10_000, minOneBatch: true, isolation });
    if (result.errorCode !== 0) throw new Error(`reading at ${offset} failed with ${result.errorCode}`);
    if (result.records.length === 0) throw new Error(`nothing to read at ${offset}, below ${endOffset}`);
    const skipped = new AbortedSkipper(result.abortedTransactions ?? []);
    for (const buffer of result.records) {
      for (let at = 0; at < buffer.length; at += batch.batchSize(buffer, at)) {
        await take(buffer, at, offset, content, skipped);
      }
    }
    const last = content.batches.at(-1) as BatchSummary;
    if (last.lastOffset < offset) throw new Error(`reading at ${offset} gives batches that end before`);
    offset = last.lastOffset + 1;
  }
  return content;
}

async function take(
  buffer: Buffer,
  at: number,
  from: number,
  content: LogContent,
  skipped: AbortedSkipper,
): Promise<void> {
  content.batches.push({
    baseOffset: batch.baseOffset(buffer, at),
    lastOffset: batch.lastOffset(buffer, at),
    count: batch.recordCount(buffer, at),
    isControl: batch.isControl(buffer, at),
    producerId: batch.producerId(buffer, at),
    compression: batch.compression(buffer, at),
    deleteHorizonMs: deleteHorizonMs(buffer, at),
  });
  if (skipped.isSkipped(buffer, at) || batch.isControl(buffer, at)) return;
  await loadCodec(batch.compression(buffer, at));
  const record = readRecords(buffer, at);
  while (record.next()) {
    if (record.offset < from) continue;
    const { offset, timestamp } = record;
    const key = record.key?.toString() ?? "";
    content.records.push({ offset, key, value: record.value?.toString() ?? null, timestamp });
  }
}

/** Skips as consumers do: from where an aborted transaction begins up to its producer's next marker. */
class AbortedSkipper {
  readonly #aborted: { readonly producerId: number; readonly firstOffset: number }[];
  readonly #producers = new Set<number>();

  constructor(aborted: readonly { readonly producerId: number; readonly firstOffset: number }[]) {
    this.#aborted = [...aborted];
  }

  isSkipped(buffer: Buffer, at: number): boolean {
    for (let next = this.#aborted[0]; next !== undefined; next = this.#aborted[0]) {
      if (next.firstOffset > batch.lastOffset(buffer, at)) break;
      this.#producers.add(next.producerId);
      this.#aborted.shift();
    }
    const producerId = batch.producerId(buffer, at);
    if (batch.isControl(buffer, at)) this.#producers.delete(producerId);
    return batch.isTransactional(buffer, at) && this.#producers.has(producerId);
  }
}
