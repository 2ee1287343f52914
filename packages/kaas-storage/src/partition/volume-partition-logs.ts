import {
  ErrorCode,
  KaasError,
  type LogConfig,
  type LogDirDescription,
  type PartitionId,
  type PartitionLog,
  type PartitionLogs,
  type Timer,
} from "@kaas/core";
import { Gate } from "@kaas/core/internal";
import { Cleaner } from "../compaction/cleaner.js";
import type { CompactionOptions } from "../compaction/compaction-options.js";
import { storageFailure } from "../file-system/storage-failure.js";
import type { Stallable } from "../leadership/stall-watch.js";
import { type LogPlaces, type LogVolume, partitionDirectory } from "../moving/log-places.js";
import { PartitionMoves } from "../moving/partition-moves.js";
import { VolumePartitionLog } from "./volume-partition-log.js";

const CHECKPOINT_INTERVAL_MS = 60_000;
/** How long memory for reads is kept that nobody needs. */
const MEMORY_TRIM_INTERVAL_MS = 10_000;
const PRODUCER_CHECK_INTERVAL_MS = 600_000;
/** Logs that are opened, released or tidied at once: enough to share fsyncs, few enough to keep their order. */
const CONCURRENCY = 32;

export interface PartitionLogsOptions extends LogPlaces {
  /** Where somebody wants a partition to be moved; undefined where nobody does. */
  readonly wishOf: (id: PartitionId) => string | null | undefined;
  /** What all moves together may read and write. */
  readonly moveBytesPerSecond: number;
  /** Which incarnation of the name is on the volume; undefined when there is none. */
  readonly topicIdOf: (topic: string) => Promise<string | undefined>;
  readonly retentionCheckIntervalMs: number;
  readonly producerIdExpirationMs: number;
  /** Asked before each cleaning. */
  readonly compaction: () => CompactionOptions;
}

/** The partition logs of a broker. */
export class VolumePartitionLogs implements PartitionLogs {
  readonly #options: PartitionLogsOptions;
  readonly #logs = new Map<string, Promise<VolumePartitionLog>>();
  readonly #opened = new Map<string, VolumePartitionLog>();
  readonly #ending = new Map<string, Promise<void>>();
  readonly #timers = new Map<string, Timer>();
  readonly #gate = new Gate(CONCURRENCY);
  readonly #cleaner: Cleaner;
  readonly #moves: PartitionMoves;
  #isClosed = false;

