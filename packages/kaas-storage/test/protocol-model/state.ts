/**
 * A state of the model: one byte a field, so that it is compared, hashed and stored as bytes.
 *
 * ```
 * globals │ process 0 … n−1 │ epoch 1 … m │ process n │ epoch m+1
 *                                          └─ only for the broker that starts afresh (recovery.ts); not stored
 * ```
 *
 * Where partitions move there are two directories: epochs 1 … m of the second follow those of the first, and all three kinds
 * of block have further fields at their end.
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
/** Directories that the topic has ever been said to lie in, by bit: what a broker goes by may be as old as it likes. */
export const PLACES = GLOBALS;
export const MOVES_LEFT = GLOBALS + 1;
const GLOBALS_MOVING = GLOBALS + 2;

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
/** The directory that it works in, or will look in first. */
export const DIRECTORY = 9;
/** What came along from the other directory: the epoch at which the log left it, and the lengths that it had. */
export const SINCE = 10;
export const ARRIVAL_LENGTHS = 11;
/** The mover whose copies hold the log, up to that mover's epoch: as it arrives, then as its own seal has it. */
export const COPY = 12;
/** The epoch that a mover handed over. */
export const HELD = 13;
const PROCESS_BYTES_MOVING = 14;

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
/** Of a seal that says where the partition went: the epoch at which it did. 0 of any other. */
export const SEAL_SINCE = 10;
/** The mover whose copies hold what is older, in this directory; in the other one where the seal says that it went there. */
export const SEAL_COPY = 11;
/** Whether everybody may act on the departure that the seal of this epoch tells of. */
export const MOVED = 12;
/** What this epoch's leader has copied to here: 0, or how many records + 1; so many of them are durable; which ones. */
export const COPIED = 13;
export const COPIED_DURABLE = 14;
export const COPIED_RECORDS = 15;
export const COPIED_MAX = 3;
const EPOCH_BYTES_MOVING = COPIED_RECORDS + COPIED_MAX;

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
/** A mover: its log is handed over; all of it is copied. */
export const HANDED_OVER = 14;
export const ALL_COPIED = 15;
/** Whoever knows that the partition leaves: it seals that, reads its fuse, notes it, and withdraws its claim. */
export const DEPARTING = 16;
export const DEPARTURE_SEALED = 17;
export const DEPARTURE_CONFIRMED = 18;
export const DEPARTURE_NOTED = 19;

export type State = Uint8Array<ArrayBuffer>;

/** Where each process and epoch lies. Epochs count from 1. */
export interface Layout {
  readonly processes: number;
  readonly epochs: number;
  readonly directories: number;
  readonly processBytes: number;
  /** What is stored of a state, a multiple of 4. */
  readonly storedBytes: number;
  readonly bytes: number;
  readonly process: readonly number[];
  readonly epoch: readonly number[];
}

export function layoutOf(processes: number, epochs: number, directories = 1): Layout {
  const isMoving = directories > 1;
  const processBytes = isMoving ? PROCESS_BYTES_MOVING : PROCESS_BYTES;
  const epochBytes = isMoving ? EPOCH_BYTES_MOVING : EPOCH_BYTES;
  const process: number[] = [];
  const epoch: number[] = [];
  let at = isMoving ? GLOBALS_MOVING : GLOBALS;
  for (let index = 0; index < processes; index++, at += processBytes) process.push(at);
  for (let directory = 0; directory < directories; directory++) {
    epoch[directory * (epochs + 2)] = 0;
    for (let index = 1; index <= epochs; index++, at += epochBytes) epoch[directory * (epochs + 2) + index] = at;
  }
  const storedBytes = Math.ceil(at / 4) * 4;
  process.push(storedBytes);
  at = storedBytes + processBytes;
  for (let directory = 0; directory < directories; directory++, at += epochBytes) {
    epoch[directory * (epochs + 2) + epochs + 1] = at;
  }
  const bytes = Math.ceil(at / 4) * 4;
  return { processes, epochs, directories, processBytes, storedBytes, bytes, process, epoch };
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
