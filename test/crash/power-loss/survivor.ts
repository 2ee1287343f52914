// What a power loss might leave: one directory tree of the many that the disk allows.
import type { Prng } from "../../bad-input/prng.js";
import type { Disk } from "./disk.js";
import {
  applyChange,
  applyNames,
  type DataChange,
  type DirectoryNode,
  FileNode,
  type NameChange,
  type Node,
  SECTOR_BYTES,
  sizeAfter,
} from "./nodes.js";

export type Tree = Map<string, Tree | Buffer>;

/** Which of the trees that are possible. */
export const MANNERS = [
  /** Nothing that was not fsynced. */
  "nothing",
  /** All that was asked for, as if only the process had died. */
  "all",
  /** Names as they were last, and files of the right size that hold zeros where no fsync was. */
  "names, no data",
  /** Data, but no names. */
  "data, no names",
  /** Names change in order, as with a file system that keeps a journal; data by chance. */
  "in order",
  /** Each change of a name by chance, each file by chance, sector by sector. */
  "by chance",
] as const;
export type Manner = (typeof MANNERS)[number];

/** How a file's changes that no fsync covered have fared. */
type Fate = "none" | "all" | "zeros" | "prefix" | "some" | "sectors";
const FATES: readonly Fate[] = ["none", "all", "zeros", "prefix", "some", "sectors", "sectors"];

/** Draws a tree. Its buffers are valid until the disk goes on. */
export function survivor(disk: Disk, manner: Manner, prng: Prng): Tree {
  return new Draw(manner, prng, firstLost(disk, prng)).tree(disk.root);
}

/** Of a file system that keeps names in order: the first change that is not there. */
function firstLost(disk: Disk, prng: Prng): number {
  return disk.nameChangesForced + prng.integer(disk.nameChanges - disk.nameChangesForced + 1);
}

class Draw {
  readonly #manner: Manner;
  readonly #prng: Prng;
  readonly #firstLost: number;
  /** A file that has two names is one file. */
  readonly #drawn = new Map<Node, Tree | Buffer>();

  constructor(manner: Manner, prng: Prng, firstLost: number) {
    this.#manner = manner;
    this.#prng = prng;
    this.#firstLost = firstLost;
  }

  tree(directory: DirectoryNode): Tree {
    const tree: Tree = new Map();
    this.#drawn.set(directory, tree);
    const entries = new Map(directory.durable);
    // Half of the directories each way, so that what hangs together is seen together as well as apart.
    const oneIn = this.#prng.pick([2, 2, 5]);
    for (const change of directory.pending) if (this.#keepsName(change, oneIn)) applyNames(entries, change);
    for (const [name, node] of entries) tree.set(name, this.#drawn.get(node) ?? this.#draw(node));
    return tree;
  }

  #draw(node: Node): Tree | Buffer {
    if (!(node instanceof FileNode)) return this.tree(node);
    const content = fileContent(node, this.#fate(node), this.#prng);
    this.#drawn.set(node, content);
    return content;
  }

  #keepsName(change: NameChange, oneIn: number): boolean {
    switch (this.#manner) {
      case "nothing":
      case "data, no names":
        return false;
      case "all":
      case "names, no data":
        return change.hasEnded || this.#prng.oneIn(2);
      case "in order":
        return change.order < this.#firstLost;
      case "by chance":
        return this.#prng.oneIn(oneIn);
    }
  }

  #fate(node: FileNode): Fate {
    if (node.pending.length === 0) return "none";
    switch (this.#manner) {
      case "nothing":
        return "none";
      case "names, no data":
        return "zeros";
      case "all":
      case "data, no names":
        return "all";
      case "in order":
      case "by chance":
        return this.#prng.pick(FATES);
    }
  }
}

function fileContent(node: FileNode, fate: Fate, prng: Prng): Buffer {
  const { durable, pending } = node;
  if (fate === "none") return durable;
  const sizes = sizesOf(node);
  const last = sizes.at(-1) as number;
  const content = Buffer.alloc(Math.max(...sizes));
  durable.copy(content);
  if (fate === "zeros") return content.subarray(0, last);
  if (fate === "all" || fate === "prefix") {
    const kept = fate === "all" ? pending.length : prng.integer(pending.length + 1);
    for (const change of pending.slice(0, kept)) apply(content, change);
    return content.subarray(0, sizes[kept]);
  }
  const oneIn = prng.pick([2, 2, 10]);
  for (const change of pending) {
    if (fate === "sectors") {
      // From somewhere on in the change, by chance: torn writes as well as scattered ones.
      const from = prng.oneIn(2)
        ? 0
        : Math.floor((change.position + prng.integer((change.length ?? 0) + 1)) / SECTOR_BYTES);
      applyChange(content, change, (sector) => (from > 0 ? sector < from : prng.oneIn(oneIn)));
    } else if (prng.oneIn(oneIn)) apply(content, change);
  }
  return content.subarray(0, prng.oneIn(2) ? last : prng.pick(sizes));
}

function apply(content: Buffer, change: DataChange): void {
  if (change.length === null) content.fill(0, change.position);
  else applyChange(content, change);
}

/** The sizes that the file has had since the last fsync, the durable one first. */
function sizesOf({ durable, pending }: FileNode): number[] {
  const sizes = [durable.length];
  for (const change of pending) sizes.push(sizeAfter(change, sizes.at(-1) as number));
  return sizes;
}
