import { KaasError, type SlotKind } from "@kaas/core";
import { slotOf } from "@kaas/core/internal";
import { CLUSTER_DIRECTORY_NAME, defaultClusterDirectory } from "../cluster/cluster-names.js";
import type { DocumentTypes } from "../documents/document-types.js";
import { type FileSystem, isErrno, type SpaceStatus } from "../file-system/file-system.js";
import { lastPart, withoutTrailingSlashes } from "../file-system/paths.js";
import { posixFileSystem } from "../file-system/posix.js";
import { storageFailure } from "../file-system/storage-failure.js";
import { SLOT_DIRECTORIES, slotDirectoryName } from "../journal/slot-files.js";
import { brokersDirectory } from "../leadership/fuse-file.js";
import { isTopicName } from "../topics/topic-files.js";
import { type AssignmentsView, viewAssignments } from "./assignments-view.js";
import { type AclsView, viewAcls } from "./acls-view.js";
import { type BrokerView, viewBrokers } from "./broker-view.js";
import { type ClusterBrokerView, describeBrokers } from "./cluster-brokers.js";
import { listSlots, type ProducerIdsView, readCluster, viewProducerIds } from "./cluster-view.js";
import { type UsersView, viewUsers } from "./credentials-view.js";
import { type DoctorReport, examine, type Progress } from "./doctor.js";
import { type DrainsView, viewDrains } from "./drains-view.js";
import { type FencesView, type ProcessesView, viewFences, viewProcesses } from "./fences-view.js";
import type { Finding } from "./finding.js";
import { type GroupView, readGroups } from "./group-view.js";
import type { InspectionHost, LockHolder } from "./inspection-host.js";
import { type DumpedItem, type DumpOptions, dumpLog } from "./log-dump.js";
import { checkPartition, type PartitionCheck, type PartitionPlace } from "./partition-check.js";
import { type PartitionSummary, summarisePartition } from "./partition-summary.js";
import { posixInspectionHost } from "./posix-inspection-host.js";
import { viewRoot } from "./root-check.js";
import { checkSlot } from "./slot-check.js";
import { viewSlot } from "./slot-view.js";
import { type TopicView, viewTopic } from "./topic-view.js";
import { listIfThere, unreadable, type VolumeView } from "./volume-view.js";

/** What is looked at, and through what. */
export interface InspectionOptions {
  /** The data directory. */
  readonly directory: string;
  /** Further directories that partitions may lie in, as for `openVolume`. */
  readonly furtherDirectories?: readonly string[];
  /** Where the cluster's files are, unless they are in `__cluster` of the data directory. */
  readonly clusterDirectory?: string;
  /** The machine's file system by default. */
  readonly fileSystem?: FileSystem;
  /** This machine by default. */
  readonly host?: InspectionHost;
}

/** Who uses the volume. */
export interface Users {
  /** The process that has the volume for itself. */
  readonly holder: LockHolder | undefined;
  /** Processes that have left a fuse, whether they still run or not. */
  readonly brokers: readonly BrokerView[];
  /** Whether a broker is at work, as far as can be told from here. */
  readonly isLive: boolean;
}

/** The volume as a whole. */
export interface VolumeInfo {
  readonly directory: string;
  readonly clusterId: string;
  readonly slotCount: number;
  readonly users: Users;
  readonly topics: number;
  readonly partitions: number;
  /** What the logs' segments take, indexes left out. */
  readonly logBytes: number;
  readonly space: SpaceStatus;
}

/** A coordinator slot in a few numbers. */
export interface SlotSummary {
  readonly kind: SlotKind;
  readonly slot: number;
  readonly directory: string;
  readonly epoch: number;
  /** Who claimed the epoch. */
  readonly broker: string | undefined;
  /** The fuse of the process that claimed it; `gone` counts as blown. */
  readonly fuse: BrokerView["fuse"] | "gone";
  /** Whether the last coordinator handed it over in order. */
  readonly isReleased: boolean;
  readonly groups: number;
  readonly entries: number;
  readonly journalBytes: number;
  readonly findings: readonly Finding[];
}

/**
 * Looks at a volume. Takes no claim, no lock and no fuse, writes nothing, and works while brokers run: what it meets in
 * the middle of a change is looked at again before anything is said about it.
 *
 * @example
 * const inspection = await VolumeInspection.open({ directory: "/var/lib/kaas" });
 * const { findings } = await inspection.examine();
 * for (const { severity, file, message } of findings) console.log(severity, file, message);
 */
export class VolumeInspection {
  readonly #view: VolumeView;

  private constructor(view: VolumeView) {
    this.#view = view;
  }

