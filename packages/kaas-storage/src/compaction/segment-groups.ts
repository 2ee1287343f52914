import type { Segment } from "../partition/segment.js";

const RELATIVE_OFFSET_MAX = 0x7fff_ffff;
const INDEX_ENTRY_BYTES = 8;

/** What one segment may hold. */
export interface SegmentLimits {
  readonly segmentBytes: number;
  readonly segmentIndexBytes: number;
}

/** Neighbours that fit into one segment together, even if nothing of them goes. */
export function groupSegments(segments: readonly Segment[], limits: SegmentLimits): Segment[][] {
  const groups: Segment[][] = [];
  let group: Segment[] = [];
  let sizeBytes = 0;
  let indexBytes = 0;
  for (const segment of segments) {
    const segmentIndexBytes = Math.max(0, segment.indexEntries) * INDEX_ENTRY_BYTES;
    const span = segment.nextOffset - 1 - (group[0]?.baseOffset ?? segment.baseOffset);
    const fits =
      sizeBytes + segment.sizeBytes <= limits.segmentBytes &&
      indexBytes + segmentIndexBytes <= limits.segmentIndexBytes &&
      span <= RELATIVE_OFFSET_MAX;
    if (group.length > 0 && !fits) {
      groups.push(group);
      group = [];
      sizeBytes = 0;
      indexBytes = 0;
    }
    group.push(segment);
    sizeBytes += segment.sizeBytes;
    indexBytes += segmentIndexBytes;
  }
  if (group.length > 0) groups.push(group);
  return groups;
}
