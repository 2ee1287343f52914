import type { PartitionLog } from "@kaas/core";
import { type BatchOptions, batch, buildBatch, type RecordInput, readRecords } from "@kaas/core/internal";
import { Violation } from "./history.js";

const PADDING = Buffer.alloc(64 * 1024, ".");
const END_OF_NAME = ":".charCodeAt(0);

/** A batch as a client sends it. Every record has a name that no other has, and padding to the size wanted. */
export function batchOf(names: readonly string[], sizeBytes: number, timestamp: number, options: BatchOptions): Buffer {
  const padding = PADDING.subarray(0, Math.floor(sizeBytes / names.length));
  const records = names.map(
    (name): RecordInput => ({ key: null, value: Buffer.concat([Buffer.from(`${name}:`), padding]), timestamp }),
  );
  return buildBatch(records, options);
}

export interface NamedRecord {
  readonly offset: number;
  readonly value: string;
}

/** Reads on from an offset to the high watermark, or as far as one answer goes. Undefined when the log does not serve. */
export async function readFrom(
  log: PartitionLog,
  offset: number,
  maxBytes: number,
): Promise<readonly NamedRecord[] | undefined> {
  const { errorCode, records } = await log.read(offset, { maxBytes, minOneBatch: true, isolation: "read_uncommitted" });
  if (errorCode !== 0) return undefined;
  const found: NamedRecord[] = [];
  for (const buffer of records) {
    for (let at = 0; at < buffer.length; at += batch.batchSize(buffer, at)) {
      const reader = readRecords(buffer, at);
      while (reader.next()) {
        if (reader.offset >= offset) found.push({ offset: reader.offset, value: nameOf(reader.value) });
      }
    }
  }
  return found;
}

function nameOf(value: Buffer | null): string {
  const end = value?.indexOf(END_OF_NAME) ?? -1;
  if (value === null || end < 0) throw new Violation("a record holds what nobody sent");
  return value.toString("utf8", 0, end);
}
