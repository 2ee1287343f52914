/**
 * A topic's directory.
 *
 * ```
 * <topic>/.topic-id.json    which incarnation of the name this is; claimed once
 * <topic>/.config.json      partition count and configuration; replaced as a whole
 * <topic>/<partition>/      one directory a partition
 * ```
 *
 * A topic comes and goes by one rename. Until it is complete, and from the moment it is deleted, its directory has a
 * name that no topic can have; whatever has such a name may be removed at any time.
 */
import type { Random, TopicDescription } from "@kaas/core";
import { topicNameProblem } from "@kaas/core/internal";
import type { DocumentTypes } from "../documents/document-types.js";
import { encodeDocument, readDocument } from "../documents/documents.js";
import { claimFile, replaceFile, writeNewFile } from "../documents/durable-files.js";
import { type DirectoryEntry, ensureDirectory, type FileSystem, isErrno } from "../file-system/file-system.js";
import type { Placement } from "../log-directories/log-directories.js";

export const TOPIC_ID_NAME = ".topic-id.json";
export const TOPIC_CONFIG_NAME = ".config.json";
const DISCARDED_PREFIX = ".deleting-";
/** With prefix and id, the longest topic names would not fit into a file name. */
const NAME_PART_MAX = 200;
const PARTITION_NAME = /^(0|[1-9]\d{0,8})$/;

/** Where topics' directories are. */
export interface TopicFiles {
  readonly fileSystem: FileSystem;
  readonly random: Random;
  readonly directory: string;
}

/** To which log directory partitions are to be moved, by its name; null is the data directory. */
export type Moves = ReadonlyMap<number, string | null>;

/** A topic, and where those of its partitions lie that are not in the data directory. */
export interface PlacedTopic extends TopicDescription {
  readonly placement: Placement;
  /** Which partitions are to be moved to which log directory; null is the data directory. */
  readonly moves?: Moves | undefined;
  /** The uid of the KafkaCluster whose operator keeps it; undefined where no operator does. */
  readonly keptFor?: string | undefined;
}

/** Whether a name may be that of a topic's directory. */
export function isTopicName(name: string): boolean {
  return topicNameProblem(name) === undefined;
}

/** Whether a topic's directory lists it as one of its partitions. */
export function isPartition({ name, isDirectory }: DirectoryEntry): boolean {
  return isDirectory && PARTITION_NAME.test(name);
}

/** Whether a directory is to be removed. */
export function isDiscarded(name: string): boolean {
  return name.startsWith(DISCARDED_PREFIX);
}

/**
 * Builds a topic's directory aside, with whatever `makeElsewhere` makes outside of the data directory, and moves it into
 * place; false when the name is taken.
 */
export async function createTopicDirectory(
  files: TopicFiles,
  topic: PlacedTopic,
  makeElsewhere: () => Promise<void>,
): Promise<boolean> {
  const { fileSystem, directory } = files;
  const aside = discardedPath(files, directory, topic.name);
  await fileSystem.makeDirectory(aside);
  const id = encodeDocument("topic-id", { name: topic.name, id: topic.id });
  await writeNewFile(fileSystem, `${aside}/${TOPIC_ID_NAME}`, id, true);
  await writeNewFile(fileSystem, `${aside}/${TOPIC_CONFIG_NAME}`, configContent(topic), true);
  for (let partition = 0; partition < topic.partitionCount; partition++) {
    if (!topic.placement.has(partition)) await fileSystem.makeDirectory(`${aside}/${partition}`);
  }
  await fileSystem.syncDirectory(aside);
  if (topic.placement.size > 0) {
    await fileSystem.syncDirectory(directory);
    await makeElsewhere();
  }
  try {
    await fileSystem.rename(aside, `${directory}/${topic.name}`);
  } catch (error) {
    if (isErrno(error, "ENOTEMPTY") || isErrno(error, "EEXIST") || isErrno(error, "ENOTDIR")) return false;
    throw error;
  }
  await fileSystem.syncDirectory(directory);
  return true;
}

/** Takes a topic out of sight; resolves with the directory to be removed. */
export async function discardTopicDirectory(files: TopicFiles, name: string): Promise<string> {
  const { fileSystem, directory } = files;
  const aside = discardedPath(files, directory, name);
  await fileSystem.rename(`${directory}/${name}`, aside);
  await fileSystem.syncDirectory(directory);
  return aside;
}

/** Makes the directories of more partitions. They count once the configuration says so. */
export async function addPartitionDirectories(
  { fileSystem, directory }: TopicFiles,
  { name, partitionCount, placement }: PlacedTopic,
  from: number,
): Promise<void> {
  for (let partition = from; partition < partitionCount; partition++) {
    if (!placement.has(partition)) await ensureDirectory(fileSystem, `${directory}/${name}`, String(partition));
  }
}

export async function writeTopicConfig(files: TopicFiles, topic: PlacedTopic): Promise<void> {
  await replaceFile(files, `${files.directory}/${topic.name}`, TOPIC_CONFIG_NAME, configContent(topic));
}

