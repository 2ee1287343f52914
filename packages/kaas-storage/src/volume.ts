import {
  type AclAdmin,
  type Acls,
  type Clock,
  type ClusterFiles,
  type Credentials,
  Histogram,
  KaasError,
  type LocalTopicAdmin,
  type Log,
  type PartitionLogs,
  type Random,
  silentLog,
  type SlotJournals,
  type TopicCatalog,
  type UserAdmin,
} from "@kaas/core";
import { defaultClusterDirectory } from "./cluster/cluster-names.js";
import { VolumeAcls } from "./cluster/volume-acls.js";
import { VolumeClusterFiles } from "./cluster/volume-cluster-files.js";
import { VolumeCredentials, type VolumeCredentialsOptions } from "./cluster/volume-credentials.js";
import type { FileSystem } from "./file-system/file-system.js";
import { MemoryFileSystem } from "./file-system/memory.js";
import { withoutTrailingSlashes } from "./file-system/paths.js";
import { posixFileSystem } from "./file-system/posix.js";
import { storageFailure } from "./file-system/storage-failure.js";
import { VolumeSlotJournals } from "./journal/volume-slot-journals.js";
import type { Fuse } from "./leadership/fuse.js";
import { brokersDirectory } from "./leadership/fuse-file.js";
import { type CompactionOptions, defaultCompaction } from "./compaction/compaction-options.js";
import { type JoinOptions, joinVolume, leaveVolume } from "./leadership/join.js";
import { LogDirectories } from "./log-directories/log-directories.js";
import { LogVolumes } from "./log-directories/log-volumes.js";
import { type Stallable, StallWatch } from "./leadership/stall-watch.js";
import type { LogEnvironment } from "./partition/log-environment.js";
import { QueueMemory } from "./partition/queue-memory.js";
import { ReadMemory } from "./partition/read-memory.js";
import { SegmentCache } from "./partition/segment-cache.js";
import { SlowReads } from "./partition/slow-reads.js";
import { SpaceGuard } from "./partition/space-guard.js";
import { SyncSlots } from "./partition/sync-slots.js";
import { TailCache } from "./partition/tail-cache.js";
import { VolumePartitionLogs } from "./partition/volume-partition-logs.js";
import { systemClock } from "./surroundings/system-clock.js";
import { systemRandom } from "./surroundings/system-random.js";
import { VolumeTopics } from "./topics/volume-topics.js";
import { checkMount, enterRoot } from "./volume-root.js";

const MIB = 1024 * 1024;
/** Buffers that are kept for the next reads: as many as some consumers of 1 MiB a fetch have under way. */
const SPARE_READ_BYTES_MAX: number = 32 * MIB;
const USABLE_BYTES_MIN = 128 * MIB;
/** Read and written: half of it is what arrives. */
const MOVE_BYTES_PER_SECOND: number = 128 * MIB;
const BROKER_NAME = /^(?!\.)[A-Za-z0-9._-]{1,63}$/;