  /**
   * Rejects with `KAAS_CONFIG_INVALID` when the directory is not there or holds no volume, and with
   * `KAAS_STORAGE_FAILED` when it may not be read.
   */
  static async open(options: InspectionOptions): Promise<VolumeInspection> {
    const { fileSystem = posixFileSystem, host = posixInspectionHost } = options;
    const directory = withoutTrailingSlashes(options.directory);
    const further = new Map<string, string>();
    for (const path of (options.furtherDirectories ?? []).map(withoutTrailingSlashes)) {
      further.set(lastPart(path), path);
    }
    const clusterDirectory = withoutTrailingSlashes(options.clusterDirectory ?? defaultClusterDirectory(directory));
    const view: VolumeView = { fileSystem, host, directory, clusterDirectory, further };
    await refuseOther(view);
    return new VolumeInspection(view);
  }

  get directory(): string {
    return this.#view.directory;
  }

  /** Where the cluster's files are. */
  get clusterDirectory(): string {
    return this.#view.clusterDirectory;
  }

  /** What the rest of the library looks at. @internal */
  get view(): VolumeView {
    return this.#view;
  }

  /**
   * The cluster's id and number of slots.
   *
   * @throws KaasError `KAAS_VOLUME_INVALID` when cluster.json is missing, not readable, or of a newer format; the
   *   message names the file, and the format.
   */
  async cluster(): Promise<DocumentTypes["cluster"]> {
    const { cluster, findings } = await readCluster(this.#view);
    if (cluster !== undefined) return cluster;
    const [problem] = findings;
    throw new KaasError("KAAS_VOLUME_INVALID", `${problem?.file}: ${problem?.message}. ${problem?.meaning}`);
  }

  /** Who uses the volume at the moment. */
  async users(): Promise<Users> {
    const holder = await findHolder(this.#view);
    const brokers = await findBrokers(this.#view);
    // A process that shares the volume has no lock. Its fuse says LIVE for as long as nobody took over from it.
    const isShared = brokers.some(({ fuse, description }) => fuse === "live" && description?.isShared === true);
    return { holder, brokers, isLive: holder !== undefined || isShared };
  }

  /** The volume in a few numbers. Reads every partition's documents; rejects as {@link cluster} does. */
  async info(): Promise<VolumeInfo> {
    const { clusterId, slotCount } = await this.cluster();
    const { topics } = await viewRoot(this.#view);
    let partitions = 0;
    let logBytes = 0;
    for (const topic of topics) {
      for (const one of await this.partitions(topic)) {
        partitions++;
        logBytes += one.sizeBytes;
      }
    }
    const space = await this.#view.fileSystem.space(this.directory);
    const users = await this.users();
    return {
      directory: this.directory,
      clusterId,
      slotCount,
      users,
      topics: topics.length,
      partitions,
      logBytes,
      space,
    };
  }

  /** All topics, ascending by name. */
  async topics(): Promise<readonly TopicView[]> {
    return (await viewRoot(this.#view)).topics;
  }

  /** Undefined when there is no such topic. */
  async topic(name: string): Promise<TopicView | undefined> {
    return isTopicName(name) ? viewTopic(this.#view, name) : undefined;
  }

  /** The partitions of a topic as their documents and file sizes describe them. */
  async partitions(topic: TopicView): Promise<readonly PartitionSummary[]> {
    const summaries: PartitionSummary[] = [];
    for (const place of topic.partitions) {
      const summary = await summarisePartition(this.#view, { topic: topic.name, ...place });
      if (summary !== undefined) summaries.push(summary);
    }
    return summaries;
  }

  /** The batches of a partition, oldest first, with a finding where it is damaged. */
  async *batches(place: PartitionPlace, options: Omit<DumpOptions, "isLive"> = {}): AsyncGenerator<DumpedItem> {
    const { isLive } = await this.users();
    yield* dumpLog(this.#view, place.directory, { ...options, isLive });
  }

  /** Checks every byte of one partition; undefined when it is not there. */
  async verify(
    place: PartitionPlace,
    progress: (bytes: number) => void = () => undefined,
  ): Promise<PartitionCheck | undefined> {
    const { isLive } = await this.users();
    return checkPartition(this.#view, place, { isLive, progress });
  }

  /** Everything that is wrong on the volume, the worst first. */
  async examine(progress?: (progress: Progress) => void): Promise<DoctorReport> {
    const { isLive } = await this.users();
    return examine(this.#view, isLive, progress);
  }

  /** The coordinator slots that were ever used. */
  async slots(kind: SlotKind): Promise<readonly SlotSummary[]> {
    const { slotCount } = await this.cluster();
    const brokers = await findBrokers(this.#view);
    const summaries: SlotSummary[] = [];
    for (const { slot, directory } of await listSlots(this.#view, kind)) {
      const view = await viewSlot(this.#view, directory);
      if (view === undefined) continue;
      const { claimEpoch: epoch, claim, isReleased, entries, journalBytes } = view;
      const owner = brokers.find(({ incarnation }) => incarnation === claim?.incarnation);
      const findings = await checkSlot(this.#view, view, { kind, slot, slotCount });
      const groups = kind === "groups" ? countGroups(view) : 0;
      const counts = { groups, entries: entries.length, journalBytes };
      const whose = { broker: claim?.broker, fuse: owner?.fuse ?? "gone" } as const;
      summaries.push({ kind, slot, directory, epoch, ...whose, isReleased, ...counts, findings });
    }
    return summaries;
  }

  /** A consumer group and what it committed; undefined when its slot does not know it. */
  async group(group: string): Promise<GroupView | undefined> {
    const { slotCount } = await this.cluster();
    const directory = `${this.#view.clusterDirectory}/${SLOT_DIRECTORIES.groups}/${slotDirectoryName(slotOf(group, slotCount))}`;
    const slot = await viewSlot(this.#view, directory);
    const damage = slot?.findings.find(({ severity }) => severity === "error");
    if (damage !== undefined) throw new KaasError("KAAS_VOLUME_INVALID", `${damage.file}: ${damage.message}`);
    return slot && readGroups(slot.snapshot, slot.entries).find((one) => one.group === group);
  }

  /** The names of all groups, ascending. Slots that are not readable are left out. */
  async groupNames(): Promise<readonly string[]> {
    const names: string[] = [];
    for (const { directory } of await listSlots(this.#view, "groups")) {
      const slot = await viewSlot(this.#view, directory);
      if (slot !== undefined) names.push(...namesOf(slot));
    }
    return names.sort();
  }

  /** What controllers have decided, as far as it is kept. */
  assignments(): Promise<AssignmentsView> {
    return viewAssignments(this.#view);
  }

  /** The brokers of the newest assignment; none where no controller has ever been. */
  async brokers(): Promise<readonly ClusterBrokerView[]> {
    const newest = (await this.assignments()).assignments.at(-1);
    return newest === undefined ? [] : describeBrokers(newest.assignment, await findBrokers(this.#view));
  }

  /** The processes that the volume knows: those that left a fuse, and those that hold what was not handed over. */
  processes(): Promise<ProcessesView> {
    return viewProcesses(this.#view);
  }

  /** The processes that others took over from. */
  fences(): Promise<FencesView> {
    return viewFences(this.#view);
  }

  /** Which brokers somebody wants to lead nothing. */
  drains(): Promise<DrainsView> {
    return viewDrains(this.#view);
  }

  /** Who can log in, is limited, or is named by ACLs, without anything that is secret. */
  namedUsers(): Promise<UsersView> {
    return viewUsers(this.#view);
  }

  /** All ACLs. */
  acls(): Promise<AclsView> {
    return viewAcls(this.#view);
  }

  /** Blocks of producer ids that were given out. */
  producerIds(): Promise<ProducerIdsView> {
    return viewProducerIds(this.#view);
  }
}

function namesOf(slot: {
  readonly snapshot: Parameters<typeof readGroups>[0];
  readonly entries: Parameters<typeof readGroups>[1];
}): string[] {
  try {
    return readGroups(slot.snapshot, slot.entries).map(({ group }) => group);
  } catch (error) {
    if (error instanceof KaasError) return []; // the slot's findings say so
    throw error;
  }
}

function countGroups(slot: Parameters<typeof namesOf>[0]): number {
  return namesOf(slot).length;
}

/** A lock whose holder cannot be asked counts as held. */
async function findHolder({ host, clusterDirectory }: VolumeView): Promise<LockHolder | undefined> {
  try {
    return await host.lockHolderOf(clusterDirectory);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    return { pid: -1, host: "unknown" };
  }
}

/** None, where they may not be looked at: what else may not be read says so. */
async function findBrokers(view: VolumeView): Promise<readonly BrokerView[]> {
  try {
    return await viewBrokers(view);
  } catch (error) {
    unreadable(brokersDirectory(view.clusterDirectory), error);
    return [];
  }
}

/** A directory that is no volume is a wrong argument, not a broken volume. */
async function refuseOther(view: VolumeView): Promise<void> {
  let names: readonly string[] | undefined;
  try {
    names = (await listIfThere(view, view.directory))?.map(({ name }) => name);
  } catch (error) {
    if (isErrno(error, "ENOTDIR")) throw new KaasError("KAAS_CONFIG_INVALID", `${view.directory} is not a directory`);
    throw storageFailure(`${view.directory} cannot be read`, error);
  }
  if (names === undefined) throw new KaasError("KAAS_CONFIG_INVALID", `there is no directory ${view.directory}`);
  if (view.clusterDirectory !== defaultClusterDirectory(view.directory)) return refuseWithoutCluster(view);
  if (names.includes(CLUSTER_DIRECTORY_NAME)) return;
  throw new KaasError(
    "KAAS_CONFIG_INVALID",
    `${view.directory} is no kaas volume: there is no ${CLUSTER_DIRECTORY_NAME} in it`,
  );
}

async function refuseWithoutCluster(view: VolumeView): Promise<void> {
  const { clusterDirectory } = view;
  let isThere: boolean;
  try {
    isThere = (await listIfThere(view, clusterDirectory)) !== undefined;
  } catch (error) {
    throw storageFailure(`${clusterDirectory} cannot be read`, error);
  }
  if (!isThere) throw new KaasError("KAAS_CONFIG_INVALID", `there is no directory ${clusterDirectory}`);
}
