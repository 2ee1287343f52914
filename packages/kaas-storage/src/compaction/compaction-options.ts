/** How a volume compacts, under the names of Apache Kafka's `log.cleaner.*`. Asked for anew before each cleaning. */
export interface CompactionOptions {
  /** `log.cleaner.threads`: logs that are cleaned at the same time; 0: none are. */
  readonly threads: number;
  /** `log.cleaner.dedupe.buffer.size`: memory for keys, of all cleanings together. */
  readonly dedupeBufferBytes: number;
  /** `log.cleaner.io.buffer.load.factor`: how full that memory may get. */
  readonly loadFactor: number;
  /** `log.cleaner.io.buffer.size`: memory for records on their way, of all cleanings together. */
  readonly ioBufferBytes: number;
  /** `log.cleaner.io.max.bytes.per.second`: read and written, by all cleanings together. */
  readonly ioBytesPerSecond: number;
  /** `log.cleaner.backoff.ms`: how long to wait when no log is worth it. */
  readonly backoffMs: number;
}

/** Apache Kafka's defaults. */
export const defaultCompaction: CompactionOptions = {
  threads: 1,
  dedupeBufferBytes: 128 * 1024 * 1024,
  loadFactor: 0.9,
  ioBufferBytes: 512 * 1024,
  ioBytesPerSecond: Number.MAX_VALUE,
  backoffMs: 15_000,
};