/** How a volume is opened. All but the directory may be left out. */
export interface VolumeOptions {
  /** The data directory. Made if it does not exist. */
  readonly directory: string;
  /**
   * Further directories that partitions may lie in, each as a rule a volume of its own (`log.dirs` of Kafka); their last
   * path components differ. New partitions go where the fewest are. One that is missing keeps its partitions from
   * opening, and nothing else.
   */
  readonly furtherDirectories?: readonly string[];
  /**
   * Where what concerns the cluster as a whole is kept: for several brokers only. `__cluster` in the data directory by
   * default.
   */
  readonly clusterDirectory?: string;
  /** The machine's time by default. */
  readonly clock?: Clock;
  /** The machine's randomness by default. */
  readonly random?: Random;
  /** Nothing is said by default. */
  readonly log?: Log;
  /** The machine's file system by default. */
  readonly fileSystem?: FileSystem;
  /** Which broker this is: a name of its own among all that use the volume. `kaas-0` by default. */
  readonly brokerName?: string;
  /** Which start of its process this is: 22 characters of base64url that nobody had before. Made up by default. */
  readonly incarnation?: string;
  /** Version and listeners of the broker, for people and tools. */
  readonly brokerVersion?: string;
  readonly brokerEndpoints?: readonly string[];
  /**
   * `exclusive`, the default: a lock keeps every other process out. `shared`: several brokers use the volume at once,
   * each partition and slot led by one; a broker takes over by blowing the fuse of the one before.
   */
  readonly sharing?: "exclusive" | "shared";
  /**
   * Whether another process lives, as far as is known. One that does is waited for when it is to hand over; from any
   * other is taken over at once. Nobody else lives by default.
   */
  readonly isAlive?: (broker: string, incarnation: string) => boolean;
  /** How long the hand-over of a process that lives is waited for; 10 000 by default. */
  readonly releaseWaitMsMax?: number;
  /** Coordinator slots of a cluster that is created; an existing one keeps its number. 50 by default. */
  readonly slotCount?: number;
  /** `log.retention.check.interval.ms`; 300 000 by default. */
  readonly retentionCheckIntervalMs?: number;
  /** How logs are compacted; asked anew before each cleaning. Apache Kafka's defaults for what is left out. */
  readonly compaction?: () => Partial<CompactionOptions>;
  /** What moves of partitions to other log directories may read and write, all together; 128 MiB by default. */
  readonly moveBytesPerSecond?: number;
  /** `producer.id.expiration.ms`; 86 400 000 by default. */
  readonly producerIdExpirationMs?: number;
  /** Memory for recently appended batches, of all partitions together; 32 MiB by default. */
  readonly tailCacheBytes?: number;
  /**
   * Memory lent to readers, of all partitions together: what was read and is not released yet. Beyond it reads go on in
   * small pieces; 128 MiB by default.
   */
  readonly readBytesMax?: number;
  /** Overwrites memory that a reader has released, to show who still looks at it: for tests. False by default. */
  readonly poisonsReleasedReads?: boolean;
  /** Memory for indexes of closed segments; 64 MiB by default. */
  readonly indexCacheBytes?: number;
  /** How many fsyncs run at once: fewer than libuv has threads, so that reads find one free. 12 by default. */
  readonly concurrentSyncs?: number;
  /** After so long without an answer of the disk, those who wait for it are told to try again; 30 000 by default. */
  readonly stallTimeoutMs?: number;
  /** Most bytes of appends that wait for the disk, of all partitions together, one of them half; 256 MiB by default. */
  readonly queuedBytesMax?: number;
  /** Below so much free space produce requests are refused; 128 MiB by default. */
  readonly usableBytesMin?: number;
}

/** How a volume is: it serves, it does not answer at the moment, or this process has lost it for good. */
export type VolumeStatus = "ok" | "storage_stalled" | "fenced";

/** The options with what every part asks for. */
type Surrounded = VolumeOptions & Required<Pick<VolumeOptions, "clock" | "random" | "log">>;

/** An open volume: what the broker needs from storage, over one directory tree. */
export interface Volume {
  readonly logs: PartitionLogs;
  readonly slotJournals: SlotJournals;
  readonly files: ClusterFiles;
  readonly topics: TopicCatalog & LocalTopicAdmin;
  /** The users and quotas of `credentials.json`. Changing them is for a broker that has the volume to itself. */
  readonly credentials: Credentials & UserAdmin;
  /** The ACLs of `acls.json`. Changing them is for a broker that has the volume to itself. */
  readonly acls: Acls & AclAdmin;
  /**
   * Resolves with `KAAS_FENCED` once somebody has taken over from this process. Nothing is acknowledged and nothing
   * written any more; close the volume, and open it again as a new incarnation.
   */
  readonly fenced: Promise<KaasError>;
  /** Milliseconds from a group of appends on its way to the disk to its acknowledgement. */
  readonly commitTimes: Histogram;
  /** Milliseconds since the fuse of this process was last found live. */
  readonly fuseAgeMs: number;
  /** Looks at the fuse now, for a process that writes nothing. Rejects with `KAAS_FENCED` if it is blown. */
  confirmFuse(): Promise<void>;
  /** How it is at this moment, from memory. */
  status(): VolumeStatus;
  /** Hands everything over and lets go of the directory. The next opening scans nothing. */
  close(): Promise<void>;
}

/**
 * Opens a directory for this process alone, and makes it a volume if it is none. Rejects with `KAAS_VOLUME_LOCKED` when
 * another process has it, with `KAAS_VOLUME_INVALID` when a file is not what it should be, and with
 * `KAAS_STORAGE_FAILED` when the directory cannot be used. Partitions are not opened: that is up to whoever leads them.
 */
