import { Bytes } from "./bytes.js";
import type { Chance } from "./chance.js";

const SECTOR_BYTES = 512;

/** A change of a file that the disk does not have for sure. */
type Change = Write | { readonly kind: "resize"; readonly order: number; readonly size: number };

interface Write {
  readonly kind: "write";
  readonly order: number;
  readonly position: number;
  readonly bytes: Buffer;
}

/** A file on a disk: what is in the cache above it, what the disk has for sure, and the changes between the two. */
export class FileNode {
  readonly isDirectory = false;
  readonly id: number;
  current: Bytes = new Bytes();
  /** Names that it has. */
  linkCount = 0;
  /** Grows with every change: what a file server tells its clients by. */
  version = 1;
  /** Failed write-backs; every descriptor is told once of each (errseq). */
  failureCount = 0;
  #durable: Bytes = new Bytes();
  #changes: Change[] = [];
  #order = 0;

  constructor(id: number) {
    this.id = id;
  }

  get size(): number {
    return this.current.size;
  }

  /** What a sync that begins now has to make durable. */
  get order(): number {
    return this.#order;
  }

  get isDirty(): boolean {
    return this.#changes.length > 0;
  }

  write(bytes: Buffer, position: number): void {
    const kept = Buffer.from(bytes);
    this.current.write(kept, position);
    this.#changes.push({ kind: "write", order: ++this.#order, position, bytes: kept });
    this.version++;
  }

  resize(size: number): void {
    this.current.resize(size);
    this.#changes.push({ kind: "resize", order: ++this.#order, size });
    this.version++;
  }

  /** Makes durable what had been written when the sync began, and nothing else. */
  sync(order: number = this.#order): void {
    const covered = this.#changes.filter((change) => change.order <= order);
    this.#changes = this.#changes.filter((change) => change.order > order);
    for (const change of covered) apply(this.#durable, change);
  }

  /**
   * A write-back fails: some of what it should have written is on the disk, and all of it is taken for clean. What the
   * cache still shows of it goes when the cache needs the room.
   */
  failSync(chance: Chance, evicts: boolean): void {
    for (const change of this.#changes) applyPart(this.#durable, change, chance);
    this.#changes = [];
    this.failureCount++;
    if (evicts) this.current = this.#durable.copy();
    this.version++;
  }

  /**
   * What is left after a loss of power: any part of what was not synced, torn where a sector ends; and of so many of
   * the writes, bytes that nobody wrote.
   */
  crash(chance: Chance, garbles = 0): void {
    for (const change of this.#changes) {
      if (change.kind === "write" && chance.happens(garbles))
        apply(this.#durable, garbled(this.#durable, change, chance));
      else applyPart(this.#durable, change, chance);
    }
    this.#changes = [];
    this.current = this.#durable.copy();
    this.failureCount = 0;
    this.version++;
  }

  /** What the disk has for sure, for a test to look at. */
  durableContent(): Buffer {
    return this.#durable.slice(0, this.#durable.size);
  }
}

function apply(content: Bytes, change: Change): void {
  if (change.kind === "write") content.write(change.bytes, change.position);
  else content.resize(change.size);
}

/** Low bits of some bytes differ: what was text looks like text. Bytes that were there before stay as they are. */
function garbled(before: Bytes, change: Write, chance: Chance): Write {
  const bytes = Buffer.from(change.bytes);
  const known = before.slice(change.position, change.position + bytes.length);
  for (let left = 1 + chance.below(4); left > 0 && bytes.length > 0; left--) {
    const at = chance.below(bytes.length);
    if (bytes[at] !== known[at]) bytes[at] = (change.bytes[at] as number) ^ (1 + chance.below(7));
  }
  return { ...change, bytes };
}

function applyPart(content: Bytes, change: Change, chance: Chance): void {
  const fate = chance.below(5);
  if (fate < 2) return;
  if (fate === 2 || change.kind === "resize") return apply(content, change);
  const end = change.position + change.bytes.length;
  if (fate === 3) {
    // The size is there, the data is not.
    if (content.size < end) content.resize(end);
    return;
  }
  for (let from = change.position; from < end; ) {
    const to = Math.min(end, (Math.floor(from / SECTOR_BYTES) + 1 + chance.below(8)) * SECTOR_BYTES);
    if (chance.happens(0.5)) {
      content.write(change.bytes.subarray(from - change.position, to - change.position), from);
    }
    from = to;
  }
}
