import { batch } from "@kaas/core/internal";
import type { FileHandle } from "../file-system/file-system.js";
import { BatchScanner, findSoundBatch } from "./batch-scanner.js";

/** What is known of the batches that were gone through. Sums, so that they can be added up. */
export interface BatchTotals {
  batches: number;
  records: number;
  bytes: number;
  /** −1: no batch has a producer. */
  largestProducerId: number;
}

export function noBatches(): BatchTotals {
  return { batches: 0, records: 0, bytes: 0, largestProducerId: -1 };
}

export function addTotals(to: BatchTotals, more: BatchTotals): void {
  to.batches += more.batches;
  to.records += more.records;
  to.bytes += more.bytes;
  to.largestProducerId = Math.max(to.largestProducerId, more.largestProducerId);
}

/** What {@link scanSegment} tells. */
export interface SegmentScanEvents {
  /** A whole batch with a valid checksum. False ends the scan behind it. */
  batch(scanner: BatchScanner): boolean;
  /** From this byte on there is none, up to `resumesAt`, where the next valid one begins; −1 when none does. */
  damage(position: number, reason: string, resumesAt: number): void;
  /** So many more bytes were gone through. */
  progress(bytes: number): void;
}

/** Goes through all batches in a range of a file, over damaged ones as well. */
export async function scanSegment(
  handle: FileHandle,
  from: number,
  to: number,
  events: SegmentScanEvents,
): Promise<void> {
  let scanner = new BatchScanner(handle, from, to);
  let reported = from;
  let offsetMin = 0;
  for (;;) {
    const step = scanner.next();
    if (step === "more") {
      events.progress(scanner.position - reported);
      reported = scanner.position;
      await scanner.fill();
    } else if (step === "end") {
      break;
    } else if (step === "batch" && scanner.isSound()) {
      if (!events.batch(scanner)) break;
      offsetMin = batch.lastOffset(scanner.buffer, scanner.at) + 1;
    } else {
      const { position } = scanner;
      const reason = step === "batch" ? "its checksum does not match" : "no record batch begins there";
      const resumesAt = await findSoundBatch(handle, position + 1, to, offsetMin);
      events.damage(position, reason, resumesAt);
      if (resumesAt < 0) break;
      scanner = new BatchScanner(handle, resumesAt, to);
    }
  }
  events.progress(to - reported);
}

/** Adds a batch to the sums. */
export function countBatch(totals: BatchTotals, { buffer, at, size }: BatchScanner): void {
  totals.batches++;
  totals.records += batch.recordCount(buffer, at);
  totals.bytes += size;
  totals.largestProducerId = Math.max(totals.largestProducerId, batch.producerId(buffer, at));
}