export async function openVolume(options: VolumeOptions): Promise<Volume> {
  const { fileSystem = posixFileSystem, clock = systemClock, random = systemRandom, log = silentLog } = options;
  const surrounded: Surrounded = { ...options, clock, random, log };
  const directory = withoutTrailingSlashes(options.directory);
  const joining = joinOptionsOf(surrounded, fileSystem, directory);
  const lock = await enterRoot(joining, directory, log);
  const opened: (() => Promise<void>)[] = [() => lock.release()];
  const close = async (): Promise<void> => {
    for (const undo of opened.reverse()) await undo();
  };
  try {
    const fuse = await joinVolume(joining);
    opened.push(() => leave(joining, fuse, log));
    const environment = environmentOf(surrounded, joining, fuse, directory);
    const { parts, close: closeParts } = await composeVolume(options, environment, directory, joining.cluster);
    opened.push(closeParts);
    return {
      ...parts,
      fenced: fuse.fenced,
      commitTimes: environment.commitTimes,
      get fuseAgeMs() {
        return fuse.ageMs;
      },
      confirmFuse: () => fuse.confirm(),
      close,
    };
  } catch (error) {
    await close();
    throw storageFailure(`${directory} cannot be used as a data directory`, error);
  }
}

/** As whom this process uses the volume. */
function joinOptionsOf(options: Surrounded, fileSystem: FileSystem, directory: string): JoinOptions {
  const { clock, random, sharing = "exclusive", brokerName, brokerVersion = "", brokerEndpoints = [] } = options;
  if (sharing === "shared" && brokerName === undefined) {
    throw new KaasError(
      "KAAS_CONFIG_INVALID",
      "brokerName is missing: brokers that share a volume need different names",
    );
  }
  const broker = brokerName ?? "kaas-0";
  if (!BROKER_NAME.test(broker)) {
    throw new KaasError("KAAS_CONFIG_INVALID", `brokerName: "${broker}" cannot be the name of a directory`);
  }
  const { clusterDirectory, incarnation = random.uuid() } = options;
  if (clusterDirectory !== undefined && sharing !== "shared") {
    throw new KaasError(
      "KAAS_CONFIG_INVALID",
      "clusterDirectory: only brokers that share a volume have one of its own",
    );
  }
  return {
    files: { fileSystem, random },
    clock,
    cluster: withoutTrailingSlashes(clusterDirectory ?? defaultClusterDirectory(directory)),
    incarnation: { broker, incarnation },
    isShared: sharing === "shared",
    version: brokerVersion,
    endpoints: brokerEndpoints,
  };
}

/** A fuse that stays is blown by whoever starts next under the name. */
async function leave(joining: JoinOptions, fuse: Fuse, log: Log): Promise<void> {
  try {
    await leaveVolume(joining, fuse);
  } catch (error) {
    log.warn({ broker: joining.incarnation.broker, err: error }, "the fuse of this process could not be removed");
  }
}

/** What all parts of the volume share. */
function environmentOf(options: Surrounded, joining: JoinOptions, fuse: Fuse, directory: string): LogEnvironment {
  const { clock, random, log } = options;
  const { fileSystem } = joining.files;
  const { usableBytesMin = USABLE_BYTES_MIN } = options;
  return {
    fileSystem,
    clock,
    random,
    log,
    fuse,
    brokers: brokersDirectory(joining.cluster),
    isShared: joining.isShared,
    syncSlots: new SyncSlots(options.concurrentSyncs ?? 12, clock),
    tailCache: new TailCache(options.tailCacheBytes ?? 32 * MIB),
    segmentCache: new SegmentCache(fileSystem, options.indexCacheBytes ?? 64 * MIB),
    readMemory: new ReadMemory({
      bytesMax: options.readBytesMax ?? 128 * MIB,
      spareBytesMax: SPARE_READ_BYTES_MAX,
      poisons: options.poisonsReleasedReads === true,
    }),
    slowReads: new SlowReads(),
    space: new SpaceGuard({ fileSystem, directory, clock, log, usableBytesMin }),
    ...joining.incarnation,
    isAlive: options.isAlive ?? (() => false),
    releaseWaitMsMax: options.releaseWaitMsMax ?? 10_000,
    queueMemory: new QueueMemory(options.queuedBytesMax ?? 256 * MIB),
    commitTimes: new Histogram(),
  };
}

/** The parts of a volume that is open, and how they are handed over. */
interface Composed {
  readonly parts: Omit<Volume, "fenced" | "commitTimes" | "fuseAgeMs" | "confirmFuse" | "close">;
  close(): Promise<void>;
}