  constructor(options: PartitionLogsOptions) {
    this.#options = options;
    const { retentionCheckIntervalMs, compaction, volumes } = options;
    const { clock, log: lines } = volumes[0].environment;
    void volumes[0].environment.fuse.fenced.then((error) => {
      for (const log of this.#opened.values()) log.fence(error);
    });
    this.#cleaner = new Cleaner({ clock, log: lines, compaction, logs: () => this.#opened.values() });
    this.#moves = new PartitionMoves({ ...options, clock, log: lines });
    this.#every(
      "retention",
      () => retentionCheckIntervalMs,
      () => this.enforceRetention(),
    );
    this.#every(
      "compaction",
      () => compaction().backoffMs,
      () => this.compact(),
    );
    this.#every(
      "checkpoint",
      () => CHECKPOINT_INTERVAL_MS,
      async () => {
        for (const log of this.#opened.values()) log.checkpoint();
      },
    );
    this.#every(
      "memory",
      () => MEMORY_TRIM_INTERVAL_MS,
      async () => volumes[0].environment.readMemory.trim(),
    );
    this.#every(
      "producers",
      () => PRODUCER_CHECK_INTERVAL_MS,
      async () => this.#expireProducers(),
    );
  }

  async open(id: PartitionId, config: LogConfig, unwanted?: AbortSignal): Promise<PartitionLog> {
    const key = keyOf(id);
    for (let ending = this.#ending.get(key); ending !== undefined; ending = this.#ending.get(key)) await ending;
    let opening = this.#logs.get(key);
    if (opening === undefined) {
      opening = this.#gate.run(() => this.#open(id, config, unwanted));
      this.#logs.set(key, opening);
      const mine = opening;
      opening.then(
        (log) => {
          this.#opened.set(key, log);
          this.#moves.consider(log);
        },
        () => this.#forget(key, mine),
      );
    }
    return opening;
  }

  /** What somebody wants of a topic's partitions has changed. */
  considerMoves(topicId: string): void {
    for (const log of this.#opened.values()) if (log.id.topicId === topicId) this.#moves.consider(log);
  }

  /** Those that may wait for the disk. */
  opened(): Iterable<Stallable> {
    return this.#opened.values();
  }

  release(id: PartitionId): Promise<void> {
    return this.#end(keyOf(id), (log) => log.release());
  }

  abandon(id: PartitionId): Promise<void> {
    return this.#end(keyOf(id), (log) => log.abandon());
  }

  /** Runs what takes a topic's files away, and abandons its partitions once it has. */
  async removeTopic(topicId: string, remove: () => Promise<void>): Promise<void> {
    const keys = [...this.#logs.keys()].filter((key) => key.startsWith(`${topicId}/`));
    for (const key of keys) this.#opened.get(key)?.expectRemoval();
    try {
      await remove();
    } catch (error) {
      for (const key of keys) this.#opened.get(key)?.removalFailed();
      throw error;
    }
    await Promise.all(keys.map((key) => this.#end(key, (log) => log.abandon())));
  }

  async describeLogDirs(): Promise<readonly LogDirDescription[]> {
    return Promise.all(this.#options.volumes.map((volume) => this.#describe(volume)));
  }

  async enforceRetention(): Promise<void> {
    const { log } = this.#options.volumes[0].environment;
    for (const one of [...this.#opened.values()]) {
      try {
        await one.enforceRetention();
      } catch (error) {
        const { topic, partition } = one.id;
        log.error({ topic, partition, err: error }, "retention failed; it is tried again at the next interval");
      }
    }
  }

  compact(): Promise<void> {
    return this.#cleaner.run();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cleaner.close();
    this.#moves.close();
    for (const timer of this.#timers.values()) timer.cancel();
    const { log } = this.#options.volumes[0].environment;
    const releases = [...this.#logs.keys()].map((key) =>
      this.#gate
        .run(() => this.#end(key, (one) => one.release()))
        .catch((error: unknown) => {
          log.error(
            { partition: key, err: error },
            "a log could not be handed over cleanly; the next start recovers it",
          );
        }),
    );
    await Promise.all(releases);
  }

  async #describe(volume: LogVolume): Promise<LogDirDescription> {
    const { path, environment } = volume;
    const here = [...this.#opened.values()].filter((log) => log.volume === volume);
    const partitions = here.map((log) => ({
      topic: log.id.topic,
      partition: log.id.partition,
      sizeBytes: log.sizeBytes,
    }));
    try {
      const { totalBytes, usableBytes } = await environment.fileSystem.space(path);
      return { path, errorCode: ErrorCode.NONE, totalBytes, usableBytes, partitions };
    } catch (error) {
      environment.log.error({ directory: path, err: error }, "the volume does not answer");
      return { path, errorCode: ErrorCode.KAFKA_STORAGE_ERROR, totalBytes: -1, usableBytes: -1, partitions };
    }
  }

  async #open(id: PartitionId, config: LogConfig, unwanted?: AbortSignal): Promise<VolumePartitionLog> {
    const { volumeOf, topicIdOf } = this.#options;
    if (this.#isClosed) throw new KaasError("KAAS_CLOSED", "the volume is closed");
    if (unwanted?.aborted === true) throw new KaasError("KAAS_CLOSED", "another broker is to lead the partition");
    const current = await topicIdOf(id.topic);
    if (current !== id.topicId) {
      const reason = current === undefined ? "is not on the volume" : `is ${current} by now`;
      throw new KaasError("KAAS_TOPIC_CONFLICT", `topic ${id.topic} (${id.topicId}) ${reason}`);
    }
    const volume = volumeOf(id);
    const { environment } = volume;
    if (environment.fuse.blown !== undefined) throw environment.fuse.blown;
    try {
      return await VolumePartitionLog.open(id, config, this.#options, unwanted);
    } catch (error) {
      throw storageFailure(`${partitionDirectory(volume, id)} could not be opened`, error);
    }
  }

  /** Takes a log out and ends it. The same partition can be opened again after that. */
  #end(key: string, end: (log: VolumePartitionLog) => Promise<void>): Promise<void> {
    const opening = this.#logs.get(key);
    if (opening === undefined) return this.#ending.get(key) ?? Promise.resolve();
    this.#logs.delete(key);
    const ending = opening
      .then(
        (log) => {
          this.#opened.delete(key);
          return end(log);
        },
        () => undefined, // it never opened, and whoever asked for it has been told
      )
      .finally(() => this.#ending.delete(key));
    // Others only wait for the end, however it comes.
    this.#ending.set(
      key,
      ending.catch(() => undefined),
    );
    return ending;
  }

  #forget(key: string, opening: Promise<VolumePartitionLog>): void {
    if (this.#logs.get(key) === opening) this.#logs.delete(key);
  }

  #expireProducers(): void {
    const { volumes, producerIdExpirationMs } = this.#options;
    const { environment } = volumes[0];
    const since = environment.clock.now() - producerIdExpirationMs;
    for (const log of this.#opened.values()) log.expireProducers(since);
  }

  #every(name: string, intervalMs: () => number, task: () => Promise<void>): void {
    const timer = this.#options.volumes[0].environment.clock.schedule(intervalMs(), () => {
      void task().finally(() => {
        if (!this.#isClosed) this.#every(name, intervalMs, task);
      });
    });
    this.#timers.set(name, timer);
  }
}

/** The topic's id first, so that all partitions of a topic share a prefix. */
function keyOf({ topicId, partition }: PartitionId): string {
  return `${topicId}/${partition}`;
}
