/**
 * A state of the model: one byte a field, so that it is compared, hashed and stored as bytes.
 *
 * ```
 * globals │ process 0 … n−1 │ epoch 1 … m │ process n │ epoch m+1
 *                                          └─ only for the broker that starts afresh (recovery.ts); not stored
 * ```
 */

export const CRASHES_LEFT = 0;
export const ERRORS_LEFT = 1;
/** Fuses, by process, that somebody blew in a write that has not yet arrived. */
export const LATE_BLOWS = 2;
/** Files, by epoch, that a leader removed by right: what was acknowledged in them may be gone. */
export const RETIRED = 3;
/** What readers were shown at each offset: 0, or a record (see recordOf). */
export const SHOWN = 4;
export const OFFSETS_MAX = 4;
const GLOBALS = SHOWN + OFFSETS_MAX;

/** A process: where it stands on the way to the lead and in it. */
export const AT = 0;
export const EPOCH = 1;
/** Processes whose fuses are still to be blown, by bit. */
export const TO_BLOW = 2;
/** The sealed epoch that the measuring starts from. */
export const BASE = 3;
/** Records in force of each older epoch's file, two bits each. */
export const LENGTHS = 4;
/** Older epochs' files that are no longer needed, by bit. */
export const REMOVED = 5;
/** Four counts of records of its own file, two bits each: see WRITTEN … ACKED. */
export const PROGRESS = 6;
/** How far the removal of a file has come. */
export const DISPOSAL = 7;
export const FUSE = 8;
const PROCESS_BYTES = 9;

/** What lies on the server for an epoch. The claim: its owner + 1, and flags. */
export const CLAIM = 0;
export const SEAL = 1;
export const SEAL_LENGTHS = 2;
export const SEAL_REMOVED = 3;
/** 0, or the number of records at the hand-over + 1. */
export const RELEASED = 4;
/** Files that the epoch's newest manifest declares obsolete, by bit. */
export const MANIFEST = 5;
/** Of the epoch's own file: cells in the writer's page cache (two bits), whether it exists, its writer + 1. */
export const FILE = 6;
/** Cells as the server would answer a read, and as they survive its crash: the writer + 1, four bits a cell. */
export const VISIBLE = 7;
export const DURABLE = 8;
/** A slot's second snapshot within the epoch: 0, or the number of records it holds + 1. */
export const SNAPSHOT = 9;
const EPOCH_BYTES = 10;

export const CLAIM_OWNER = 7;
/** Others see the claim, but the server has not yet made it durable, nor answered. */
export const CLAIM_PENDING = 8;
/** A name without content: only without the step "content before name". */
export const CLAIM_EMPTY = 16;

export const FILE_DIRTY = 3;
export const FILE_EXISTS = 4;
export const FILE_WRITER_SHIFT = 4;

/** A fuse that lives is 0. */
export const BLOWN = 1;

export const WRITTEN = 0;
export const SYNCED = 2;
/** Durable when the fuse was last read and found LIVE. */
export const CONFIRMED_COUNT = 4;
export const ACKED = 6;

/** Where a process stands. */
export const IDLE = 0;
export const LINKED = 1;
export const CLAIMED = 2;
export const BLOWING = 3;
export const FUSES_BLOWN = 4;
export const LISTED = 5;
export const SCANNED = 6;
export const MEASURED = 7;
export const SEALED = 8;
export const CONFIRMED = 9;
export const SERVING = 10;
export const FENCED = 11;
export const WITHDRAWING = 12;
/** Only without the step "a claim is withdrawn once". */
export const WITHDRAWN = 13;

export type State = Uint8Array<ArrayBuffer>;

/** Where each process and epoch lies. Epochs count from 1. */
export interface Layout {
  readonly processes: number;
  readonly epochs: number;
  /** What is stored of a state, a multiple of 4. */
  readonly storedBytes: number;
  readonly bytes: number;
  readonly process: readonly number[];
  readonly epoch: readonly number[];
}

export function layoutOf(processes: number, epochs: number): Layout {
  const process: number[] = [];
  const epoch: number[] = [0];
  let at = GLOBALS;
  for (let index = 0; index < processes; index++, at += PROCESS_BYTES) process.push(at);
  for (let index = 0; index < epochs; index++, at += EPOCH_BYTES) epoch.push(at);
  const storedBytes = Math.ceil(at / 4) * 4;
  process.push(storedBytes);
  epoch.push(storedBytes + PROCESS_BYTES);
  const bytes = Math.ceil((storedBytes + PROCESS_BYTES + EPOCH_BYTES) / 4) * 4;
  return { processes, epochs, storedBytes, bytes, process, epoch };
}

/** A record: the epoch it was written in, and the process that wrote it. Its place is given by where it is found. */
export function recordOf(epoch: number, writer: number): number {
  return epoch | (writer << 4);
}

export function recordEpoch(record: number): number {
  return record & 15;
}

export function recordWriter(record: number): number {
  return record >> 4;
}

/** The number of records of an older epoch's file, out of packed lengths. */
export function lengthOf(lengths: number, epoch: number): number {
  return (lengths >> (2 * (epoch - 1))) & 3;
}

export function withLength(lengths: number, epoch: number, length: number): number {
  const shift = 2 * (epoch - 1);
  return (lengths & ~(3 << shift)) | (length << shift);
}

/** All lengths below an epoch: where that epoch's own records begin. */
export function sumOfLengths(lengths: number, below: number): number {
  let sum = 0;
  for (let epoch = 1; epoch < below; epoch++) sum += lengthOf(lengths, epoch);
  return sum;
}

export function cellOf(cells: number, cell: number): number {
  return (cells >> (4 * cell)) & 15;
}

export function withCell(cells: number, cell: number, writer: number): number {
  return (cells & ~(15 << (4 * cell))) | (writer << (4 * cell));
}

export function countOf(progress: number, which: number): number {
  return (progress >> which) & 3;
}

export function withCount(progress: number, which: number, count: number): number {
  return (progress & ~(3 << which)) | (count << which);
}

/** A field of a layout's table; the tables are as long as what is asked of them. */
export function placeOf(table: readonly number[], index: number): number {
  return table[index] as number;
}
