import type { Chance } from "./chance.js";
import { FileNode } from "./file-node.js";

/** A directory: the names as they are, and those that survive a loss of power. */
export class DirectoryNode {
  readonly isDirectory = true;
  readonly id: number;
  entries: Map<string, Node> = new Map();
  durable: Map<string, Node> = new Map();
  version = 1;
  isRemoved = false;

  constructor(id: number) {
    this.id = id;
  }
}

export type Node = FileNode | DirectoryNode;

/** A change of names that the disk does not have for sure. Each happens as a whole or not at all. */
interface NameChange {
  readonly order: number;
  readonly directories: readonly DirectoryNode[];
  apply(): void;
}

export interface DiskOptions {
  /** Whether names are durable when a call returns, as an NFS server sees to. */
  readonly namesAreDurable: boolean;
  /** Of the writes that were under way when power was lost, the share that leaves bytes which nobody wrote. */
  readonly garbles?: number;
}

/** Files and directories on a disk that loses what was not synced. Knows nothing of time; callers do. */
export class Disk {
  readonly root: DirectoryNode = new DirectoryNode(0);
  readonly chance: Chance;
  usableBytes: number = Number.MAX_SAFE_INTEGER;
  readonly #garbles: number;
  readonly #namesAreDurable: boolean;
  #nameChanges: NameChange[] = [];
  #order = 0;
  #ids = 1;

  constructor(chance: Chance, { namesAreDurable, garbles = 0 }: DiskOptions) {
    this.chance = chance;
    this.#garbles = garbles;
    this.#namesAreDurable = namesAreDurable;
  }

  directory(path: string): DirectoryNode {
    let directory = this.root;
    for (const part of parts(path)) {
      const child = directory.entries.get(part);
      if (child === undefined) throw failure("ENOENT", path);
      if (!child.isDirectory) throw failure("ENOTDIR", path);
      directory = child;
    }
    return directory;
  }

  parent(path: string): [directory: DirectoryNode, name: string] {
    const [directory, name] = splitPath(path);
    return [this.directory(directory), name];
  }

  file(path: string): FileNode {
    const [directory, name] = this.parent(path);
    return fileOf(directory.entries.get(name), path);
  }

  createFile(directory: DirectoryNode, name: string): FileNode {
    refuseTaken(directory, name);
    const node = new FileNode(this.#ids++);
    node.linkCount = 1;
    directory.entries.set(name, node);
    this.#changed([directory], () => directory.durable.set(name, node));
    return node;
  }

  createDirectory(parent: DirectoryNode, name: string): DirectoryNode {
    refuseTaken(parent, name);
    const node = new DirectoryNode(this.#ids++);
    parent.entries.set(name, node);
    this.#changed([parent], () => parent.durable.set(name, node));
    return node;
  }

  removeDirectory(parent: DirectoryNode, name: string): void {
    const node = parent.entries.get(name);
    if (node === undefined) throw failure("ENOENT", name);
    if (!node.isDirectory) throw failure("ENOTDIR", name);
    if (node.entries.size > 0) throw failure("ENOTEMPTY", name);
    node.isRemoved = true;
    parent.entries.delete(name);
    this.#changed([parent], () => parent.durable.delete(name));
  }

  link(file: FileNode, directory: DirectoryNode, name: string): void {
    refuseTaken(directory, name);
    file.linkCount++;
    file.version++;
    directory.entries.set(name, file);
    this.#changed([directory], () => directory.durable.set(name, file));
  }

  unlink(directory: DirectoryNode, name: string): void {
    const file = fileOf(directory.entries.get(name), name);
    file.linkCount--;
    directory.entries.delete(name);
    this.#changed([directory], () => directory.durable.delete(name));
  }

  rename(source: DirectoryNode, from: string, target: DirectoryNode, to: string): void {
    const node = source.entries.get(from);
    if (node === undefined) throw failure("ENOENT", from);
    const replaced = target.entries.get(to);
    if (replaced === node) return;
    if (replaced?.isDirectory === true && replaced.entries.size > 0) throw failure("ENOTEMPTY", to);
    if (replaced?.isDirectory === false) replaced.linkCount--;
    source.entries.delete(from);
    target.entries.set(to, node);
    this.#changed([source, target], () => {
      // A name that a crash has taken cannot be moved.
      if (source.durable.get(from) === node) source.durable.delete(from);
      target.durable.set(to, node);
    });
  }

  /** What a sync of names that begins now has to make durable. */
  get order(): number {
    return this.#order;
  }

  /** Makes the names in a directory durable, as they were when the sync began. */
  syncDirectory(directory: DirectoryNode, order: number = this.#order): void {
    const isCovered = (change: NameChange) => change.order <= order && change.directories.includes(directory);
    const covered = this.#nameChanges.filter(isCovered);
    this.#nameChanges = this.#nameChanges.filter((change) => !isCovered(change));
    for (const change of covered) change.apply();
  }

  /** Power is lost: any part of the names and the data that were not synced is there afterwards. */
  crash(): void {
    for (const change of this.#nameChanges) {
      if (this.chance.happens(0.5)) change.apply();
    }
    this.#nameChanges = [];
    const seen = new Set<Node>();
    this.#crashNode(this.root, seen);
  }

  #crashNode(node: Node, seen: Set<Node>): void {
    if (!node.isDirectory) node.linkCount++;
    if (seen.has(node)) return;
    seen.add(node);
    if (!node.isDirectory) {
      node.linkCount = 1;
      node.crash(this.chance, this.#garbles);
      return;
    }
    node.entries = new Map(node.durable);
    node.isRemoved = false;
    node.version++;
    for (const child of node.entries.values()) this.#crashNode(child, seen);
  }

  #changed(directories: readonly DirectoryNode[], apply: () => void): void {
    for (const directory of directories) directory.version++;
    if (this.#namesAreDurable) apply();
    else this.#nameChanges.push({ order: ++this.#order, directories, apply });
  }
}

export function splitPath(path: string): [directory: string, name: string] {
  const slash = path.lastIndexOf("/");
  return [path.slice(0, Math.max(0, slash)), path.slice(slash + 1)];
}

export function parts(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

export function fileOf(node: Node | undefined, path: string): FileNode {
  if (node === undefined) throw failure("ENOENT", path);
  if (node.isDirectory) throw failure("EISDIR", path);
  return node;
}

function refuseTaken(directory: DirectoryNode, name: string): void {
  if (directory.isRemoved) throw failure("ENOENT", name);
  if (directory.entries.has(name)) throw failure("EEXIST", name);
}

export function failure(code: string, path: string): Error & { readonly code: string } {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
