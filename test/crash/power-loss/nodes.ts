// Files and directories as a disk and a page cache have them: what is durable, and what is on its way.

/** A change of a file that no fsync has covered yet. */
export type DataChange = {
  readonly call: number;
  /** Null: the file is cut, or grows, to `position` bytes. */
  readonly length: number | null;
  readonly position: number;
  /** Empty: zeros. */
  readonly data: Buffer;
  hasEnded: boolean;
};

export class FileNode {
  readonly inode: number;
  #bytes: Buffer = Buffer.alloc(0);
  #size = 0;
  /** In the order in which they began. */
  pending: DataChange[] = [];

  constructor(inode: number) {
    this.inode = inode;
  }

  /** What survives for certain. A view; the next change may alter it. */
  get durable(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  /** Brings what has ended by now to the disk, later: the function does it. */
  sync(): () => void {
    const covered = this.pending.filter((change) => change.hasEnded);
    return () => {
      for (const change of covered) {
        const at = this.pending.indexOf(change);
        if (at < 0) continue; // another fsync was quicker
        this.pending.splice(at, 1);
        this.#apply(change);
      }
    };
  }

  #apply(change: DataChange): void {
    const size = sizeAfter(change, this.#size);
    if (size > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#size);
      this.#bytes = larger;
    }
    applyChange(this.#bytes, change);
    if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    this.#size = size;
  }
}

/** How long a file of that size is once it has been changed. */
export function sizeAfter(change: DataChange, size: number): number {
  return change.length === null ? change.position : Math.max(size, change.position + change.length);
}

/** Puts the bytes of a write into a content that is large enough; of the sectors, those that `keeps` wants. */
export function applyChange(content: Buffer, change: DataChange, keeps?: (sector: number) => boolean): void {
  if (change.length === null) return;
  const end = change.position + change.length;
  if (keeps === undefined) return put(content, change, change.position, end);
  for (let from = change.position; from < end; ) {
    const sector = Math.floor(from / SECTOR_BYTES);
    const to = Math.min(end, (sector + 1) * SECTOR_BYTES);
    if (keeps(sector)) put(content, change, from, to);
    from = to;
  }
}

/** What a disk writes whole or not at all. */
export const SECTOR_BYTES = 512;

function put(content: Buffer, { position, data }: DataChange, from: number, to: number): void {
  if (data.length === 0) content.fill(0, from, to);
  else data.copy(content, from, from - position, to - position);
}

export type Node = FileNode | DirectoryNode;

/** A change of names that the directory's fsync has not covered yet: what each name stands for after it. */
export type NameChange = {
  readonly call: number;
  readonly names: ReadonlyMap<string, Node | undefined>;
  /** Where it stands among all changes of names. */
  readonly order: number;
  hasEnded: boolean;
};

export class DirectoryNode {
  readonly durable: Map<string, Node> = new Map();
  readonly current: Map<string, Node> = new Map();
  pending: NameChange[] = [];

  sync(): () => void {
    const covered = this.pending.filter((change) => change.hasEnded);
    return () => {
      for (const change of covered) {
        const at = this.pending.indexOf(change);
        if (at < 0) continue;
        this.pending.splice(at, 1);
        applyNames(this.durable, change);
      }
    };
  }
}

export function applyNames(entries: Map<string, Node>, { names }: NameChange): void {
  for (const [name, node] of names) {
    if (node === undefined) entries.delete(name);
    else entries.set(name, node);
  }
}
