import { batch } from "@kaas/core/internal";
import type { SavedProducers } from "../documents/document-types.js";
import { walkBatches } from "./batch-walk.js";
import type { LogEnvironment } from "./log-environment.js";
import { readHint } from "./partition-files.js";
import { ProducerStates, recordBatch } from "./producer-states.js";
import type { Segment } from "./segment.js";
import { readOffsetIndex } from "./segment-indexes.js";

export interface RecoveredProducers {
  readonly producers: ProducerStates;
  readonly saved: SavedProducers;
  /** Whether the log changed them since they were saved. */
  readonly isChanged: boolean;
}

/** The snapshot, and the headers of all batches behind it. */
export async function recoverProducers(
  environment: LogEnvironment,
  directory: string,
  saved: SavedProducers,
  segments: readonly Segment[],
  endOffset: number,
): Promise<RecoveredProducers> {
  const loaded = await loadSnapshot(environment, directory, saved);
  const producers = loaded ?? new ProducerStates();
  const from = loaded === undefined ? 0 : saved.offset;
  let isChanged = false;
  for (const segment of segments) {
    if (segment.nextOffset > from && (await replaySegment(environment, segment, producers, from))) isChanged = true;
  }
  if (isChanged) return { producers, saved, isChanged };
  return { producers, saved: { offset: endOffset, snapshot: saved.snapshot }, isChanged };
}

async function loadSnapshot(
  { fileSystem, log }: LogEnvironment,
  directory: string,
  { snapshot }: SavedProducers,
): Promise<ProducerStates | undefined> {
  if (snapshot === null) return new ProducerStates();
  const file = `${directory}/${snapshot}`;
  const content = await readHint(fileSystem, file, "producer-snapshot");
  if (content !== undefined) return ProducerStates.of(content.producers);
  log.warn({ file }, "the snapshot of producers is not readable; they are recovered from the records that are left");
  return undefined;
}

/** Whether there was a producer in the segment. */
async function replaySegment(
  { fileSystem, clock }: LogEnvironment,
  segment: Segment,
  producers: ProducerStates,
  fromOffset: number,
): Promise<boolean> {
  const index = fromOffset > segment.baseOffset ? await readOffsetIndex(fileSystem, segment) : undefined;
  const now = clock.now();
  let isChanged = false;
  const handle = await fileSystem.open(segment.path("log"), "read");
  try {
    await walkBatches(handle, {
      from: index?.positionFor(fromOffset - segment.baseOffset) ?? 0,
      to: segment.sizeBytes,
      offset: segment.baseOffset,
      verifyFrom: Number.POSITIVE_INFINITY,
      visit(buffer, start) {
        const baseOffset = batch.baseOffset(buffer, start);
        const producerId = batch.producerId(buffer, start);
        if (producerId < 0 || baseOffset < fromOffset || batch.isControl(buffer, start)) return true;
        const sequenced = {
          producerEpoch: batch.producerEpoch(buffer, start),
          firstSequence: batch.baseSequence(buffer, start),
          recordCount: batch.recordCount(buffer, start),
        };
        recordBatch(producers.obtain(producerId), sequenced, baseOffset, batch.maxTimestamp(buffer, start), now);
        isChanged = true;
        return true;
      },
    });
  } finally {
    await handle.close();
  }
  return isChanged;
}
