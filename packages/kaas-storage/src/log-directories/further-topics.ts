/**
 * A topic's directories outside of the data directory.
 *
 * ```
 * <further>/<topic>/.topic-id.json    whose they are
 * <further>/<topic>/<partition>/      as in the data directory
 * ```
 *
 * They come before the topic does and go after it: what decides is the data directory. A crash in between leaves the
 * topic's id in a directory that is to be removed, and that is how the next start knows what goes with it. A directory
 * with any other id belongs to something that we do not know, and is left alone.
 */
import { KaasError, type TopicDescription } from "@kaas/core";
import { encodeDocument, readDocument } from "../documents/documents.js";
import { ensureDirectory, isErrno } from "../file-system/file-system.js";
import { writeNewFile } from "../documents/durable-files.js";
import { discardedPath, TOPIC_ID_NAME, type TopicFiles } from "../topics/topic-files.js";
import type { LogDirectory } from "./log-directories.js";

/** Makes directories for partitions of a topic, and the topic's own around them unless it is there. */
export async function makeFurtherPartitions(
  files: TopicFiles,
  { path }: LogDirectory,
  topic: Pick<TopicDescription, "name" | "id">,
  partitions: readonly number[],
): Promise<void> {
  const { fileSystem } = files;
  const directory = `${path}/${topic.name}`;
  const id = await furtherTopicId(files, path, topic.name);
  if (id === undefined) await makeFurtherTopic(files, path, topic);
  else if (id !== topic.id) {
    throw new KaasError(
      "KAAS_TOPIC_CONFLICT",
      `topic ${topic.name}: ${directory} belongs to ${id}, which is no topic here; move it away or remove it`,
    );
  }
  for (const partition of partitions) await ensureDirectory(fileSystem, directory, String(partition));
}

/** Whose directory that is; undefined when there is none. */
export async function furtherTopicId(
  { fileSystem }: TopicFiles,
  path: string,
  name: string,
): Promise<string | undefined> {
  try {
    return (await readDocument(fileSystem, `${path}/${name}/${TOPIC_ID_NAME}`, "topic-id")).id;
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Takes a topic's directory out of sight; resolves with what is to be removed, if there is any. */
export async function discardFurtherTopic(
  files: TopicFiles,
  { path }: LogDirectory,
  topic: Pick<TopicDescription, "name" | "id">,
): Promise<string | undefined> {
  if ((await furtherTopicId(files, path, topic.name)) !== topic.id) return undefined;
  const aside = discardedPath(files, path, topic.name);
  await files.fileSystem.rename(`${path}/${topic.name}`, aside);
  await files.fileSystem.syncDirectory(path);
  return aside;
}

async function makeFurtherTopic(
  files: TopicFiles,
  path: string,
  { name, id }: Pick<TopicDescription, "name" | "id">,
): Promise<void> {
  const { fileSystem } = files;
  const aside = discardedPath(files, path, name);
  await fileSystem.makeDirectory(aside);
  await writeNewFile(fileSystem, `${aside}/${TOPIC_ID_NAME}`, encodeDocument("topic-id", { name, id }), true);
  await fileSystem.syncDirectory(aside);
  await fileSystem.rename(aside, `${path}/${name}`);
  await fileSystem.syncDirectory(path);
}
