import { KaasError } from "@kaas/core";
import { batch } from "@kaas/core/internal";
import type { SegmentRecord } from "../documents/document-types.js";
import type { FileHandle } from "../file-system/file-system.js";
import { AbortedIndex } from "../partition/aborted-index.js";
import { OffsetIndex } from "../partition/offset-index.js";
import { ProducerReplay } from "../partition/producer-replay.js";
import { Segment } from "../partition/segment.js";
import { TimeIndex } from "../partition/time-index.js";
import { scanSegment } from "./segment-scan.js";
import type { VolumeView } from "./volume-view.js";

/** The indexes that {@link rebuildIndex} makes. */
export type RebuiltKind = "index" | "timeindex" | "txnindex";

/**
 * Makes an index of a segment anew, with as many entries as the document in force says: a broker takes an index that
 * has another number for incomplete. Rejects when the segment's batches do not give that many.
 */
export async function rebuildIndex(
  view: VolumeView,
  directory: string,
  segments: readonly SegmentRecord[],
  record: SegmentRecord,
  kind: RebuiltKind,
): Promise<Buffer> {
  if (kind === "txnindex") return rebuildAborted(view, directory, segments, record);
  return kind === "index" ? rebuildOffsets(view, directory, record) : rebuildTimes(view, directory, record);
}

/** Any batch but the first may stand in it; they are chosen evenly. */
async function rebuildOffsets(view: VolumeView, directory: string, record: SegmentRecord): Promise<Buffer> {
  const index = new OffsetIndex();
  const wanted = record.indexEntries;
  const total = await countBatches(view, directory, record);
  const pick = evenly(total - 1, wanted, "batches to begin an entry with");
  await eachBatch(view, directory, record, (buffer, at, position) => {
    if (position > 0 && pick()) index.append(batch.lastOffset(buffer, at) - record.baseOffset, position);
  });
  return index.encode();
}

/** Any batch that raised the largest timestamp may stand in it; the last one of them has to. */
async function rebuildTimes(view: VolumeView, directory: string, record: SegmentRecord): Promise<Buffer> {
  const index = new TimeIndex();
  let steps = 0;
  await eachStep(view, directory, record, () => steps++);
  const pick = evenly(steps, record.timeIndexEntries, "rises of the largest timestamp");
  await eachStep(view, directory, record, (timestamp, offset) => {
    if (pick()) index.append(timestamp, offset - record.baseOffset);
  });
  return index.encode();
}

/** A transaction may have begun in any segment before the one that it ended in, so all up to that are read. */
async function rebuildAborted(
  view: VolumeView,
  directory: string,
  segments: readonly SegmentRecord[],
  record: SegmentRecord,
): Promise<Buffer> {
  const replay = new ProducerReplay(0);
  for (const segment of segments) {
    await eachBatch(view, directory, segment, (buffer, at) => replay.take(buffer, at));
    if (segment === record) break;
  }
  const index = replay.aborted.within(record.baseOffset, record.nextOffset);
  if (index.count !== record.abortedEntries) throw mismatch(record.abortedEntries, index.count, "aborted transactions");
  return AbortedIndex.of(index.entries()).encode();
}

/** Says of so many candidates, one after the other, which are picked: `wanted` of them, the last among them. */
function evenly(candidates: number, wanted: number, what: string): () => boolean {
  if (candidates < wanted) throw mismatch(wanted, candidates, what);
  let seen = 0;
  return () => {
    const before = Math.floor((seen * wanted) / candidates);
    seen++;
    return Math.floor((seen * wanted) / candidates) > before;
  };
}

function mismatch(wanted: number, found: number, what: string): KaasError {
  return new KaasError(
    "KAAS_VOLUME_INVALID",
    `the document in force says ${wanted} entries, and there are ${found} ${what}`,
  );
}

async function countBatches(view: VolumeView, directory: string, record: SegmentRecord): Promise<number> {
  let count = 0;
  await eachBatch(view, directory, record, () => count++);
  return count;
}

async function eachStep(
  view: VolumeView,
  directory: string,
  record: SegmentRecord,
  visit: (timestamp: number, offset: number) => void,
): Promise<void> {
  let largest = -1;
  await eachBatch(view, directory, record, (buffer, at) => {
    const timestamp = batch.recordCount(buffer, at) === 0 ? -1 : batch.maxTimestamp(buffer, at);
    if (timestamp <= largest) return;
    largest = timestamp;
    visit(timestamp, batch.lastOffset(buffer, at));
  });
}

async function eachBatch(
  view: VolumeView,
  directory: string,
  record: SegmentRecord,
  visit: (buffer: Buffer, at: number, position: number) => void,
): Promise<void> {
  const path = Segment.of(directory, record).path("log");
  const handle: FileHandle = await view.fileSystem.open(path, "read");
  try {
    await scanSegment(handle, 0, record.sizeBytes, {
      batch: ({ buffer, at, position }) => {
        visit(buffer, at, position);
        return true;
      },
      damage: (position) => {
        throw new KaasError("KAAS_VOLUME_INVALID", `${path} is damaged at byte ${position}`);
      },
      progress: () => undefined,
    });
  } finally {
    await handle.close();
  }
}
