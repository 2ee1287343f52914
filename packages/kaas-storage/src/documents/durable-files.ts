/**
 * The ways in which a small file comes to be. All of them write aside first, so that a reader never meets half a file.
 * What is left of a writer that crashed is called `tmp-…` and is swept by whoever next opens the directory.
 */
import type { Random } from "@kaas/core";
import { type FileSystem, isErrno } from "../file-system/file-system.js";

const TEMPORARY_PREFIX = "tmp-";

/** Whether a name is that of a file that never came to be. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith(TEMPORARY_PREFIX);
}

/** Where and with which names small files are written. */
export interface DurableFiles {
  readonly fileSystem: FileSystem;
  readonly random: Random;
}

/**
 * Link-claim: makes a file under a name that nobody has, content and all at once. False when the name is taken.
 * Durable when it resolves.
 *
 * A file server may lose its answer and be asked again: the link then seems to have failed, or its name to be taken,
 * though it was this very call that made it. So what the name holds decides. Whoever races for a name must therefore
 * write what nobody else would: an incarnation, or something else that is random.
 */
export async function claimFile(
  { fileSystem, random }: DurableFiles,
  directory: string,
  name: string,
  content: Buffer,
): Promise<boolean> {
  const temporary = `${directory}/${TEMPORARY_PREFIX}${random.uuid()}`;
  const path = `${directory}/${name}`;
  await writeNewFile(fileSystem, temporary, content, true);
  try {
    await fileSystem.link(temporary, path);
  } catch (error) {
    if (!(await holds(fileSystem, path, content))) {
      await removeLeftover(fileSystem, temporary);
      if (isErrno(error, "EEXIST")) return false;
      throw error;
    }
  }
  await fileSystem.syncDirectory(directory);
  await removeLeftover(fileSystem, temporary);
  return true;
}

async function holds(fileSystem: FileSystem, path: string, content: Buffer): Promise<boolean> {
  try {
    return (await fileSystem.readFile(path)).equals(content);
  } catch {
    return false; // the error of the link is the one that counts
  }
}

async function removeLeftover(fileSystem: FileSystem, temporary: string): Promise<void> {
  try {
    await fileSystem.unlink(temporary);
  } catch {
    // It changes nothing about the claim, and is swept by whoever next opens the directory.
  }
}

/** Replaces a file that has one writer. Durable when it resolves; a reader sees the old content or the new. */
export async function replaceFile(
  { fileSystem, random }: DurableFiles,
  directory: string,
  name: string,
  content: Buffer,
): Promise<void> {
  await swapIn(fileSystem, `${directory}/${TEMPORARY_PREFIX}${random.uuid()}`, `${directory}/${name}`, content, true);
  await fileSystem.syncDirectory(directory);
}

/** Replaces a file that decides nothing: a hint, or a copy for people. A crash may lose or garble it. */
export async function replaceHint(
  { fileSystem, random }: DurableFiles,
  directory: string,
  name: string,
  content: Buffer,
): Promise<void> {
  await swapIn(fileSystem, `${directory}/${TEMPORARY_PREFIX}${random.uuid()}`, `${directory}/${name}`, content, false);
}

async function swapIn(
  fileSystem: FileSystem,
  temporary: string,
  path: string,
  content: Buffer,
  durable: boolean,
): Promise<void> {
  await writeNewFile(fileSystem, temporary, content, durable);
  await fileSystem.rename(temporary, path);
}

/** Writes a file that does not exist yet. Its name is not durable before its directory is. */
export async function writeNewFile(
  fileSystem: FileSystem,
  path: string,
  content: Buffer,
  durable: boolean,
): Promise<void> {
  const handle = await fileSystem.open(path, "create");
  try {
    await handle.writev([content], 0);
    if (durable) await handle.dataSync();
  } finally {
    await handle.close();
  }
}