async function composeVolume(
  options: VolumeOptions,
  environment: LogEnvironment,
  directory: string,
  cluster: string,
): Promise<Composed> {
  const { fileSystem, random, log, incarnation } = environment;
  const files = { fileSystem, random };
  const { furtherDirectories = [] } = options;
  const { isShared } = environment;
  const directories = new LogDirectories({
    fileSystem,
    log,
    main: directory,
    further: furtherDirectories,
    isShared,
    checkMount: (path) => checkMount(files, path, isShared, log),
  });
  const volumes = new LogVolumes(directories, environment, options.usableBytesMin ?? USABLE_BYTES_MIN);
  const slotCount = options.slotCount ?? 50;
  const clusterFiles = await VolumeClusterFiles.open({ files, directory: cluster, incarnation, slotCount });
  await directories.enterAll();
  await volumes.start();
  const topics: VolumeTopics = new VolumeTopics({
    files: { ...files, directory },
    directories,
    isShared,
    clock: environment.clock,
    log,
    remove: (topic, setAside) => logs.removeTopic(topic.id, setAside),
  });
  await topics.load();
  const security = await followSecurity({ files, directory: cluster, clock: environment.clock, log });
  const logs: VolumePartitionLogs = logsOf(options, topics, volumes, isShared);
  topics.addListener({ topicChanged: ({ id }) => logs.considerMoves(id), topicDeleted: () => undefined });
  const slotJournals = new VolumeSlotJournals(environment, cluster, clusterFiles.slotCount);
  const watch = watchStalls(options, environment, directory, () => [
    logs.opened(),
    slotJournals.opened(),
    [environment.slowReads],
  ]);
  const status = (): VolumeStatus => statusOf(environment, watch);
  return {
    parts: { logs, slotJournals, files: clusterFiles, topics, ...security.parts, status },
    async close() {
      watch.close();
      security.close();
      await Promise.all([logs.close(), slotJournals.close(), topics.close()]);
      volumes.close();
      await directories.close();
    },
  };
}

function logsOf(
  options: VolumeOptions,
  topics: VolumeTopics,
  volumes: LogVolumes,
  isShared: boolean,
): VolumePartitionLogs {
  return new VolumePartitionLogs({
    volumes: volumes.all,
    volumeOf: ({ topic, partition }) => volumes.at(topics.directoryOf(topic, partition)),
    volumeNamed: (name) => volumes.named(name),
    wishOf: (id) => topics.wishOf(id),
    topicIdOf: async (name) => {
      // Another process may have deleted it, and made a new one of the name, whose partitions are not the old one's.
      if (isShared) await topics.refresh(name);
      return topics.idOf(name);
    },
    retentionCheckIntervalMs: options.retentionCheckIntervalMs ?? 300_000,
    producerIdExpirationMs: options.producerIdExpirationMs ?? 86_400_000,
    moveBytesPerSecond: options.moveBytesPerSecond ?? MOVE_BYTES_PER_SECOND,
    compaction: () => ({ ...defaultCompaction, ...options.compaction?.() }),
  });
}

/** Who may log in, and do what: read, and followed from then on. */
async function followSecurity(
  options: VolumeCredentialsOptions,
): Promise<{ readonly parts: Pick<Volume, "credentials" | "acls">; close(): void }> {
  const credentials = new VolumeCredentials(options);
  const acls = new VolumeAcls(options);
  await Promise.all([credentials.start(), acls.start()]);
  return {
    parts: { credentials, acls },
    close() {
      credentials.close();
      acls.close();
    },
  };
}

function watchStalls(
  { stallTimeoutMs = 30_000 }: VolumeOptions,
  { clock, log }: LogEnvironment,
  directory: string,
  opened: () => readonly Iterable<Stallable>[],
): StallWatch {
  const watched = (): Iterable<Stallable> => opened().flatMap((some) => [...some]);
  return new StallWatch({ clock, log, directory, timeoutMs: stallTimeoutMs, watched });
}

function statusOf({ fuse }: LogEnvironment, watch: StallWatch): VolumeStatus {
  if (fuse.blown?.code === "KAAS_FENCED") return "fenced";
  return watch.isStalled ? "storage_stalled" : "ok";
}

/** Opens a volume that lives in memory and is gone when the process is. The same code, on another file system. */
export function openMemoryVolume(options: Omit<VolumeOptions, "directory" | "fileSystem"> = {}): Promise<Volume> {
  return openVolume({ ...options, directory: "/memory", fileSystem: new MemoryFileSystem() });
}
