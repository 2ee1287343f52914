import type { DocumentTypes } from "../documents/document-types.js";
import { isTemporaryName } from "../documents/durable-files.js";
import type { DirectoryEntry } from "../file-system/file-system.js";
import { findHome, type PartitionHome } from "../moving/find-home.js";
import { hasDeparted, needless } from "../moving/sweep-elsewhere.js";
import { PartitionFiles } from "../partition/partition-files.js";
import type { MovedAway } from "../partition/recovery.js";
import { isPartition, TOPIC_CONFIG_NAME, TOPIC_ID_NAME } from "../topics/topic-files.js";
import { probeDocument } from "./document-probe.js";
import { type Finding, finding } from "./finding.js";
import { isFileSystemName, listIfThere, unreadable, type VolumeView } from "./volume-view.js";

/** Where a partition lies. */
export interface PartitionDirectory {
  readonly partition: number;
  readonly directory: string;
  /** What it arrived with, where it was moved to the directory and nobody has led it there yet. @internal */
  readonly arrival?: MovedAway | undefined;
}

/** A topic as its directory describes it. */
export interface TopicView {
  readonly name: string;
  readonly directory: string;
  /** Undefined where it is not stamped, or the stamp is not readable. */
  readonly id: string | undefined;
  /** What the configuration says; without one, how many directories there are. */
  readonly partitionCount: number;
  readonly overrides: Readonly<Record<string, string>>;
  /** Names of the log directories of partitions that do not lie in the data directory, by partition, as they lie now. */
  readonly placement: Readonly<Record<string, string>>;
  /** Directories of the partitions that have one, ascending by partition. */
  readonly partitions: readonly PartitionDirectory[];
  readonly findings: readonly Finding[];
}

/** Reads a topic's directory; undefined when there is none, or when it is no topic's. */
export async function viewTopic(view: VolumeView, name: string): Promise<TopicView | undefined> {
  const directory = `${view.directory}/${name}`;
  const entries = await listIfThere(view, directory);
  if (entries === undefined) return undefined;
  const numbers = partitionNumbers(entries);
  const hasStamp = entries.some((entry) => entry.name === TOPIC_ID_NAME);
  const hasConfig = entries.some((entry) => entry.name === TOPIC_CONFIG_NAME);
  // What the file system keeps for itself, and directories that happen to lie here.
  if (!hasStamp && (name.startsWith(".") || (!hasConfig && numbers.length === 0))) return undefined;
  const findings = strayNames(directory, entries);
  const id = await readStamp(view, directory, name, findings);
  const config = await readConfig(view, directory, findings);
  const { partitionCount = numbers.length, overrides = {}, placement = {} } = config ?? {};
  const partitions = numbers.map((partition) => ({ partition, directory: `${directory}/${partition}` }));
  const topic = { name, directory, id, partitionCount, overrides, placement, partitions, findings };
  return placeTopic(view, topic);
}

/** The partitions among the names in a topic's directory, ascending. */
export function partitionNumbers(entries: readonly DirectoryEntry[]): number[] {
  return entries
    .filter(isPartition)
    .map((entry) => Number(entry.name))
    .sort((a, b) => a - b);
}

/** Finds each partition where the topic says that it lies; `partitions` are those in the data directory. */
async function placeTopic(view: VolumeView, described: TopicView): Promise<TopicView> {
  const homes = await findHomes(view, described);
  const moved = [...homes].flatMap(([partition, { logDirectory }]) =>
    logDirectory === null ? [] : [[partition, logDirectory]],
  );
  const topic: TopicView = { ...described, placement: Object.fromEntries(moved) };
  const here = new Set(topic.partitions.map(({ partition }) => partition));
  const there = new Map<string, ReadonlySet<number>>();
  const findings = [...topic.findings];
  const partitions: PartitionDirectory[] = [];
  for (const [name, path] of view.further) {
    if (!Object.values(topic.placement).includes(name)) continue;
    there.set(name, new Set(partitionNumbers((await listIfThere(view, `${path}/${topic.name}`)) ?? [])));
  }
  for (let partition = 0; partition < topic.partitionCount; partition++) {
    const name = topic.placement[partition];
    const parent = name === undefined ? topic.directory : `${view.further.get(name)}/${topic.name}`;
    const directory = `${parent}/${partition}`;
    if (name !== undefined && !view.further.has(name)) {
      const message = `partition ${partition} lies in the log directory "${name}"`;
      findings.push(finding("log-directory-unknown", `${topic.directory}/${TOPIC_CONFIG_NAME}`, message));
    } else if ((name === undefined ? here : there.get(name))?.has(partition)) {
      const arrival = homes.get(partition)?.arrival;
      partitions.push({ partition, directory, ...(arrival === undefined ? {} : { arrival }) });
    } else {
      const message = `the topic has ${topic.partitionCount} partitions, and this one has no directory`;
      findings.push(finding("partition-missing", directory, message));
    }
  }
  for (const partition of here) {
    if (partition < topic.partitionCount && topic.placement[partition] === undefined) continue;
    findings.push(...(await judgeStray(view, topic, partition, `${topic.directory}/${partition}`, view.directory)));
  }
  return { ...topic, partitions, findings };
}

