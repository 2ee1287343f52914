import type { SavedProducers } from "../documents/document-types.js";
import { AbortedIndex } from "./aborted-index.js";
import type { LogEnvironment } from "./log-environment.js";
import { readHint } from "./partition-files.js";
import { ProducerReplay, replaySegment } from "./producer-replay.js";
import { ProducerStates } from "./producer-states.js";
import type { Segment } from "./segment.js";

const NOTHING_SAVED: SavedProducers = { offset: 0, snapshot: null };

export interface RecoveredProducers {
  /** Producers, open transactions, and the aborted ones that no document knows of yet. */
  readonly replay: ProducerReplay;
  readonly saved: SavedProducers;
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
  const replay = loaded ?? new ProducerReplay(environment.clock.now());
  // Of a snapshot that is lost nothing is saved: its records must not go before there is another one.
  const known = loaded === undefined ? NOTHING_SAVED : saved;
  for (const segment of segments) {
    if (segment.nextOffset > known.offset) {
      await replaySegment(environment, segment, replay, Math.max(known.offset, segment.baseOffset));
    }
  }
  if (replay.isChanged) return { replay, saved: known };
  return { replay, saved: { offset: endOffset, snapshot: known.snapshot } };
}

async function loadSnapshot(
  { fileSystem, clock, log }: LogEnvironment,
  directory: string,
  { snapshot }: SavedProducers,
): Promise<ProducerReplay | undefined> {
  if (snapshot === null) return new ProducerReplay(clock.now());
  const file = `${directory}/${snapshot}`;
  const content = await readHint(fileSystem, file, "producer-snapshot");
  if (content !== undefined) {
    const aborted = AbortedIndex.of(
      content.aborted.map(([producerId, firstOffset, lastOffset, lastStableOffset]) => ({
        producerId,
        firstOffset,
        lastOffset,
        lastStableOffset,
      })),
    );
    return new ProducerReplay(clock.now(), ProducerStates.of(content.producers), aborted);
  }
  log.warn({ file }, "the snapshot of producers is not readable; they are recovered from the records that are left");
  return undefined;
}
