import type { Log } from "@kaas/core";
import type { DurableFiles } from "./documents/durable-files.js";
import { type DirectoryLock, ensureDirectory, type FileSystem, isErrno } from "./file-system/file-system.js";
import { lastPart } from "./file-system/paths.js";
import { posixFileSystem } from "./file-system/posix.js";
import { storageFailure } from "./file-system/storage-failure.js";
import { checkSubstrate, warnOfMount } from "./file-system/substrate.js";
import type { JoinOptions } from "./leadership/join.js";

/** Makes the data directory if need be, and keeps other processes out of one that is not shared. */
export async function enterRoot(joining: JoinOptions, directory: string, log: Log): Promise<DirectoryLock> {
  const { files, cluster, isShared } = joining;
  const { fileSystem } = files;
  try {
    await makeRoot(fileSystem, directory);
    const isMade = await makeRoot(fileSystem, cluster);
    // Who made a topic and died before its name was durable left it to be found, and it is about to be relied upon.
    if (!isMade || parentOf(cluster) !== directory) await fileSystem.syncDirectory(directory);
    const lock = isShared ? { release: async () => undefined } : await fileSystem.lock(cluster);
    await checkMount(files, directory, isShared, log);
    if (!cluster.startsWith(`${directory}/`)) await checkMount(files, cluster, isShared, log);
    return lock;
  } catch (error) {
    throw storageFailure(`${directory} cannot be used as a data directory`, error);
  }
}

/** Only the machine's own file systems can be asked how they are mounted. */
export async function checkMount(
  { fileSystem, random }: DurableFiles,
  directory: string,
  isShared: boolean,
  log: Log,
): Promise<void> {
  if (fileSystem !== posixFileSystem) return;
  if (isShared) await checkSubstrate(directory, random);
  else await warnOfMount(directory, log);
}

/**
 * The directory, and what is missing on the way to it, durably. What is there belongs to somebody else, and is left
 * alone; then it answers false.
 */
async function makeRoot(fileSystem: FileSystem, directory: string): Promise<boolean> {
  const parent = parentOf(directory);
  try {
    await fileSystem.makeDirectory(directory);
  } catch (error) {
    if (isErrno(error, "EEXIST")) return false;
    if (!isErrno(error, "ENOENT")) throw error;
    await makeRoot(fileSystem, parent);
    await ensureDirectory(fileSystem, parent, lastPart(directory));
  }
  await fileSystem.syncDirectory(parent);
  return true;
}

function parentOf(directory: string): string {
  const slash = directory.lastIndexOf("/");
  return slash < 0 ? "." : directory.slice(0, slash) || "/";
}
