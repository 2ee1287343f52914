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
import { encodeDocument, readDocument } from "../documents/documents.js";
import { claimFile, replaceFile, writeNewFile } from "../documents/durable-files.js";
import { ensureDirectory, type FileSystem, isErrno } from "../file-system/file-system.js";

const TOPIC_ID_NAME = ".topic-id.json";
const CONFIG_NAME = ".config.json";
const DISCARDED_PREFIX = ".deleting-";
const CLUSTER_PREFIX = "__cluster";
/** With prefix and id, the longest topic names would not fit into a file name. */
const NAME_PART_MAX = 200;
const TOPIC_NAME = /^[A-Za-z0-9._-]{1,249}$/;
const PARTITION_NAME = /^(0|[1-9]\d{0,8})$/;

/** Where topics' directories are. */
export interface TopicFiles {
  readonly fileSystem: FileSystem;
  readonly random: Random;
  readonly directory: string;
}

/** Whether a name may be that of a topic's directory. */
export function isTopicName(name: string): boolean {
  if (!TOPIC_NAME.test(name) || name === "." || name === "..") return false;
  return !name.startsWith(CLUSTER_PREFIX) && !name.startsWith(DISCARDED_PREFIX);
}

/** Whether a directory is to be removed. */
export function isDiscarded(name: string): boolean {
  return name.startsWith(DISCARDED_PREFIX);
}

/** Builds a topic's directory aside and moves it into place; false when the name is taken. */
export async function createTopicDirectory(files: TopicFiles, topic: TopicDescription): Promise<boolean> {
  const { fileSystem, directory } = files;
  const aside = discardedPath(files, topic.name);
  await fileSystem.makeDirectory(aside);
  const id = encodeDocument("topic-id", { name: topic.name, id: topic.id });
  await writeNewFile(fileSystem, `${aside}/${TOPIC_ID_NAME}`, id, true);
  await writeNewFile(fileSystem, `${aside}/${CONFIG_NAME}`, configContent(topic), true);
  for (let partition = 0; partition < topic.partitionCount; partition++) {
    await fileSystem.makeDirectory(`${aside}/${partition}`);
  }
  await fileSystem.syncDirectory(aside);
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
  const aside = discardedPath(files, name);
  await fileSystem.rename(`${directory}/${name}`, aside);
  await fileSystem.syncDirectory(directory);
  return aside;
}

/** Makes the directories of further partitions. They count once the configuration says so. */
export async function addPartitionDirectories(
  { fileSystem, directory }: TopicFiles,
  name: string,
  from: number,
  to: number,
): Promise<void> {
  for (let partition = from; partition < to; partition++) {
    await ensureDirectory(fileSystem, `${directory}/${name}`, String(partition));
  }
}

export async function writeTopicConfig(files: TopicFiles, topic: TopicDescription): Promise<void> {
  await replaceFile(files, `${files.directory}/${topic.name}`, CONFIG_NAME, configContent(topic));
}

/**
 * What a directory says about its topic; undefined when it is none. A directory that has partitions and no stamp, such
 * as one that was restored from a copy, is adopted and gets one.
 */
export async function readTopicDirectory(files: TopicFiles, name: string): Promise<TopicDescription | undefined> {
  const { fileSystem, directory } = files;
  const path = `${directory}/${name}`;
  const entries = await fileSystem.list(path);
  const hasConfig = entries.some((entry) => entry.name === CONFIG_NAME);
  const partitionCount = entries.filter((entry) => entry.isDirectory && PARTITION_NAME.test(entry.name)).length;
  if (!entries.some((entry) => entry.name === TOPIC_ID_NAME)) {
    // `.snapshot` and the like belong to the file system, whatever is in them.
    if (name.startsWith(".") || (!hasConfig && partitionCount === 0)) return undefined;
    const stamp = encodeDocument("topic-id", { name, id: files.random.uuid() });
    await claimFile(files, path, TOPIC_ID_NAME, stamp);
  }
  const { id } = await readDocument(fileSystem, `${path}/${TOPIC_ID_NAME}`, "topic-id");
  if (!hasConfig) {
    const adopted: TopicDescription = { name, id, partitionCount, overrides: {} };
    await writeTopicConfig(files, adopted);
    return adopted;
  }
  const config = await readDocument(fileSystem, `${path}/${CONFIG_NAME}`, "topic-config");
  return { name, id, partitionCount: config.partitionCount, overrides: config.overrides };
}

function configContent({ partitionCount, overrides }: TopicDescription): Buffer {
  return encodeDocument("topic-config", { partitionCount, overrides });
}

function discardedPath({ directory, random }: TopicFiles, name: string): string {
  return `${directory}/${DISCARDED_PREFIX}${name.slice(0, NAME_PART_MAX)}-${random.uuid()}`;
}
