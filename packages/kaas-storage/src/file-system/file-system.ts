/**
 * Everything that kaas asks of a file system. Adapters: `posix` (the real one) and `memory`. Failures reject, or
 * throw, an error whose `code` is the errno name (`ENOENT`, `EEXIST`, `ENOSPC`, …).
 *
 * The calls named `…Sync` exist for the hot path alone: a hop over the thread pool costs several times what writing or
 * reading a page-cached range does.
 */
export interface FileSystem {
  /**
   * Whether zeros written ahead of the data make a later {@link FileHandle.dataSync} cheaper: true where a change of a
   * file's size has to go through a journal.
   */
  readonly preallocationHelps: boolean;
  /** Opens a file, or makes it. A pipe that stands in its place is not waited for. */
  open(path: string, mode: OpenMode): Promise<FileHandle>;
  /** The whole content of a file. */
  readFile(path: string): Promise<Buffer>;
  /** What a directory has at this moment, in no order: the directory is opened anew, past what a cache believes. */
  list(directory: string): Promise<readonly DirectoryEntry[]>;
  /** Makes one directory; `EEXIST` when the name is taken, `ENOENT` when the parent is missing. */
  makeDirectory(path: string): Promise<void>;
  /** Removes an empty directory. */
  removeDirectory(path: string): Promise<void>;
  /** A second name for a file; `EEXIST` when the name is taken. Of several racing calls exactly one wins. */
  link(existing: string, path: string): Promise<void>;
  /** Atomic; replaces a file that has the new name. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file's name; `ENOENT` when it is gone. Who has the file open goes on with it. */
  unlink(path: string): Promise<void>;
  /** Makes the names in a directory durable. */
  syncDirectory(path: string): Promise<void>;
  /** How full the file system is that a directory lies on. */
  space(path: string): Promise<SpaceStatus>;
  /**
   * Exclusive use of a directory by one process, until released or until the process ends in whatever way. Rejects
   * with `KAAS_VOLUME_LOCKED` when another one has it.
   */
  lock(directory: string): Promise<DirectoryLock>;
}

/**
 * `read`, `uncached` and `write` want the file to exist, `create` wants it not to. `write` and `create` may also read.
 *
 * `uncached` is `read`, except that every read asks the file server and no cache of this machine: what another machine
 * has made durable is seen. A file of a local disk has one cache for all, so there it may be the same as `read`.
 */
export type OpenMode = "read" | "uncached" | "write" | "create";

/** An open file. Positions are explicit; there is no cursor. */
export interface FileHandle {
  /** Writes all of the buffers, one after the other, from `position`. */
  writevSync(buffers: readonly Buffer[], position: number): void;
  writev(buffers: readonly Buffer[], position: number): Promise<void>;
  /** Fills `into` from `position`; answers how much there was, less than asked only at the end of the file. */
  readSync(into: Buffer, position: number): number;
  read(into: Buffer, position: number): Promise<number>;
  /** Makes the data written through this handle durable, and the file's size with it. */
  dataSync(): Promise<void>;
  /** Cuts the file, or extends it with zeros. */
  truncate(sizeBytes: number): Promise<void>;
  /** Its length in bytes, as this machine knows it. */
  size(): Promise<number>;
  /** The handle is not used after it. An error of an earlier write may only be told now. */
  close(): Promise<void>;
}

/** A name in a directory, and what it stands for. */
export interface DirectoryEntry {
  readonly name: string;
  readonly isDirectory: boolean;
  /** Whether it is a symbolic link, whatever it leads to. */
  readonly isLink?: boolean;
}

/** −1 where it is not known. */
export interface SpaceStatus {
  readonly totalBytes: number;
  /** What an unprivileged process may still use. */
  readonly usableBytes: number;
}

/** Exclusive use of a directory, until it is released or the process ends. */
export interface DirectoryLock {
  release(): Promise<void>;
}

/** Whether an error is the file system's answer of that name, such as `ENOENT`. */
export function isErrno(error: unknown, code: string): boolean {
  return errnoOf(error) === code;
}

/** The name of the system's error, such as `ENOSPC`; undefined for what is none. */
export function errnoOf(error: unknown): string | undefined {
  const { code } = error instanceof Error ? (error as { code?: unknown }) : {};
  return typeof code === "string" ? code : undefined;
}

/**
 * Makes a directory unless it is there already, and its name durable in `parent`. One that is there already may have
 * been made by a process that was killed before it could make the name durable.
 */
export async function ensureDirectory(fileSystem: FileSystem, parent: string, name: string): Promise<void> {
  try {
    await fileSystem.makeDirectory(`${parent}/${name}`);
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
  }
  await fileSystem.syncDirectory(parent);
}

/** A file's content; undefined when it is not there. */
export async function readIfThere(fileSystem: FileSystem, path: string): Promise<Buffer | undefined> {
  try {
    return await fileSystem.readFile(path);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** What a directory has; undefined when it is not there. */
export async function listIfThere(
  fileSystem: FileSystem,
  path: string,
): Promise<readonly DirectoryEntry[] | undefined> {
  try {
    return await fileSystem.list(path);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

/**
 * Whether a directory lists a name at this moment. That a file is not there is believed of a directory that is opened
 * anew, never of a look-up: another machine's file may be unknown to this one's cache for a minute.
 */
export async function isListed(fileSystem: FileSystem, directory: string, name: string): Promise<boolean> {
  return (await fileSystem.list(directory)).some((entry) => entry.name === name);
}

/** Removes a file unless it is gone already. */
export async function removeFile(fileSystem: FileSystem, path: string): Promise<void> {
  try {
    await fileSystem.unlink(path);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
  }
}

/** Removes a directory and all that is in it. What has gone meanwhile is fine. */
export async function removeTree(fileSystem: FileSystem, path: string): Promise<void> {
  let entries: readonly DirectoryEntry[];
  try {
    entries = await fileSystem.list(path);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return;
    throw error;
  }
  for (const entry of entries) {
    const child = `${path}/${entry.name}`;
    await (entry.isDirectory ? removeTree(fileSystem, child) : removeFile(fileSystem, child));
  }
  await fileSystem.removeDirectory(path);
}
