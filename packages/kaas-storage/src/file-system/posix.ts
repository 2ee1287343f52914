import * as fs from "node:fs";
import { DirectFile, openDirect } from "./direct-file.js";
import { lockDirectory } from "./directory-lock.js";
import type { DirectoryEntry, DirectoryLock, FileHandle, FileSystem, OpenMode, SpaceStatus } from "./file-system.js";
import { openDescriptor } from "./open-descriptor.js";

const READ_FLAGS: number = fs.constants.O_RDONLY;
/** Numbers are taken as well as names; a pipe that stands in a file's place is not waited for. */
const READ_FILE_FLAGS: string = (fs.constants.O_RDONLY | fs.constants.O_NONBLOCK) as unknown as string;
const OPEN_FLAGS: Readonly<Record<Exclude<OpenMode, "uncached">, number>> = {
  read: READ_FLAGS,
  write: fs.constants.O_RDWR,
  create: fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_EXCL,
};
/** Data of all clients: nobody else on the machine has business reading it. */
const DIRECTORY_MODE = 0o700;
/** Of the 104 to 108 bytes that a socket's address may have, what is left for the directory. */
const SOCKET_DIRECTORY_BYTES_MAX = 60;

/** A file by its descriptor. Callbacks rather than `fs.promises`: its handles cost twice as much a call. */
class PosixFile implements FileHandle {
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  writevSync(buffers: readonly Buffer[], position: number): void {
    let rest = buffers;
    let at = position;
    for (;;) {
      const [only] = rest;
      const written =
        rest.length === 1 && only !== undefined
          ? fs.writeSync(this.#descriptor, only, 0, only.length, at)
          : fs.writevSync(this.#descriptor, rest, at);
      at += written;
      rest = unwritten(rest, written);
      if (rest.length === 0) return;
    }
  }

  async writev(buffers: readonly Buffer[], position: number): Promise<void> {
    let rest = buffers;
    let at = position;
    while (rest.length > 0) {
      const pending = rest;
      const written = await new Promise<number>((resolve, reject) => {
        fs.writev(this.#descriptor, pending, at, (error, count) => (error === null ? resolve(count) : reject(error)));
      });
      at += written;
      rest = unwritten(rest, written);
    }
  }

  readSync(into: Buffer, position: number): number {
    let filled = 0;
    while (filled < into.length) {
      const count = fs.readSync(this.#descriptor, into, filled, into.length - filled, position + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }

  async read(into: Buffer, position: number): Promise<number> {
    let filled = 0;
    while (filled < into.length) {
      const from = filled;
      const count = await new Promise<number>((resolve, reject) => {
        fs.read(this.#descriptor, into, from, into.length - from, position + from, (error, read) =>
          error === null ? resolve(read) : reject(error),
        );
      });
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }

  dataSync(): Promise<void> {
    return call((done) => fs.fdatasync(this.#descriptor, done));
  }

  truncate(sizeBytes: number): Promise<void> {
    return call((done) => fs.ftruncate(this.#descriptor, sizeBytes, done));
  }

  size(): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.fstat(this.#descriptor, (error, stats) => (error === null ? resolve(stats.size) : reject(error)));
    });
  }

  close(): Promise<void> {
    return call((done) => fs.close(this.#descriptor, done));
  }
}

/** What is left of `buffers` once `count` bytes of them are out. */
function unwritten(buffers: readonly Buffer[], count: number): readonly Buffer[] {
  let left = count;
  for (let index = 0; index < buffers.length; index++) {
    const buffer = buffers[index] as Buffer;
    if (left < buffer.length) return [buffer.subarray(left), ...buffers.slice(index + 1)];
    left -= buffer.length;
  }
  return [];
}

function call(start: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error == null ? resolve() : reject(error)));
  });
}

function entryOf(entry: fs.Dirent): DirectoryEntry {
  const { name } = entry;
  return entry.isSymbolicLink()
    ? { name, isDirectory: false, isLink: true }
    : { name, isDirectory: entry.isDirectory() };
}

/** Calls on a descriptor do not know what it is of: their errors name no file. */
function named(error: NodeJS.ErrnoException, path: string): Error {
  if (error.path !== undefined) return error;
  error.path = path;
  error.message += ` '${path}'`;
  return error;
}

/** The file system of the machine. */
class PosixFileSystem implements FileSystem {
  readonly preallocationHelps = true;

  async open(path: string, mode: OpenMode): Promise<FileHandle> {
    if (mode !== "uncached") return new PosixFile(await openDescriptor(path, OPEN_FLAGS[mode]));
    const { descriptor, isDirect } = await openDirect(path);
    return isDirect ? new DirectFile(descriptor) : new PosixFile(descriptor);
  }

  readFile(path: string): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      // By its path: of a descriptor, Node takes a read that fails for the end of the file.
      fs.readFile(path, { flag: READ_FILE_FLAGS }, (error, content) => {
        if (error === null) resolve(content);
        else reject(named(error, path));
      });
    });
  }

  list(directory: string): Promise<readonly DirectoryEntry[]> {
    return new Promise((resolve, reject) => {
      fs.readdir(directory, { withFileTypes: true }, (error, entries) => {
        if (error !== null) reject(error);
        else resolve(entries.map(entryOf));
      });
    });
  }

  makeDirectory(path: string): Promise<void> {
    return call((done) => fs.mkdir(path, DIRECTORY_MODE, done));
  }

  removeDirectory(path: string): Promise<void> {
    return call((done) => fs.rmdir(path, done));
  }

  link(existing: string, path: string): Promise<void> {
    return call((done) => fs.link(existing, path, done));
  }

  rename(from: string, to: string): Promise<void> {
    return call((done) => fs.rename(from, to, done));
  }

  unlink(path: string): Promise<void> {
    return call((done) => fs.unlink(path, done));
  }

  async syncDirectory(path: string): Promise<void> {
    const descriptor = await openDescriptor(path, READ_FLAGS);
    try {
      await call((done) => fs.fsync(descriptor, done));
    } finally {
      fs.closeSync(descriptor);
    }
  }

  space(path: string): Promise<SpaceStatus> {
    return new Promise((resolve, reject) => {
      fs.statfs(path, (error, status) => {
        if (error !== null) reject(error);
        else resolve({ totalBytes: status.blocks * status.bsize, usableBytes: status.bavail * status.bsize });
      });
    });
  }

  async lock(directory: string): Promise<DirectoryLock> {
    // Addresses of sockets are short; a descriptor's name in /proc is shorter than any of them.
    const descriptor = await openDescriptor(directory, READ_FLAGS);
    const isShort = Buffer.byteLength(directory) <= SOCKET_DIRECTORY_BYTES_MAX;
    const socketDirectory = isShort ? directory : `/proc/self/fd/${descriptor}`;
    try {
      const lock = await lockDirectory(this, directory, socketDirectory);
      return {
        release: async () => {
          await lock.release();
          fs.closeSync(descriptor);
        },
      };
    } catch (error) {
      fs.closeSync(descriptor);
      throw error;
    }
  }
}

/** The machine's file system, by Node's `fs`. Has no state: there is one for the whole process. */
export const posixFileSystem: FileSystem = new PosixFileSystem();
