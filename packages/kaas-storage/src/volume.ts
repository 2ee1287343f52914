import type {
  Clock,
  ClusterFiles,
  Log,
  PartitionLogs,
  Random,
  SlotJournals,
  TopicAdmin,
  TopicCatalog,
} from "@kaas/core";
import { VolumeClusterFiles } from "./cluster/volume-cluster-files.js";
import { type DirectoryLock, ensureDirectory, type FileSystem, isErrno } from "./file-system/file-system.js";
import { MemoryFileSystem } from "./file-system/memory.js";
import { posixFileSystem } from "./file-system/posix.js";
import { storageFailure } from "./file-system/storage-failure.js";
import { VolumeSlotJournals } from "./journal/volume-slot-journals.js";
import type { LogEnvironment } from "./partition/log-environment.js";
import { SegmentCache } from "./partition/segment-cache.js";
import { SpaceGuard } from "./partition/space-guard.js";
import { SyncSlots } from "./partition/sync-slots.js";
import { TailCache } from "./partition/tail-cache.js";
import { VolumePartitionLogs } from "./partition/volume-partition-logs.js";
import { VolumeTopics } from "./topics/volume-topics.js";

const MIB = 1024 * 1024;
const CLUSTER_DIRECTORY = "__cluster";

/** How a volume is opened. What has a default may be left out. */
export interface VolumeOptions {
  /** The data directory. Made if it does not exist. */
  readonly directory: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The machine's file system by default. */
  readonly fileSystem?: FileSystem;
  /** Who claims epochs, for people to read. */
  readonly brokerName?: string;
  /** Coordinator slots of a cluster that is created; an existing one keeps its number. 50 by default. */
  readonly slotCount?: number;
  /** `log.retention.check.interval.ms`; 300 000 by default. */
  readonly retentionCheckIntervalMs?: number;
  /** `producer.id.expiration.ms`; 86 400 000 by default. */
  readonly producerIdExpirationMs?: number;
  /** Memory for recently appended batches, of all partitions together; 32 MiB by default. */
  readonly tailCacheBytes?: number;
  /** Memory for indexes of closed segments; 64 MiB by default. */
  readonly indexCacheBytes?: number;
  /** How many fsyncs run at once: fewer than libuv has threads, so that reads find one free. 12 by default. */
  readonly concurrentSyncs?: number;
  /** Most bytes of appends that one partition lets wait for the disk; 128 MiB by default. */
  readonly queuedBytesMax?: number;
  /** Below so much free space produce requests are refused; 128 MiB by default. */
  readonly usableBytesMin?: number;
}

/** An open volume: what the broker needs from storage, over one directory tree. */
export interface Volume {
  readonly logs: PartitionLogs;
  readonly slotJournals: SlotJournals;
  readonly files: ClusterFiles;
  readonly topics: TopicCatalog & TopicAdmin;
  /** Hands everything over and lets go of the directory. The next opening scans nothing. */
  close(): Promise<void>;
}

/**
 * Opens a directory for this process alone, and makes it a volume if it is none. Rejects with `KAAS_VOLUME_LOCKED` when
 * another process has it, with `KAAS_VOLUME_INVALID` when a file is not what it should be, and with
 * `KAAS_STORAGE_FAILED` when the directory cannot be used. Partitions are not opened: that is up to whoever leads them.
 */
export async function openVolume(options: VolumeOptions): Promise<Volume> {
  const { fileSystem = posixFileSystem } = options;
  const directory = options.directory.replace(/(?<=.)\/+$/, "");
  const lock = await lockRoot(fileSystem, directory);
  const environment = environmentOf(options, fileSystem, directory);
  try {
    const volume = await composeVolume(options, environment, directory);
    return {
      ...volume,
      async close() {
        environment.space.close();
        await volume.close();
        await lock.release();
      },
    };
  } catch (error) {
    environment.space.close();
    await lock.release();
    throw storageFailure(`${directory} cannot be used as a data directory`, error);
  }
}

/** Makes the data directory if need be, and keeps other processes out. */
async function lockRoot(fileSystem: FileSystem, directory: string): Promise<DirectoryLock> {
  try {
    await makeRoot(fileSystem, directory);
    await ensureDirectory(fileSystem, directory, CLUSTER_DIRECTORY);
    return await fileSystem.lock(`${directory}/${CLUSTER_DIRECTORY}`);
  } catch (error) {
    throw storageFailure(`${directory} cannot be used as a data directory`, error);
  }
}

/** What all parts of the volume share. */
function environmentOf(options: VolumeOptions, fileSystem: FileSystem, directory: string): LogEnvironment {
  const { clock, random, log } = options;
  const usableBytesMin = options.usableBytesMin ?? 128 * MIB;
  return {
    fileSystem,
    clock,
    random,
    log,
    syncSlots: new SyncSlots(options.concurrentSyncs ?? 12),
    tailCache: new TailCache(options.tailCacheBytes ?? 32 * MIB),
    segmentCache: new SegmentCache(fileSystem, options.indexCacheBytes ?? 64 * MIB),
    space: new SpaceGuard({ fileSystem, directory, clock, log, usableBytesMin }),
    broker: options.brokerName ?? "kaas-0",
    incarnation: random.uuid(),
    queuedBytesMax: options.queuedBytesMax ?? 128 * MIB,
  };
}

async function composeVolume(options: VolumeOptions, environment: LogEnvironment, directory: string): Promise<Volume> {
  const { fileSystem, random, log, incarnation, space, syncSlots, broker } = environment;
  const files = { fileSystem, random };
  const cluster = `${directory}/${CLUSTER_DIRECTORY}`;
  const slotCount = options.slotCount ?? 50;
  const clusterFiles = await VolumeClusterFiles.open({ files, directory: cluster, incarnation, slotCount });
  await space.start();
  const topics: VolumeTopics = new VolumeTopics({
    files: { ...files, directory },
    log,
    remove: (topic, setAside) => logs.removeTopic(topic.id, setAside),
  });
  await topics.load();
  const logs = new VolumePartitionLogs({
    environment,
    directory,
    topicIdOf: (name) => topics.idOf(name),
    retentionCheckIntervalMs: options.retentionCheckIntervalMs ?? 300_000,
    producerIdExpirationMs: options.producerIdExpirationMs ?? 86_400_000,
  });
  const slotEnvironment = { files, log, syncSlots, broker, incarnation };
  const slotJournals = new VolumeSlotJournals(slotEnvironment, cluster, clusterFiles.slotCount);
  return {
    logs,
    slotJournals,
    files: clusterFiles,
    topics,
    async close() {
      await Promise.all([logs.close(), slotJournals.close(), topics.close()]);
    },
  };
}

/** Opens a volume that lives in memory and is gone when the process is. The same code, on another file system. */
export function openMemoryVolume(options: Omit<VolumeOptions, "directory" | "fileSystem">): Promise<Volume> {
  return openVolume({ ...options, directory: "/memory", fileSystem: new MemoryFileSystem() });
}

/** The data directory, and what is missing on the way to it. */
async function makeRoot(fileSystem: FileSystem, directory: string): Promise<void> {
  const slash = directory.lastIndexOf("/");
  const parent = slash < 0 ? "." : directory.slice(0, slash) || "/";
  try {
    await ensureDirectory(fileSystem, parent, directory.slice(slash + 1));
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
    await makeRoot(fileSystem, parent);
    await ensureDirectory(fileSystem, parent, directory.slice(slash + 1));
  }
}
