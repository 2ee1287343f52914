/** Look-up of records by time. Off the hot path: it decodes the one batch that holds the record. */
import type { TimestampOffset } from "@kaas/core";
import { batch, findTimestamp, loadCodec } from "@kaas/core/internal";
import { errnoOf, type FileHandle, isErrno } from "../file-system/file-system.js";
import { storageFailure } from "../file-system/storage-failure.js";
import { walkBatches } from "./batch-walk.js";
import type { LogCore } from "./log-core.js";
import type { Segment } from "./segment.js";
import type { SegmentAccess } from "./segment-cache.js";
import { readTimeIndex, rebuildIndexes } from "./segment-indexes.js";
import type { TimeIndex } from "./time-index.js";

/** The first record at or after a time, of those between the log start and the high watermark. */
export function findByTimestamp(core: LogCore, timestamp: number): Promise<TimestampOffset | undefined> {
  return searching(core, (segments) => findIn(core, segments, timestamp));
}

/** The first record that has the largest timestamp. */
export function findMaxTimestamp(core: LogCore): Promise<TimestampOffset | undefined> {
  return searching(core, (segments) => findMaxIn(core, segments));
}

/** A search waits for files, and those that it means to go to may be replaced and removed meanwhile. */
async function searching<Result>(
  core: LogCore,
  search: (segments: readonly Segment[]) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const segments = [...core.segments];
    try {
      return await search(segments);
    } catch (error) {
      const isAsItWas = segments.every((segment) => core.segments.includes(segment));
      if (!isAsItWas && isErrno(error, "ENOENT")) continue;
      if (errnoOf(error) === undefined) throw error;
      throw storageFailure(`${core.directory} could not be searched by time`, error);
    }
  }
}

async function findIn(
  core: LogCore,
  segments: readonly Segment[],
  timestamp: number,
): Promise<TimestampOffset | undefined> {
  for (const segment of segments) {
    if (segment.maxTimestamp < timestamp || segment.nextOffset <= core.logStartOffset) continue;
    const found = await withAccess(core, segment, async (access) => {
      const times = await timesOf(core, segment, access);
      const from = Math.max(segment.baseOffset + times.startFor(timestamp), core.logStartOffset);
      return findInSegment(core, segment, access, from, timestamp);
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

async function findMaxIn(core: LogCore, segments: readonly Segment[]): Promise<TimestampOffset | undefined> {
  let best: { segment: Segment; timestamp: number } | undefined;
  for (const segment of segments) {
    if (segment.nextOffset <= core.logStartOffset) continue;
    const isCut = segment.maxTimestampOffset < core.logStartOffset;
    const timestamp = isCut ? await maxTimestampFrom(core, segment, core.logStartOffset) : segment.maxTimestamp;
    if (timestamp >= 0 && (best === undefined || timestamp > best.timestamp)) best = { segment, timestamp };
  }
  if (best === undefined) return undefined;
  const { segment, timestamp } = best;
  return withAccess(core, segment, async (access) => {
    const times = await timesOf(core, segment, access);
    const from = Math.max(segment.baseOffset + times.startFor(timestamp), core.logStartOffset);
    return findInSegment(core, segment, access, from, timestamp);
  });
}

/** The log start lies within the segment, and its largest timestamp below it: what is the largest above? */
async function maxTimestampFrom(core: LogCore, segment: Segment, offset: number): Promise<number> {
  let largest = -1;
  await withAccess(core, segment, (access) =>
    walkBatches(access.handle, {
      from: access.offsets.positionFor(offset - segment.baseOffset),
      to: core.visibleBytesOf(segment),
      offset: segment.baseOffset,
      verifyFrom: Number.POSITIVE_INFINITY,
      visit(buffer, start) {
        if (batch.lastOffset(buffer, start) >= offset) largest = Math.max(largest, batch.maxTimestamp(buffer, start));
        return true;
      },
    }),
  );
  return largest;
}

async function findInSegment(
  core: LogCore,
  segment: Segment,
  access: SegmentAccess,
  fromOffset: number,
  timestamp: number,
): Promise<TimestampOffset | undefined> {
  let from = access.offsets.positionFor(fromOffset - segment.baseOffset);
  const to = core.visibleBytesOf(segment);
  // A batch's largest timestamp may belong to a record below the log start; then the search goes on behind it.
  for (;;) {
    const place = await firstBatchSince(access.handle, segment, from, to, fromOffset, timestamp);
    if (place === undefined) return undefined;
    const bytes = Buffer.allocUnsafeSlow(place.size);
    await access.handle.read(bytes, place.position);
    await loadCodec(batch.compression(bytes, 0));
    const found = findTimestamp(bytes, 0, timestamp, core.logStartOffset);
    if (found !== undefined) return { ...found, leaderEpoch: batch.leaderEpoch(bytes, 0) };
    from = place.position + place.size;
  }
}

async function firstBatchSince(
  handle: FileHandle,
  segment: Segment,
  from: number,
  to: number,
  fromOffset: number,
  timestamp: number,
): Promise<{ position: number; size: number } | undefined> {
  let place: { position: number; size: number } | undefined;
  await walkBatches(handle, {
    from,
    to,
    offset: segment.baseOffset,
    verifyFrom: Number.POSITIVE_INFINITY,
    visit(buffer, start, position) {
      if (batch.lastOffset(buffer, start) < fromOffset || batch.maxTimestamp(buffer, start) < timestamp) return true;
      place = { position, size: batch.batchSize(buffer, start) };
      return false;
    },
  });
  return place;
}

async function timesOf(core: LogCore, segment: Segment, access: SegmentAccess): Promise<TimeIndex> {
  const { active, config, environment } = core;
  if (segment === active?.segment) return active.indexes.times;
  const known = await readTimeIndex(environment.fileSystem, segment);
  return known ?? (await rebuildIndexes(access.handle, segment, config.indexIntervalBytes)).times;
}

async function withAccess<Result>(
  core: LogCore,
  segment: Segment,
  work: (access: SegmentAccess) => Promise<Result>,
): Promise<Result> {
  const access = await accessTo(core, segment);
  try {
    return await work(access);
  } finally {
    await access.release();
  }
}

async function accessTo(core: LogCore, segment: Segment): Promise<SegmentAccess> {
  const { active, environment, config } = core;
  if (segment !== active?.segment) return environment.segmentCache.acquire(segment, config.indexIntervalBytes);
  active.access.retain();
  return active.access;
}
