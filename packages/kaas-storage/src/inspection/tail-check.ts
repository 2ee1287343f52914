import { batch } from "@kaas/core/internal";
import { type FileHandle, isErrno } from "../file-system/file-system.js";
import { CHECKPOINT_NAME } from "../partition/file-names.js";
import type { ListedFile } from "../partition/partition-files.js";
import { countTornBytes } from "../partition/torn-bytes.js";
import { BatchScanner, findSoundBatch } from "./batch-scanner.js";
import { probeDocument } from "./document-probe.js";
import { type Finding, finding } from "./finding.js";
import type { PartitionView } from "./partition-view.js";
import { type BatchTotals, countBatch, noBatches } from "./segment-scan.js";
import { unreadable, type VolumeView } from "./volume-view.js";

/** What was found in the segments that no document describes yet. */
export interface TailCheck {
  readonly findings: readonly Finding[];
  readonly totals: BatchTotals;
  /** Where the next record would go, going by what is valid. */
  readonly endOffset: number;
}

/** Goes through the segments that the epoch in force has begun, as the next leader's recovery would. */
export async function checkTail(
  view: VolumeView,
  partition: PartitionView,
  progress: (bytes: number) => void,
): Promise<TailCheck> {
  const findings: Finding[] = [];
  const totals = noBatches();
  let endOffset = partition.state?.endOffset ?? 0;
  const durable = await readCheckpoint(view, partition, findings);
  for (const file of partition.tail) {
    const path = partition.listed.path(file.name);
    if (file.number !== endOffset) {
      const message = `it begins at offset ${file.number} where the log before it ends at ${endOffset}`;
      findings.push(finding("segments-not-dense", path, message));
      continue;
    }
    try {
      const one = await checkOpenSegment(view, path, file, durable(file), totals, progress);
      if (one === undefined) break; // it has gone meanwhile
      findings.push(...one.findings);
      endOffset = one.endOffset;
    } catch (error) {
      findings.push(unreadable(path, error));
      break;
    }
  }
  return { findings, totals, endOffset };
}

/** How many bytes of a segment are known to have been fsynced. */
async function readCheckpoint(
  view: VolumeView,
  { listed }: PartitionView,
  findings: Finding[],
): Promise<(file: ListedFile) => number> {
  const path = listed.path(CHECKPOINT_NAME);
  const probe = await probeDocument(view, path, "checkpoint");
  if (probe.state === "bad") findings.push(finding("hint-unreadable", path, probe.finding.message));
  if (probe.state !== "valid") return () => 0;
  const { epoch, baseOffset, sizeBytes } = probe.value;
  return (file) => (file.epoch === epoch && file.number === baseOffset ? sizeBytes : 0);
}

interface OpenSegmentCheck {
  readonly findings: readonly Finding[];
  readonly endOffset: number;
}

async function checkOpenSegment(
  view: VolumeView,
  path: string,
  file: ListedFile,
  durableBytes: number,
  totals: BatchTotals,
  progress: (bytes: number) => void,
): Promise<OpenSegmentCheck | undefined> {
  let handle: FileHandle;
  try {
    handle = await view.fileSystem.open(path, "read");
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
  try {
    const sizeBytes = await handle.size();
    const { position, endOffset } = await scanOpen(handle, file, sizeBytes, totals, progress);
    const tornBytes = await countTornBytes(handle, position, sizeBytes);
    const problem = await judgeEnd(handle, path, { position, endOffset, sizeBytes, tornBytes, durableBytes });
    return { findings: problem === undefined ? [] : [problem], endOffset };
  } finally {
    await handle.close();
  }
}

/** Up to the first batch that is not whole, valid and the next one of this epoch. */
async function scanOpen(
  handle: FileHandle,
  file: ListedFile,
  sizeBytes: number,
  totals: BatchTotals,
  progress: (bytes: number) => void,
): Promise<{ readonly position: number; readonly endOffset: number }> {
  const scanner = new BatchScanner(handle, 0, sizeBytes);
  let endOffset = file.number;
  let reported = 0;
  for (let step = scanner.next(); step === "batch" || step === "more"; step = scanner.next()) {
    if (step === "more") {
      progress(scanner.position - reported);
      reported = scanner.position;
      await scanner.fill();
      continue;
    }
    const { buffer, at } = scanner;
    const isNext = batch.baseOffset(buffer, at) === endOffset && batch.leaderEpoch(buffer, at) === file.epoch;
    if (!isNext || !scanner.isSound()) break;
    countBatch(totals, scanner);
    endOffset = batch.lastOffset(buffer, at) + 1;
  }
  progress(sizeBytes - reported);
  return { position: scanner.position, endOffset };
}

interface OpenEnd {
  readonly position: number;
  readonly endOffset: number;
  readonly sizeBytes: number;
  readonly tornBytes: number;
  readonly durableBytes: number;
}

/**
 * A torn end is what a crash leaves; damage before what was durable is not, nor is a valid batch behind a bad one. Nothing
 * at all before a valid one is a torn end too: of writes that are under way at the same time the later may arrive first.
 */
async function judgeEnd(handle: FileHandle, path: string, end: OpenEnd): Promise<Finding | undefined> {
  const { position, tornBytes, durableBytes, endOffset, sizeBytes } = end;
  if (position < durableBytes) {
    const message = `no valid batch at byte ${position}, and ${durableBytes} bytes were durable`;
    return finding("tail-damaged", path, message, position);
  }
  if (tornBytes === 0) return undefined;
  const next = await findSoundBatch(handle, position + 1, sizeBytes, endOffset + 1);
  if (next >= 0 && (await countTornBytes(handle, position, next)) > 0) {
    const message = `the batch at byte ${position} is bad, and a valid one begins at byte ${next}`;
    return finding("tail-damaged", path, message, position);
  }
  const behind = next < 0 ? "" : `; behind what was never written a valid one begins at byte ${next}`;
  return finding(
    "tail-torn",
    path,
    `${tornBytes} bytes from byte ${position} on are no whole batch${behind}`,
    position,
  );
}
