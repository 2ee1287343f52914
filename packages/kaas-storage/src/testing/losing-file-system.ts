import type {
  DirectoryEntry,
  DirectoryLock,
  FileHandle,
  FileSystem,
  OpenMode,
  SpaceStatus,
} from "../file-system/file-system.js";

class Inode {
  current: Buffer = Buffer.alloc(0);
  /** What a crash leaves. */
  durable: Buffer = Buffer.alloc(0);
}

class Directory {
  current: Map<string, Inode | Directory> = new Map();
  durable: Map<string, Inode | Directory> = new Map();
}

/** How much of what was not fsynced a crash leaves: so many bytes, or for a name, 1 if it is there. */
export type Keep = (what: "bytes" | "name", count: number, name: string) => number;

export type Operation =
  | "open"
  | "write"
  | "sync"
  | "truncate"
  | "mkdir"
  | "rmdir"
  | "link"
  | "rename"
  | "unlink"
  | "syncDirectory"
  | "read"
  | "close";

/**
 * A file system in memory that a test can make fail, and that loses in a crash what was not fsynced: data as well as
 * names. It is as unkind as a disk may be, not as unkind as most are.
 */
export class LosingFileSystem implements FileSystem {
  readonly preallocationHelps: boolean;
  /** Called before every operation; what it throws is what the caller gets. */
  before: (operation: Operation, path: string) => void = () => undefined;
  /** Called before an fsync returns; awaited. */
  beforeSync: (path: string) => Promise<void> = async () => undefined;
  /** What an asynchronous read waits for. */
  beforeRead: (path: string) => Promise<void> = async () => undefined;
  /** What an asynchronous write waits for before its bytes arrive. */
  beforeWrite: (path: string) => Promise<void> = async () => undefined;
  /** What an asynchronous write waits for after its bytes have arrived: lets a test choose which returns first. */
  afterWrite: (path: string) => Promise<void> = async () => undefined;
  usableBytes: number = Number.MAX_SAFE_INTEGER;
  readonly #root: Directory;
  openHandles = 0;

  constructor(preallocationHelps = true, root: Directory = new Directory()) {
    this.preallocationHelps = preallocationHelps;
    this.#root = root;
  }

  /**
   * The volume as the next process finds it. `keep` decides for each file how many of its bytes that were not fsynced
   * are there all the same, and for each name that was not, whether it is.
   */
  crashed(keep: Keep = () => 0): LosingFileSystem {
    return new LosingFileSystem(this.preallocationHelps, survivor(this.#root, keep, "", new Map()) as Directory);
  }

  /** The same, when only the process has died: everything that was written is there. */
  killed(): LosingFileSystem {
    return new LosingFileSystem(this.preallocationHelps, this.#root);
  }

  async open(path: string, mode: OpenMode): Promise<FileHandle> {
    this.before("open", path);
    const [directory, name] = this.#parent(path);
    let inode = directory.current.get(name);
    if (mode === "create") {
      if (inode !== undefined) throw failure("EEXIST", path);
      inode = new Inode();
      directory.current.set(name, inode);
    }
    if (inode === undefined) throw failure("ENOENT", path);
    if (inode instanceof Directory) throw failure("EISDIR", path);
    this.openHandles++;
    return new LosingFile(this, inode, path);
  }

  async readFile(path: string): Promise<Buffer> {
    this.before("read", path);
    await this.beforeRead(path);
    const [directory, name] = this.#parent(path);
    const inode = directory.current.get(name);
    if (!(inode instanceof Inode)) throw failure("ENOENT", path);
    return Buffer.from(inode.current);
  }

  /** Changes a file behind everybody's back, durably. */
  garble(path: string, change: (content: Buffer) => Buffer): void {
    const [directory, name] = this.#parent(path);
    const inode = directory.current.get(name) as Inode;
    inode.current = change(Buffer.from(inode.current));
    inode.durable = Buffer.from(inode.current);
  }

  async list(path: string): Promise<readonly DirectoryEntry[]> {
    return Array.from(this.#directory(path).current, ([name, node]) => ({
      name,
      isDirectory: node instanceof Directory,
    }));
  }

  async makeDirectory(path: string): Promise<void> {
    this.before("mkdir", path);
    const [directory, name] = this.#parent(path);
    if (directory.current.has(name)) throw failure("EEXIST", path);
    directory.current.set(name, new Directory());
  }

  async removeDirectory(path: string): Promise<void> {
    this.before("rmdir", path);
    if (this.#directory(path).current.size > 0) throw failure("ENOTEMPTY", path);
    const [directory, name] = this.#parent(path);
    directory.current.delete(name);
  }

  async link(existing: string, path: string): Promise<void> {
    this.before("link", path);
    const [from, fromName] = this.#parent(existing);
    const inode = from.current.get(fromName);
    if (inode === undefined) throw failure("ENOENT", existing);
    const [to, toName] = this.#parent(path);
    if (to.current.has(toName)) throw failure("EEXIST", path);
    to.current.set(toName, inode);
  }

  async rename(from: string, to: string): Promise<void> {
    this.before("rename", to);
    const [source, sourceName] = this.#parent(from);
    const node = source.current.get(sourceName);
    if (node === undefined) throw failure("ENOENT", from);
    const [target, targetName] = this.#parent(to);
    const replaced = target.current.get(targetName);
    if (replaced instanceof Directory && replaced.current.size > 0) throw failure("ENOTEMPTY", to);
    source.current.delete(sourceName);
    target.current.set(targetName, node);
  }

  async unlink(path: string): Promise<void> {
    this.before("unlink", path);
    const [directory, name] = this.#parent(path);
    if (!directory.current.delete(name)) throw failure("ENOENT", path);
  }

  async syncDirectory(path: string): Promise<void> {
    this.before("syncDirectory", path);
    const directory = this.#directory(path);
    const entries = new Map(directory.current);
    await this.beforeSync(path);
    directory.durable = entries;
  }

  async space(): Promise<SpaceStatus> {
    return { totalBytes: Number.MAX_SAFE_INTEGER, usableBytes: this.usableBytes };
  }

  async lock(): Promise<DirectoryLock> {
    return { release: async () => undefined };
  }

  #directory(path: string): Directory {
    let directory = this.#root;
    for (const part of path.split("/")) {
      if (part === "") continue;
      const child = directory.current.get(part);
      if (child === undefined) throw failure("ENOENT", path);
      if (child instanceof Inode) throw failure("ENOTDIR", path);
      directory = child;
    }
    return directory;
  }

  #parent(path: string): [directory: Directory, name: string] {
    const slash = path.lastIndexOf("/");
    return [this.#directory(path.slice(0, Math.max(0, slash))), path.slice(slash + 1)];
  }
}

class LosingFile implements FileHandle {
  readonly #fileSystem: LosingFileSystem;
  readonly #inode: Inode;
  readonly #path: string;
  #isOpen = true;

