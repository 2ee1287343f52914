import * as fs from "node:fs";
import { constants } from "node:fs";
import type { FileHandle } from "./file-system.js";
import { openDescriptor } from "./open-descriptor.js";

/** What file systems that accept O_DIRECT want positions, lengths and addresses to be multiples of, at most. */
const ALIGNMENT = 4_096;
/** Addresses that Node hands out are multiples of this, and no more. */
const ADDRESS_STEP = 16;
const SCRATCH_BYTES_MAX = 1024 * 1024;

/** By their magic numbers (statfs): file systems of one machine that live in memory and take no O_DIRECT. */
const MEMORY_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

/**
 * A descriptor whose reads ask the file server: O_DIRECT. In memory file systems, which have nothing to bypass and
 * refuse the flag, a plain one.
 */
export async function openDirect(path: string): Promise<{ readonly descriptor: number; readonly isDirect: boolean }> {
  try {
    return { descriptor: await openDescriptor(path, constants.O_RDONLY | constants.O_DIRECT), isDirect: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EINVAL" || !(await livesInMemory(path))) throw error;
  }
  return { descriptor: await openDescriptor(path, constants.O_RDONLY), isDirect: false };
}

/**
 * Reads past the page cache. Any position and length will do: what is read is the range around them that the file
 * system wants, into a buffer whose address it accepts, and copied from there.
 */
export class DirectFile implements FileHandle {
  readonly #descriptor: number;
  /** Free buffers; a read takes one along. */
  #scratch: Buffer | undefined;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  writevSync(): void {
    throw readOnly();
  }

  async writev(): Promise<void> {
    throw readOnly();
  }

  readSync(into: Buffer, position: number): number {
    const scratch = this.#take(into, position);
    let filled = 0;
    while (filled < into.length) {
      const piece = pieceOf(scratch, into, position, filled);
      const count = fs.readSync(this.#descriptor, piece.into, 0, piece.into.length, piece.from);
      const copied = piece.copy(count);
      filled += copied;
      if (copied === 0 || count < piece.into.length) break;
    }
    this.#scratch = scratch;
    return filled;
  }

  async read(into: Buffer, position: number): Promise<number> {
    const scratch = this.#take(into, position);
    let filled = 0;
    while (filled < into.length) {
      const piece = pieceOf(scratch, into, position, filled);
      const count = await this.#read(piece.into, piece.from);
      const copied = piece.copy(count);
      filled += copied;
      if (copied === 0 || count < piece.into.length) break;
    }
    this.#scratch = scratch;
    return filled;
  }

  async dataSync(): Promise<void> {
    throw readOnly();
  }

  async truncate(): Promise<void> {
    throw readOnly();
  }

  size(): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.fstat(this.#descriptor, (error, stats) => (error === null ? resolve(stats.size) : reject(error)));
    });
  }

  close(): Promise<void> {
    return new Promise((resolve, reject) => {
      fs.close(this.#descriptor, (error) => (error == null ? resolve() : reject(error)));
    });
  }

  #read(into: Buffer, from: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.read(this.#descriptor, into, 0, into.length, from, (error, count) =>
        error === null ? resolve(count) : reject(error),
      );
    });
  }

  /** A buffer that the file system accepts, large enough for the read or for a good piece of it. */
  #take(into: Buffer, position: number): Buffer {
    const wanted = Math.min(SCRATCH_BYTES_MAX, roundUp((position % ALIGNMENT) + Math.max(1, into.length)));
    const free = this.#scratch;
    this.#scratch = undefined;
    return free !== undefined && free.length >= wanted ? free : this.#acceptedBuffer(wanted);
  }

  /** JavaScript cannot ask for an address; the file system says which of those within a page it takes. */
  #acceptedBuffer(bytes: number): Buffer {
    const whole = Buffer.allocUnsafeSlow(bytes + ALIGNMENT);
    for (let shift = ALIGNMENT - ADDRESS_STEP; shift >= 0; shift -= ADDRESS_STEP) {
      try {
        fs.readSync(this.#descriptor, whole, shift, ALIGNMENT, 0);
        return whole.subarray(shift, shift + bytes);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EINVAL" || shift === 0) throw error;
      }
    }
    throw new Error("unreachable: the last shift either returned or threw");
  }
}

/** The part of a read that one call does. */
function pieceOf(
  scratch: Buffer,
  into: Buffer,
  position: number,
  filled: number,
): { readonly into: Buffer; readonly from: number; copy(count: number): number } {
  const at = position + filled;
  const from = at - (at % ALIGNMENT);
  const skipped = at - from;
  const length = Math.min(scratch.length, roundUp(skipped + into.length - filled));
  return {
    into: scratch.subarray(0, length),
    from,
    copy: (count) => (count <= skipped ? 0 : scratch.copy(into, filled, skipped, count)),
  };
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

function livesInMemory(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    fs.statfs(path, (error, status) =>
      error === null ? resolve(MEMORY_FILE_SYSTEMS.has(status.type)) : reject(error),
    );
  });
}

function readOnly(): Error {
  return Object.assign(new Error("EBADF: the file is open for reading"), { code: "EBADF" });
}
