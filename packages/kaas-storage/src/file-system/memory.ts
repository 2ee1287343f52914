import { KaasError } from "@kaas/core";
import type { DirectoryEntry, DirectoryLock, FileHandle, FileSystem, OpenMode, SpaceStatus } from "./file-system.js";
import { MemoryFile, MemoryInode } from "./memory-file.js";

type MemoryDirectory = Map<string, MemoryInode | MemoryDirectory>;

/** A file system in memory: for memory mode and tests. Gone when the process is. */
export class MemoryFileSystem implements FileSystem {
  readonly preallocationHelps = false;
  readonly #root: MemoryDirectory = new Map();
  readonly #locked = new Set<string>();

  async open(path: string, mode: OpenMode): Promise<FileHandle> {
    const [directory, name] = this.#parent(path);
    const found = directory.get(name);
    if (mode === "create") {
      if (found !== undefined) throw failure("EEXIST", path);
      const inode = new MemoryInode();
      directory.set(name, inode);
      return new MemoryFile(inode, true);
    }
    return new MemoryFile(file(found, path), mode === "write");
  }

  async readFile(path: string): Promise<Buffer> {
    const [directory, name] = this.#parent(path);
    const inode = file(directory.get(name), path);
    const content = Buffer.alloc(inode.sizeBytes);
    inode.read(content, 0);
    return content;
  }

  async list(path: string): Promise<readonly DirectoryEntry[]> {
    return Array.from(this.#directory(path), ([name, node]) => ({ name, isDirectory: node instanceof Map }));
  }

  async makeDirectory(path: string): Promise<void> {
    const [directory, name] = this.#parent(path);
    if (directory.has(name)) throw failure("EEXIST", path);
    directory.set(name, new Map());
  }

  async removeDirectory(path: string): Promise<void> {
    if (this.#directory(path).size > 0) throw failure("ENOTEMPTY", path);
    const [directory, name] = this.#parent(path);
    directory.delete(name);
  }

  async link(existing: string, path: string): Promise<void> {
    const [from, fromName] = this.#parent(existing);
    const inode = file(from.get(fromName), existing);
    const [to, toName] = this.#parent(path);
    if (to.has(toName)) throw failure("EEXIST", path);
    to.set(toName, inode);
  }

  async rename(from: string, to: string): Promise<void> {
    const [source, sourceName] = this.#parent(from);
    const node = source.get(sourceName);
    if (node === undefined) throw failure("ENOENT", from);
    const [target, targetName] = this.#parent(to);
    const replaced = target.get(targetName);
    if (replaced === node) return;
    if (replaced instanceof Map && replaced.size > 0) throw failure("ENOTEMPTY", to);
    source.delete(sourceName);
    target.set(targetName, node);
  }

  async unlink(path: string): Promise<void> {
    const [directory, name] = this.#parent(path);
    file(directory.get(name), path);
    directory.delete(name);
  }

  async syncDirectory(path: string): Promise<void> {
    this.#directory(path);
  }

  async space(): Promise<SpaceStatus> {
    return { totalBytes: -1, usableBytes: -1 };
  }

  async lock(directory: string): Promise<DirectoryLock> {
    if (this.#locked.has(directory)) {
      throw new KaasError("KAAS_VOLUME_LOCKED", `${directory} is in use by another broker of this process`);
    }
    this.#locked.add(directory);
    return {
      release: async () => {
        this.#locked.delete(directory);
      },
    };
  }

  #directory(path: string): MemoryDirectory {
    let directory = this.#root;
    for (const part of parts(path)) {
      const child = directory.get(part);
      if (child === undefined) throw failure("ENOENT", path);
      if (!(child instanceof Map)) throw failure("ENOTDIR", path);
      directory = child;
    }
    return directory;
  }

  #parent(path: string): [directory: MemoryDirectory, name: string] {
    const slash = path.lastIndexOf("/");
    return [this.#directory(path.slice(0, Math.max(0, slash))), path.slice(slash + 1)];
  }
}

function parts(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function file(node: MemoryInode | MemoryDirectory | undefined, path: string): MemoryInode {
  if (node === undefined) throw failure("ENOENT", path);
  if (node instanceof Map) throw failure("EISDIR", path);
  return node;
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