  constructor(fileSystem: LosingFileSystem, inode: Inode, path: string) {
    this.#fileSystem = fileSystem;
    this.#inode = inode;
    this.#path = path;
  }

  writevSync(buffers: readonly Buffer[], position: number): void {
    this.#use("write");
    const bytes = Buffer.concat(buffers);
    const end = Math.max(this.#inode.current.length, position + bytes.length);
    const content = Buffer.alloc(end);
    this.#inode.current.copy(content);
    bytes.copy(content, position);
    this.#inode.current = content;
  }

  async writev(buffers: readonly Buffer[], position: number): Promise<void> {
    await this.#fileSystem.beforeWrite(this.#path);
    this.writevSync(buffers, position);
    await this.#fileSystem.afterWrite(this.#path);
  }

  readSync(into: Buffer, position: number): number {
    this.#use("read");
    return position >= this.#inode.current.length ? 0 : this.#inode.current.copy(into, 0, position);
  }

  async read(into: Buffer, position: number): Promise<number> {
    await this.#fileSystem.beforeRead(this.#path);
    return this.readSync(into, position);
  }

  async dataSync(): Promise<void> {
    this.#use("sync");
    const written = this.#inode.current;
    await this.#fileSystem.beforeSync(this.#path);
    this.#inode.durable = written;
  }

  async truncate(sizeBytes: number): Promise<void> {
    this.#use("truncate");
    const content = Buffer.alloc(sizeBytes);
    this.#inode.current.copy(content);
    this.#inode.current = content;
  }

  async size(): Promise<number> {
    return this.#inode.current.length;
  }

  async close(): Promise<void> {
    if (!this.#isOpen) throw failure("EBADF", this.#path);
    // The descriptor is gone, whatever the answer.
    this.#isOpen = false;
    this.#fileSystem.openHandles--;
    this.#fileSystem.before("close", this.#path);
  }

  #use(operation: Operation): void {
    if (!this.#isOpen) throw failure("EBADF", this.#path);
    this.#fileSystem.before(operation, this.#path);
  }
}

function survivor(
  node: Inode | Directory,
  keep: Keep,
  nodeName: string,
  seen: Map<Inode | Directory, Inode | Directory>,
): Inode | Directory {
  const known = seen.get(node);
  if (known !== undefined) return known;
  if (node instanceof Inode) {
    const inode = new Inode();
    inode.durable = survivingBytes(node, keep, nodeName);
    inode.current = inode.durable;
    seen.set(node, inode);
    return inode;
  }
  const directory = new Directory();
  seen.set(node, directory);
  for (const name of new Set([...node.durable.keys(), ...node.current.keys()])) {
    const before = node.durable.get(name);
    const after = node.current.get(name);
    const kept = before === after || keep("name", 1, name) === 0 ? before : after;
    if (kept !== undefined) directory.durable.set(name, survivor(kept, keep, name, seen));
  }
  directory.current = new Map(directory.durable);
  return directory;
}

/** The durable content, with the first so many bytes of what changed since in place. */
function survivingBytes(node: Inode, keep: Keep, name: string): Buffer {
  if (node.current === node.durable) return node.durable;
  let same = 0;
  while (same < node.durable.length && node.durable[same] === node.current[same]) same++;
  const kept = same + keep("bytes", node.current.length - same, name);
  return Buffer.concat([node.current.subarray(0, kept), node.durable.subarray(Math.min(kept, node.durable.length))]);
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
