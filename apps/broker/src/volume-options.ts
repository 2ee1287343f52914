import type { BrokerConfig } from "@kaas/core";
import { type CompactionOptions, systemClock, systemRandom, type VolumeOptions } from "@kaas/storage";

/** libuv's own number of threads. */
const THREADS_BY_DEFAULT = 4;
/** Of those, how many fsyncs leave to others: a disk that hangs must not keep what lies elsewhere from being read. */
const THREADS_KEPT_FREE = 4;

/** How a volume is opened, as far as the configuration says. */
export function volumeOptionsOf(config: BrokerConfig): Omit<VolumeOptions, "directory"> {
  const threads = Number(process.env.UV_THREADPOOL_SIZE ?? THREADS_BY_DEFAULT);
  return {
    clock: systemClock,
    random: systemRandom,
    slotCount: config.number("offsets.topic.num.partitions"),
    retentionCheckIntervalMs: config.number("log.retention.check.interval.ms"),
    producerIdExpirationMs: config.number("producer.id.expiration.ms"),
    compaction: () => compactionOptions(config),
    concurrentSyncs: Math.max(1, threads - THREADS_KEPT_FREE),
  };
}

/** Read anew before each cleaning: most of it can be changed at run time. */
function compactionOptions(config: BrokerConfig): CompactionOptions {
  return {
    threads: config.boolean("log.cleaner.enable") ? config.number("log.cleaner.threads") : 0,
    dedupeBufferBytes: config.number("log.cleaner.dedupe.buffer.size"),
    loadFactor: config.number("log.cleaner.io.buffer.load.factor"),
    ioBufferBytes: config.number("log.cleaner.io.buffer.size"),
    ioBytesPerSecond: config.number("log.cleaner.io.max.bytes.per.second"),
    backoffMs: config.number("log.cleaner.backoff.ms"),
  };
}
