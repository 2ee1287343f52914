import { KaasError, type LogConfig, type PartitionId } from "@kaas/core";
import { batch } from "@kaas/core/internal";
import type { LogState } from "../documents/document-types.js";
import { encodeDocument, readDocument } from "../documents/documents.js";
import { claimFile } from "../documents/durable-files.js";
import type { FileHandle } from "../file-system/file-system.js";
import { walkBatches } from "./batch-walk.js";
import { claimEpoch } from "./epoch-claim.js";
import { EpochTable } from "./epoch-table.js";
import { CHECKPOINT_NAME, epochFileName } from "./file-names.js";
import type { RecoveredLog } from "./log-core.js";
import type { LogEnvironment } from "./log-environment.js";
import { type ListedFile, type PartitionFiles, readHint, sweepPartition } from "./partition-files.js";
import { recoverProducers } from "./producer-recovery.js";
import { Segment } from "./segment.js";
import { replayBatch, SegmentIndexes, writeIndexes } from "./segment-indexes.js";

const EMPTY: LogState = {
  logStartOffset: 0,
  endOffset: 0,
  segments: [],
  epochs: [],
  producers: { offset: 0, snapshot: null },
};

/** A recovered log, and work that can be done once it serves. */
export interface Recovery {
  readonly log: RecoveredLog;
  tidyUp(): Promise<void>;
}

/** A segment that no document describes, as its batches tell. */
interface ScannedSegment {
  readonly segment: Segment;
  readonly indexes: SegmentIndexes;
  /** Bytes behind the last whole batch that are not zero. */
  readonly tornBytes: number;
}

/**
 * Takes the lead of a partition at a new epoch.
 *
 * ```
 * claim ─▶ newest released / manifest / seal ─▶ scan what its epoch appended since ─▶ fsync it ─▶ seal
 * ```
 *
 * After a clean hand-over `<epoch>.released` says everything, and nothing is scanned. After a crash the segments that
 * the last leader had not closed are read: batch headers from the start, checksums from the checkpoint on. What lies
 * behind the last valid batch was never acknowledged and, not being in the seal, does not exist.
 */
export async function recoverLog(
  id: PartitionId,
  directory: string,
  config: LogConfig,
  environment: LogEnvironment,
): Promise<Recovery> {
  const { epoch, listed } = await claimEpoch(environment, directory);
  const previous = listed.highestEpoch("seal", epoch);
  const base = previous < 0 ? { state: EMPTY, isReleased: true } : await readState(environment, listed, previous);
  const scanned = base.isReleased ? [] : await scanTail(id, listed, previous, base.state, config, environment);
  const segments = [
    ...base.state.segments.map((record) => Segment.of(directory, record)),
    ...scanned.map(({ segment }) => segment),
  ].filter((segment) => segment.sizeBytes > 0);
  const endOffset = segments.at(-1)?.nextOffset ?? base.state.endOffset;
  const { logStartOffset } = base.state;
  const recovered = await recoverProducers(environment, directory, base.state.producers, segments, endOffset);
  const epochs = new EpochTable(base.state.epochs);
  epochs.begin(epoch, endOffset);
  epochs.truncateBefore(logStartOffset);
  const state: LogState = {
    logStartOffset,
    endOffset,
    segments: segments.map((segment) => segment.record()),
    epochs: epochs.entries(),
    producers: recovered.saved,
  };
  const seal = encodeDocument("seal", { epoch, ...state });
  if (!(await claimFile(environment, directory, epochFileName(epoch, "seal"), seal))) {
    throw new KaasError("KAAS_STORAGE_FAILED", `${directory} has a seal of epoch ${epoch} that is not ours`);
  }
  const log: RecoveredLog = {
    epoch,
    directory,
    logStartOffset,
    endOffset,
    segments,
    epochs,
    producers: recovered.producers,
    savedProducers: recovered.saved,
    hasUnsavedProducers: recovered.isChanged,
  };
  return { log, tidyUp: () => tidyUp(environment, listed, state, epoch, scanned) };
}

/** What the documents of an epoch say: its hand-over if there was one, else its newest manifest, else its seal. */
async function readState(
  { fileSystem }: LogEnvironment,
  listed: PartitionFiles,
  epoch: number,
): Promise<{ readonly state: LogState; readonly isReleased: boolean }> {
  if (listed.of("released", epoch).length > 0) {
    const state = await readDocument(fileSystem, listed.path(epochFileName(epoch, "released")), "released");
    return { state, isReleased: true };
  }
  const manifest = listed.of("manifest", epoch).at(-1);
  if (manifest !== undefined) {
    return { state: await readDocument(fileSystem, listed.path(manifest.name), "manifest"), isReleased: false };
  }
  const state = await readDocument(fileSystem, listed.path(epochFileName(epoch, "seal")), "seal");
  return { state, isReleased: false };
}

