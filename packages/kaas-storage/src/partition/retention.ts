import type { LogCore } from "./log-core.js";
import type { Segment } from "./segment.js";

/** The segments all of whose records are below the log start. */
export function segmentsBelowStart({ segments, active, logStartOffset }: LogCore): Segment[] {
  const kept = segments.findIndex((segment) => segment === active?.segment || segment.nextOffset > logStartOffset);
  return segments.slice(0, kept < 0 ? segments.length : kept);
}

/**
 * The segments, from the oldest on, that nothing keeps any longer: below the log start, beyond `retention.bytes`, or
 * all of whose records are older than `retention.ms`. The active segment may be among them; it has to be closed first.
 */
export function expiredSegments(core: LogCore, nowMs: number): Segment[] {
  const { config, segments, active, logStartOffset } = core;
  const expired: Segment[] = [];
  let excessBytes = config.retentionBytes < 0 ? Number.NEGATIVE_INFINITY : core.sizeBytes - config.retentionBytes;
  for (const segment of segments) {
    const isActive = segment === active?.segment;
    const isBelowStart = !isActive && segment.nextOffset <= logStartOffset;
    const isOld = config.retentionMs >= 0 && nowMs - segment.largestTimestamp > config.retentionMs;
    const isExcess = excessBytes - segment.sizeBytes >= 0;
    const mayGo = config.cleanupPolicy.delete && (isOld || isExcess) && segment.sizeBytes > 0;
    if (!isBelowStart && !mayGo) break;
    excessBytes -= segment.sizeBytes;
    expired.push(segment);
  }
  return expired;
}
