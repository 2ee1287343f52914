import { batch } from "@kaas/core/internal";
import { type FileHandle, isErrno } from "../file-system/file-system.js";
import { Segment } from "../partition/segment.js";
import { countTornBytes } from "../partition/torn-bytes.js";
import { BatchScanner, findSoundBatch } from "./batch-scanner.js";
import { type DumpedBatch, describeBatch } from "./dumped-batch.js";
import { type Finding, finding } from "./finding.js";
import { viewPartition } from "./partition-view.js";
import { unreadable, type VolumeView } from "./volume-view.js";

/** Which part of a log is wanted, and how much of it is looked into. */
export interface DumpOptions {
  /** The first offset that is wanted; the batch that holds it comes whole. The log's first by default. */
  readonly from?: number;
  /** The last offset that is wanted; the log's last by default. */
  readonly to?: number;
  /** Whether records are decoded. */
  readonly decode?: boolean;
  /** A broker may be appending: where the open segment ends, nothing is wrong. */
  readonly isLive?: boolean;
}

/** What a log holds, in order; a finding stands where it is damaged. */
export type DumpedItem = DumpedBatch | { readonly kind: "finding"; readonly finding: Finding };

/** A part of a log's file that is in force. */
interface Piece {
  readonly file: string;
  readonly baseOffset: number;
  /** Undefined for a segment that no document describes: up to the end of the file, or to what is no batch. */
  readonly described: { readonly nextOffset: number; readonly sizeBytes: number } | undefined;
}

/** Goes through the batches of a partition, oldest first. Nothing when there is no such directory. */
export async function* dumpLog(
  view: VolumeView,
  directory: string,
  options: DumpOptions = {},
): AsyncGenerator<DumpedItem> {
  const partition = await viewPartition(view, directory);
  if (partition === undefined) return;
  for (const one of partition.findings) yield { kind: "finding", finding: one };
  const { from = 0, to = Number.POSITIVE_INFINITY } = options;
  const pieces: Piece[] = (partition.state?.segments ?? []).map((record) => ({
    file: Segment.of(directory, record).path("log"),
    baseOffset: record.baseOffset,
    described: record,
  }));
  for (const file of partition.tail) {
    pieces.push({ file: partition.listed.path(file.name), baseOffset: file.number, described: undefined });
  }
  for (const piece of pieces) {
    if (piece.baseOffset > to) return;
    if (piece.described !== undefined && piece.described.nextOffset <= from) continue;
    yield* dumpPiece(view, piece, from, to, options);
  }
}

async function* dumpPiece(
  view: VolumeView,
  piece: Piece,
  from: number,
  to: number,
  { decode = false, isLive = false }: DumpOptions,
): AsyncGenerator<DumpedItem> {
  const { file, described } = piece;
  let handle: FileHandle;
  try {
    handle = await view.fileSystem.open(file, "read");
  } catch (error) {
    const isGone = isErrno(error, "ENOENT");
    if (isGone && isLive) return; // retention has just removed it
    yield found(isGone ? finding("segment-missing", file, "it is not there") : unreadable(file, error));
    return;
  }
  try {
    const sizeBytes = await handle.size();
    if (described !== undefined && sizeBytes < described.sizeBytes) {
      const message = `it has ${sizeBytes} bytes where ${described.sizeBytes} are in force`;
      yield found(finding("segment-short", file, message, sizeBytes));
    }
    const end = Math.min(sizeBytes, described?.sizeBytes ?? sizeBytes);
    yield* dumpRange({ handle, file, end, isOpen: described === undefined, isLive }, from, to, decode);
  } finally {
    await handle.close();
  }
}

/** The part of a file that holds batches. */
interface Range {
  readonly handle: FileHandle;
  readonly file: string;
  readonly end: number;
  /** Whether it may end before `end`, in zeros or a torn write. */
  readonly isOpen: boolean;
  readonly isLive: boolean;
}

async function* dumpRange(range: Range, from: number, to: number, decode: boolean): AsyncGenerator<DumpedItem> {
  const { handle, file, end, isOpen } = range;
  let scanner = new BatchScanner(handle, 0, end);
  for (let step = scanner.next(); step !== "end"; step = scanner.next()) {
    const { buffer, at, position } = scanner;
    if (step === "more") await scanner.fill();
    else if (step === "batch") {
      if (batch.lastOffset(buffer, at) < from) continue;
      const isSound = scanner.isSound();
      if (isSound && batch.baseOffset(buffer, at) > to) return;
      if (!isSound && isOpen && (await nextBatch(range, position)) < 0) return;
      yield await describeBatch(buffer, at, { file, position, isSound }, decode);
    } else {
      const next = await nextBatch(range, position);
      if (isOpen && next < 0) return;
      const rest = next < 0 ? "nothing valid follows" : `the next begins at byte ${next}`;
      const message = `no record batch begins at byte ${position}; ${rest}`;
      const isTorn = isOpen && (await countTornBytes(handle, position, next)) === 0;
      const code = isTorn ? "tail-torn" : isOpen ? "tail-damaged" : "batch-damaged";
      yield found(finding(code, file, message, position));
      if (next < 0) return;
      scanner = new BatchScanner(handle, next, end);
    }
  }
}

/** Where a valid batch follows what is none; where a broker is appending, none is looked for. */
async function nextBatch({ handle, end, isOpen, isLive }: Range, position: number): Promise<number> {
  return isOpen && isLive ? -1 : findSoundBatch(handle, position + 1, end, 0);
}

function found(one: Finding): DumpedItem {
  return { kind: "finding", finding: one };
}
