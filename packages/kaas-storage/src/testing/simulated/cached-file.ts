import { Bytes } from "./bytes.js";
import type { FileNode } from "./file-node.js";
import { Intervals } from "./intervals.js";
import type { Attributes } from "./nfs-server.js";

export interface AttributeTimes {
  readonly minMs: number;
  readonly maxMs: number;
}

/** A file as a client's kernel knows it: attributes that are believed for a time, pages, and what was not sent yet. */
export class CachedFile {
  readonly node: FileNode;
  readonly bytes: Bytes = new Bytes();
  /** What of {@link bytes} can be read without asking. */
  readonly valid: Intervals = new Intervals();
  /** Written here, and not sent. */
  readonly dirty: Intervals = new Intervals();
  /** Sent, and not committed: where, and to which start of the server. */
  uncommitted: { readonly from: number; readonly to: number; readonly boot: number }[] = [];
  readonly inFlight: Set<Promise<void>> = new Set();
  hasDelegation = false;
  opens = 0;
  /** The name it has until the last descriptor is closed, after it was unlinked here. */
  silly: (() => Promise<void>) | undefined;
  failureCount = 0;
  errno = "EIO";
  #version = 0;
  #serverSize = 0;
  #checkedMs = Number.NEGATIVE_INFINITY;
  #timeoutMs = 0;
  readonly #times: AttributeTimes;

  constructor(node: FileNode, times: AttributeTimes) {
    this.node = node;
    this.#times = times;
  }

  get size(): number {
    return Math.max(this.#serverSize, this.dirty.items.at(-1)?.[1] ?? 0);
  }

  isExpired(nowMs: number): boolean {
    return !this.hasDelegation && nowMs >= this.#checkedMs + this.#timeoutMs;
  }

  /** The server has told of the file. Pages of another version are not believed any more. */
  learned({ version, size }: Attributes, nowMs: number): void {
    const isNews = version !== this.#version;
    if (isNews) {
      this.valid.clear();
      for (const [from, to] of this.dirty.items) this.valid.add(from, to);
    }
    this.#timeoutMs = isNews
      ? this.#times.minMs
      : Math.min(this.#times.maxMs, Math.max(this.#times.minMs, this.#timeoutMs * 2));
    this.#version = version;
    this.#serverSize = size;
    this.#checkedMs = nowMs;
  }

  /** A change of our own: what was known before it stays known, if nobody else has changed anything in between. */
  changed(before: number, after: Attributes): void {
    if (this.#version === before) this.#version = after.version;
    this.#serverSize = Math.max(this.#serverSize, after.size);
  }

  write(bytes: Buffer, position: number): void {
    this.bytes.write(bytes, position);
    this.valid.add(position, position + bytes.length);
    this.dirty.add(position, position + bytes.length);
  }

  /** What the server answered, for those parts that were not known. */
  fill(bytes: Buffer, from: number): void {
    for (const [low, high] of this.valid.missing(from, from + bytes.length)) {
      this.bytes.write(bytes.subarray(low - from, high - from), low);
      this.valid.add(low, high);
    }
  }
}