/** Reads the segments that the epoch had begun and not described yet, and makes what is valid in them durable. */
async function scanTail(
  id: PartitionId,
  listed: PartitionFiles,
  epoch: number,
  state: LogState,
  config: LogConfig,
  environment: LogEnvironment,
): Promise<ScannedSegment[]> {
  const checkpoint = await readHint(environment.fileSystem, listed.path(CHECKPOINT_NAME), "checkpoint");
  const scanned: ScannedSegment[] = [];
  let nextOffset = state.endOffset;
  let isTorn = false;
  for (const file of listed.of("log", epoch)) {
    if (file.number < state.endOffset) continue;
    if (isTorn || file.number !== nextOffset) {
      const fields = { topic: id.topic, partition: id.partition, file: listed.path(file.name), nextOffset };
      environment.log.error(fields, "a segment does not follow the one before, whose end was lost; it is left out");
      continue;
    }
    const isCheckpointed = checkpoint?.epoch === epoch && checkpoint.baseOffset === file.number;
    const durableBytes = isCheckpointed ? checkpoint.sizeBytes : 0;
    const one = await scanSegment(listed, file, durableBytes, config, environment);
    report(id, one, durableBytes, environment);
    scanned.push(one);
    nextOffset = one.segment.nextOffset;
    isTorn = one.tornBytes > 0;
  }
  return scanned;
}

async function scanSegment(
  listed: PartitionFiles,
  file: ListedFile,
  durableBytes: number,
  config: LogConfig,
  environment: LogEnvironment,
): Promise<ScannedSegment> {
  const segment = new Segment(listed.directory, file.epoch, file.number, environment.clock.now());
  const indexes = new SegmentIndexes(segment);
  const handle = await environment.fileSystem.open(listed.path(file.name), "write");
  try {
    const fileBytes = await handle.size();
    await walkBatches(handle, {
      from: 0,
      to: fileBytes,
      offset: file.number,
      verifyFrom: durableBytes,
      visit(buffer, start, position) {
        if (batch.leaderEpoch(buffer, start) !== file.epoch || batch.baseOffset(buffer, start) !== segment.nextOffset) {
          return false;
        }
        replayBatch(segment, indexes, buffer, start, position, config.indexIntervalBytes);
        return true;
      },
    });
    indexes.finish();
    const tornBytes = await countTornBytes(handle, segment.sizeBytes, fileBytes);
    // It may have been written and not fsynced by a process that was killed; from here on it is relied upon.
    if (segment.sizeBytes > 0) await environment.syncSlots.with(() => handle.dataSync());
    return { segment, indexes, tornBytes };
  } finally {
    await handle.close();
  }
}

/** How far the bytes behind the last valid batch are anything but zeros written ahead. */
async function countTornBytes(handle: FileHandle, from: number, to: number): Promise<number> {
  const piece = Buffer.allocUnsafeSlow(Math.max(1, Math.min(1024 * 1024, to - from)));
  let torn = 0;
  for (let position = from; position < to; ) {
    const filled = await handle.read(piece.subarray(0, Math.min(piece.length, to - position)), position);
    if (filled === 0) break;
    let last = filled - 1;
    while (last >= 0 && piece[last] === 0) last--;
    if (last >= 0) torn = position + last + 1 - from;
    position += filled;
  }
  return torn;
}

/** A torn end is what a crash leaves. Damage to what is known to have been durable is not. */
function report(
  id: PartitionId,
  { segment, tornBytes }: ScannedSegment,
  durableBytes: number,
  environment: LogEnvironment,
): void {
  const file = segment.path("log");
  if (segment.sizeBytes < durableBytes) {
    throw new KaasError(
      "KAAS_VOLUME_INVALID",
      `${file} is damaged at byte ${segment.sizeBytes}: ${durableBytes} bytes of it were durable, and may have been acknowledged`,
    );
  }
  if (tornBytes === 0) return;
  environment.log.warn(
    { topic: id.topic, partition: id.partition, file, position: segment.sizeBytes, tornBytes },
    "the end of a segment was torn by a crash and is left out; it was never acknowledged",
  );
}

/** Once the seal is durable: what it does not name does not exist. */
async function tidyUp(
  environment: LogEnvironment,
  listed: PartitionFiles,
  state: LogState,
  epoch: number,
  scanned: readonly ScannedSegment[],
): Promise<void> {
  const inForce = new Set(state.segments.map((segment) => segmentKey(segment.epoch, segment.baseOffset)));
  await sweepPartition(environment.fileSystem, listed, (file) => {
    if (file.epoch >= epoch || file.name === state.producers.snapshot) return true;
    const isSegmentFile = file.kind === "log" || file.kind === "index" || file.kind === "timeindex";
    return isSegmentFile && inForce.has(segmentKey(file.epoch, file.number));
  });
  for (const { segment, indexes, tornBytes } of scanned) {
    if (segment.sizeBytes === 0) continue;
    await writeIndexes(environment, listed.directory, indexes, segment);
    // What was torn stays where it is, for whoever wants to look at it. Zeros only take space.
    if (tornBytes === 0) await cutPadding(environment, segment);
  }
}

async function cutPadding({ fileSystem }: LogEnvironment, segment: Segment): Promise<void> {
  const handle = await fileSystem.open(segment.path("log"), "write");
  try {
    await handle.truncate(segment.sizeBytes);
  } finally {
    await handle.close();
  }
}

function segmentKey(epoch: number, baseOffset: number): string {
  return `${epoch}-${baseOffset}`;
}
