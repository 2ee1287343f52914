import { KaasError, type LogConfig, type PartitionId } from "@kaas/core";
import { batch } from "@kaas/core/internal";
import type { LogState } from "../documents/document-types.js";
import type { FileHandle } from "../file-system/file-system.js";
import { type InTurn, Rewrite } from "../leadership/rewrite.js";
import { walkBatches } from "./batch-walk.js";
import { CHECKPOINT_NAME, isCleaned } from "./file-names.js";
import type { LogEnvironment } from "./log-environment.js";
import { type ListedFile, type PartitionFiles, readHint } from "./partition-files.js";
import { Segment } from "./segment.js";
import { replayBatch, SegmentIndexes } from "./segment-indexes.js";
import { countTornBytes } from "./torn-bytes.js";

/** A segment that no document describes, as its batches tell. */
export interface ScannedSegment {
  readonly segment: Segment;
  readonly indexes: SegmentIndexes;
  /** Bytes behind the last whole batch that are not zero. */
  readonly tornBytes: number;
  /** Whether valid batches follow a bad one. */
  readonly isDamaged: boolean;
}

/** Reads the segments that the epoch had begun and not described yet, and makes what is valid in them durable. */
export async function scanTail(
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
  for (const file of listed.of("log", epoch)) {
    // What compaction wrote and no manifest names was never put in force.
    if (file.number < state.endOffset || isCleaned(file)) continue;
    // One that begins where the last whole batch ended has lost nothing before it, whatever else lies behind that batch.
    if (file.number !== nextOffset) {
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
  const { fileSystem } = environment;
  const path = listed.path(file.name);
  const segment = new Segment(listed.directory, file.epoch, file.number, environment.clock.now());
  const indexes = new SegmentIndexes(segment);
  // Another machine may have written it, and this one's cache may know an older state.
  const handle = await fileSystem.open(path, environment.isShared ? "uncached" : "read");
  const inTurn: InTurn = (sync) => environment.syncSlots.with(sync);
  let rewrite: Rewrite | undefined;
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
      async verified(buffer, start, end, position) {
        rewrite ??= await Rewrite.begin({ fileSystem, path, reader: handle, from: position, inTurn });
        await rewrite.write(buffer.subarray(start, end), position);
      },
    });
    indexes.finish();
    const tornBytes = await countTornBytes(handle, segment.sizeBytes, fileBytes);
    const doubtfulFrom = await rewrite?.finish(segment.sizeBytes);
    if (doubtfulFrom !== undefined) await expectBatches(handle, segment, doubtfulFrom, path);
    const isDamaged = tornBytes > 0 && (await isFollowedByBatch(handle, segment, fileBytes));
    return { segment, indexes, tornBytes, isDamaged };
  } finally {
    await rewrite?.close();
    await handle.close();
  }
}

/** What has been found valid must have been so still when it was made durable. */
async function expectBatches(handle: FileHandle, segment: Segment, from: number, path: string): Promise<void> {
  const to = segment.sizeBytes;
  const offset = segment.baseOffset;
  const { position } = await walkBatches(handle, { from, to, offset, verifyFrom: from, visit: () => true });
  if (position === to) return;
  throw new KaasError("KAAS_STORAGE_FAILED", `${path} changed at byte ${position} while it was made durable`);
}

/** A torn end is what a crash leaves. Damage to what is known to have been durable is not. */
function report(
  id: PartitionId,
  { segment, tornBytes, isDamaged }: ScannedSegment,
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
  const fields = { topic: id.topic, partition: id.partition, file, position: segment.sizeBytes, tornBytes };
  if (isDamaged) {
    environment.log.error(
      fields,
      "a batch is damaged and valid ones follow it: a disk that lost power, or lost data. The log ends before it; the bytes are left in the file",
    );
  } else {
    environment.log.warn(fields, "the end of a segment was torn by a crash and is left out; it was never acknowledged");
  }
}

/** Whether the bad batch that ends the segment has a whole and valid one behind it. */
async function isFollowedByBatch(handle: FileHandle, segment: Segment, fileBytes: number): Promise<boolean> {
  const header = Buffer.alloc(batch.BATCH_HEADER_BYTES);
  if ((await handle.read(header, segment.sizeBytes)) < header.length) return false;
  const next = segment.sizeBytes + batch.batchSize(header, 0);
  if (next <= segment.sizeBytes || next >= fileBytes) return false;
  const { position } = await walkBatches(handle, {
    from: next,
    to: fileBytes,
    offset: segment.nextOffset,
    verifyFrom: 0,
    visit: () => false,
  });
  return position > next;
}