/**
 * What a directory says about its topic; undefined when it is none. A directory that has partitions and no stamp, such
 * as one that was restored from a copy, is adopted and gets one, if that is for this process to do (`adopts`).
 */
export async function readTopicDirectory(
  files: TopicFiles,
  name: string,
  adopts = true,
): Promise<PlacedTopic | undefined> {
  const { fileSystem, directory } = files;
  const path = `${directory}/${name}`;
  const entries = await fileSystem.list(path);
  const hasConfig = entries.some((entry) => entry.name === TOPIC_CONFIG_NAME);
  const partitionCount = entries.filter(isPartition).length;
  if (!entries.some((entry) => entry.name === TOPIC_ID_NAME)) {
    // `.snapshot` and the like belong to the file system, whatever is in them.
    if (!adopts || name.startsWith(".") || (!hasConfig && partitionCount === 0)) return undefined;
    const stamp = encodeDocument("topic-id", { name, id: files.random.uuid() });
    await claimFile(files, path, TOPIC_ID_NAME, stamp);
  }
  const { id } = await readDocument(fileSystem, `${path}/${TOPIC_ID_NAME}`, "topic-id");
  if (!hasConfig) {
    const adopted: PlacedTopic = { name, id, partitionCount, overrides: {}, placement: new Map() };
    await writeTopicConfig(files, adopted);
    return adopted;
  }
  const config = await readDocument(fileSystem, `${path}/${TOPIC_CONFIG_NAME}`, "topic-config");
  const placement = new Map<number, string>();
  for (const [partition, where] of Object.entries(config.placement ?? {})) placement.set(Number(partition), where);
  const moves = Object.entries(config.moves ?? {}).map(([partition, to]) => [Number(partition), to] as const);
  return {
    name,
    id,
    partitionCount: config.partitionCount,
    overrides: config.overrides,
    placement,
    ...(moves.length === 0 ? {} : { moves: new Map(moves) }),
    ...(config.keptFor === undefined ? {} : { keptFor: config.keptFor }),
  };
}

/** What a directory says about its topic, as it is: nothing is stamped or written. */
export interface FoundTopic extends Omit<PlacedTopic, "id"> {
  /** Undefined where the directory is not stamped. */
  readonly id: string | undefined;
  /** Whether it says what it holds; if not, partitions were counted. */
  readonly hasConfig: boolean;
}

/** Looks at a directory; undefined where there is none, or nothing that looks like a topic in it. */
export async function findTopicDirectory(files: TopicFiles, name: string): Promise<FoundTopic | undefined> {
  const { fileSystem, directory } = files;
  const isThere = (await fileSystem.list(directory)).some((entry) => entry.name === name && entry.isDirectory);
  if (!isThere) return undefined;
  const entries = await fileSystem.list(`${directory}/${name}`);
  const isStamped = entries.some((entry) => entry.name === TOPIC_ID_NAME);
  if (isStamped && entries.some((entry) => entry.name === TOPIC_CONFIG_NAME)) {
    const found = await readTopicDirectory(files, name);
    return found === undefined ? undefined : { ...found, hasConfig: true };
  }
  const id = isStamped
    ? (await readDocument(fileSystem, `${directory}/${name}/${TOPIC_ID_NAME}`, "topic-id")).id
    : undefined;
  const numbers = entries.filter(isPartition).map((entry) => Number(entry.name));
  const partitionCount = numbers.length === 0 ? 0 : Math.max(...numbers) + 1;
  return { name, id, partitionCount, overrides: {}, placement: new Map(), hasConfig: false };
}

/** Says whose a directory is that does not say so; false when somebody else did so meanwhile. */
export function stampTopicDirectory(
  files: TopicFiles,
  { name, id }: Pick<TopicDescription, "name" | "id">,
): Promise<boolean> {
  return claimFile(files, `${files.directory}/${name}`, TOPIC_ID_NAME, encodeDocument("topic-id", { name, id }));
}

/** The id of a topic that is being created or deleted; undefined when its directory does not say. */
export async function readDiscardedTopic(
  { fileSystem, directory }: TopicFiles,
  discarded: string,
): Promise<DocumentTypes["topic-id"] | undefined> {
  try {
    return await readDocument(fileSystem, `${directory}/${discarded}/${TOPIC_ID_NAME}`, "topic-id");
  } catch {
    return undefined; // cut off while it was made or removed: nothing of it lies elsewhere then
  }
}

function configContent({ partitionCount, overrides, placement, moves, keptFor }: PlacedTopic): Buffer {
  const elsewhere = placement.size === 0 ? {} : { placement: Object.fromEntries(placement) };
  const moving = moves === undefined || moves.size === 0 ? {} : { moves: Object.fromEntries(moves) };
  const kept = keptFor === undefined ? {} : { keptFor };
  return encodeDocument("topic-config", { partitionCount, overrides, ...elsewhere, ...moving, ...kept });
}

/** A name that no topic has, in a directory of topics. */
export function discardedPath({ random }: TopicFiles, directory: string, name: string): string {
  return `${directory}/${DISCARDED_PREFIX}${name.slice(0, NAME_PART_MAX)}-${random.uuid()}`;
}
