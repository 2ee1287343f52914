import { batch } from "@kaas/core/internal";
import type { LogCore } from "../partition/log-core.js";
import type { Segment } from "../partition/segment.js";

/** What of a log may be compacted, and how much it is worth. */
export interface Cleanable {
  /** Ascending, from the log start on. */
  readonly segments: readonly Segment[];
  /** Keys below are known not to have changed since: they were looked at before. */
  readonly firstDirtyOffset: number;
  /** Where the first segment begins that has to be left alone. */
  readonly endOffset: number;
  /** Share of bytes that were never looked at; 0 to 1. */
  readonly dirtyRatio: number;
  /** Whether `max.compaction.lag.ms` asks for it, however little it is. */
  readonly isOverdue: boolean;
}

/** Undefined when nothing of the log waits to be compacted. `isFinished` tells closed segments that are durable. */
export async function findCleanable(
  core: LogCore,
  isFinished: (segment: Segment) => boolean,
  nowMs: number,
): Promise<Cleanable | undefined> {
  const { cleanedOffset, logStartOffset, highWatermark } = core;
  const firstDirtyOffset = cleanedOffset > highWatermark ? logStartOffset : Math.max(cleanedOffset, logStartOffset);
  const { segments, endOffset } = cleanableSegments(core, firstDirtyOffset, isFinished, nowMs);
  if (segments.length === 0 || endOffset <= firstDirtyOffset) return undefined;
  let totalBytes = 0;
  let dirtyBytes = 0;
  for (const segment of segments) {
    totalBytes += segment.sizeBytes;
    if (segment.nextOffset > firstDirtyOffset) dirtyBytes += segment.sizeBytes;
  }
  if (dirtyBytes === 0) return undefined;
  const isOverdue = await hasWaitedTooLong(core, segments, firstDirtyOffset, nowMs);
  return { segments, firstDirtyOffset, endOffset, dirtyRatio: dirtyBytes / totalBytes, isOverdue };
}

/** Whether a log is to be compacted now. */
export function isWorthIt({ dirtyRatio, isOverdue }: Cleanable, { config }: LogCore): boolean {
  return isOverdue || dirtyRatio > config.minCleanableDirtyRatio;
}

/**
 * Closed segments below everything that must not be touched: the active segment, transactions that have not ended, and
 * records that are younger than `min.compaction.lag.ms`.
 */
function cleanableSegments(
  core: LogCore,
  firstDirtyOffset: number,
  isFinished: (segment: Segment) => boolean,
  nowMs: number,
): { segments: Segment[]; endOffset: number } {
  const { active, lastStableOffset, logStartOffset, config } = core;
  const youngestMs = nowMs - config.minCompactionLagMs;
  const segments: Segment[] = [];
  for (const segment of core.segments) {
    const isDirty = segment.nextOffset > firstDirtyOffset;
    const isTooYoung = isDirty && config.minCompactionLagMs > 0 && segment.largestTimestamp > youngestMs;
    const isClosed = segment !== active?.segment && isFinished(segment);
    if (!isClosed || segment.nextOffset > lastStableOffset || isTooYoung) {
      return { segments, endOffset: segment.baseOffset };
    }
    if (segment.nextOffset > logStartOffset) segments.push(segment);
  }
  return { segments, endOffset: segments.at(-1)?.nextOffset ?? firstDirtyOffset };
}

/** By the time of the first batch of each segment, as Apache Kafka measures it. */
async function hasWaitedTooLong(
  core: LogCore,
  segments: readonly Segment[],
  firstDirtyOffset: number,
  nowMs: number,
): Promise<boolean> {
  const untilMs = nowMs - core.config.maxCompactionLagMs;
  if (untilMs <= 0) return false;
  for (const segment of segments) {
    if (segment.nextOffset <= firstDirtyOffset) continue;
    const firstMs = await firstTimestampOf(core, segment);
    if (firstMs > 0 && firstMs < untilMs) return true;
  }
  return false;
}

const firstTimestamps = new WeakMap<Segment, number>();

async function firstTimestampOf({ environment }: LogCore, segment: Segment): Promise<number> {
  const known = firstTimestamps.get(segment);
  if (known !== undefined) return known;
  const handle = await environment.fileSystem.open(segment.path("log"), "read");
  try {
    const header = Buffer.alloc(batch.BATCH_HEADER_BYTES);
    await handle.read(header, 0);
    const timestamp = batch.maxTimestamp(header, 0);
    firstTimestamps.set(segment, timestamp);
    return timestamp;
  } finally {
    await handle.close();
  }
}