/** Where each partition lies, as far as its moves can be followed. */
async function findHomes(view: VolumeView, topic: TopicView): Promise<ReadonlyMap<number, PartitionHome>> {
  const homes = new Map<number, PartitionHome>();
  for (let partition = 0; partition < topic.partitionCount; partition++) {
    const start = topic.placement[partition] ?? null;
    const directoryOf = (name: string | null): string | undefined => {
      const root = name === null ? view.directory : view.further.get(name);
      return root === undefined ? undefined : `${root}/${topic.name}/${partition}`;
    };
    try {
      homes.set(partition, await findHome(view.fileSystem, directoryOf, start));
    } catch {
      homes.set(partition, { logDirectory: start }); // what is wrong with its directory is found by looking into that
    }
  }
  return homes;
}

/**
 * What a partition's directory is that the topic does not mean. One that it moved away from stays, to tell where it went.
 * Directories come before the configuration that counts
 * them: one that is empty, beyond the count, is what a broker leaves that crashed in between. Nothing was ever in it.
 */
export async function judgeStray(
  view: VolumeView,
  topic: TopicView,
  partition: number,
  directory: string,
  root: string,
): Promise<readonly Finding[]> {
  if (partition < topic.partitionCount) {
    const left = await judgeLeft(view, directory);
    if (left !== undefined) return left;
    const where = topic.placement[partition];
    return [finding("partition-orphaned", directory, `it lies in ${where ?? view.directory}, and not in ${root}`)];
  }
  const isEmpty = (await listIfThere(view, directory))?.length === 0;
  const message = `the topic has ${topic.partitionCount} partitions`;
  return [finding(isEmpty ? "partition-unfinished" : "partition-orphaned", directory, message)];
}

/** What moves have left in a directory; undefined where there is more to it. */
async function judgeLeft(view: VolumeView, directory: string): Promise<readonly Finding[] | undefined> {
  try {
    const entries = (await listIfThere(view, directory)) ?? [];
    const listed = PartitionFiles.of(directory, entries);
    const left = needless(listed, Number.POSITIVE_INFINITY);
    const isMore = left.length < listed.files.length || (listed.files.length === 0 && entries.length > 0);
    if (!hasDeparted(listed) && isMore) return undefined;
    const message = "the partition does not lie here";
    if (entries.length === 0) return [finding("move-unfinished", directory, "it is empty")];
    return left.map(({ name }) => finding("move-unfinished", listed.path(name), message));
  } catch (error) {
    return [unreadable(directory, error)];
  }
}

async function readStamp(
  view: VolumeView,
  directory: string,
  name: string,
  findings: Finding[],
): Promise<string | undefined> {
  const path = `${directory}/${TOPIC_ID_NAME}`;
  const probe = await probeDocument(view, path, "topic-id");
  if (probe.state === "bad") findings.push(probe.finding);
  if (probe.state === "gone") findings.push(finding("topic-id-missing", path, "it is not there"));
  if (probe.state !== "valid") return undefined;
  if (probe.value.name !== name) {
    findings.push(finding("topic-id-misnamed", path, `it is the id of topic ${probe.value.name}`));
  }
  return probe.value.id;
}

async function readConfig(
  view: VolumeView,
  directory: string,
  findings: Finding[],
): Promise<DocumentTypes["topic-config"] | undefined> {
  const path = `${directory}/${TOPIC_CONFIG_NAME}`;
  const probe = await probeDocument(view, path, "topic-config");
  if (probe.state === "bad") findings.push(probe.finding);
  if (probe.state === "gone") findings.push(finding("topic-config-missing", path, "it is not there"));
  return probe.state === "valid" ? probe.value : undefined;
}

function strayNames(directory: string, entries: readonly DirectoryEntry[]): Finding[] {
  return entries.flatMap((entry) => {
    const { name } = entry;
    const path = `${directory}/${name}`;
    if (name === TOPIC_ID_NAME || name === TOPIC_CONFIG_NAME || isFileSystemName(name)) return [];
    if (isPartition(entry)) return [];
    if (isTemporaryName(name)) return [finding("temporary-leftover", path, "it was never finished")];
    return [finding("name-unknown", path, "it is none of a topic's files")];
  });
}
