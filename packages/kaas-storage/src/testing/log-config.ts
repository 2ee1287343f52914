import type { LogConfig } from "@kaas/core";

/** Kafka's defaults, but for what kaas decides otherwise. */
export const defaultLogConfig: LogConfig = {
  segmentBytes: 1024 * 1024 * 1024,
  segmentMs: 604_800_000,
  segmentJitterMs: 0,
  segmentIndexBytes: 10 * 1024 * 1024,
  indexIntervalBytes: 4_096,
  retentionMs: 604_800_000,
  retentionBytes: -1,
  cleanupPolicy: { delete: true, compact: false },
  deleteRetentionMs: 86_400_000,
  minCompactionLagMs: 0,
  maxCompactionLagMs: Number.MAX_SAFE_INTEGER,
  minCleanableDirtyRatio: 0.5,
  fileDeleteDelayMs: 60_000,
  flushMessages: 1,
  flushMs: Number.MAX_SAFE_INTEGER,
  maxMessageBytes: 1024 * 1024 + 12,
  maxDecompressedMessageBytes: 2_147_483_639,
  compressionType: "producer",
  compressionLevels: { gzip: -1, lz4: 9, zstd: 3 },
  messageTimestampType: "CreateTime",
  messageTimestampBeforeMaxMs: Number.MAX_SAFE_INTEGER,
  messageTimestampAfterMaxMs: 3_600_000,
  preallocate: false,
};
