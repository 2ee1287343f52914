import { KaasError } from "@kaas/core";
import { batch, ControlType, readControlBatch } from "@kaas/core/internal";
import { AbortedIndex } from "./aborted-index.js";
import { walkBatches } from "./batch-walk.js";
import type { LogEnvironment } from "./log-environment.js";
import { OpenTransactions } from "./open-transactions.js";
import { ProducerStates, recordBatch, recordMarker } from "./producer-states.js";
import type { Segment } from "./segment.js";
import { readOffsetIndex } from "./segment-indexes.js";

/** Goes through batches in order, and finds out what the log knew of its producers once it had them. */
export class ProducerReplay {
  readonly producers: ProducerStates;
  readonly transactions: OpenTransactions = new OpenTransactions();
  /** Transactions whose abort marker was met, and those known before. */
  readonly aborted: AbortedIndex;
  /** Whether there was a batch of a producer. */
  isChanged = false;
  readonly #nowMs: number;

  constructor(
    nowMs: number,
    producers: ProducerStates = new ProducerStates(),
    aborted: AbortedIndex = new AbortedIndex(),
  ) {
    this.producers = producers;
    this.aborted = aborted;
    this.#nowMs = nowMs;
    for (const start of producers.transactionStarts()) this.transactions.begin(start);
  }

  /** The next batch; a control batch must be whole, of others the header is enough. */
  take(buffer: Buffer, start: number): void {
    const producerId = batch.producerId(buffer, start);
    if (producerId < 0) return;
    if (batch.isControl(buffer, start)) this.#takeMarker(producerId, buffer, start);
    else this.#takeBatch(producerId, buffer, start);
  }

  #takeBatch(producerId: number, buffer: Buffer, start: number): void {
    const state = this.producers.obtain(producerId);
    const baseOffset = batch.baseOffset(buffer, start);
    const isTransactional = batch.isTransactional(buffer, start);
    if (isTransactional && !state.hasOpenTransaction) this.transactions.begin(baseOffset);
    const sequenced = {
      producerEpoch: batch.producerEpoch(buffer, start),
      firstSequence: batch.baseSequence(buffer, start),
      // Not its count of records: compaction removes records, and no sequence numbers.
      recordCount: batch.lastOffsetDelta(buffer, start) + 1,
      isTransactional,
    };
    recordBatch(state, sequenced, baseOffset, batch.maxTimestamp(buffer, start), this.#nowMs);
    this.isChanged = true;
  }

  #takeMarker(producerId: number, buffer: Buffer, start: number): void {
    const control = readControlBatch(buffer, start);
    if (control?.coordinatorEpoch === undefined) return;
    const state = this.producers.obtain(producerId);
    const lastOffset = batch.lastOffset(buffer, start);
    if (state.hasOpenTransaction) {
      const firstOffset = state.transactionStartOffset;
      const lastStableOffset = this.transactions.end(firstOffset, lastOffset);
      if (control.type === ControlType.ABORT) {
        this.aborted.append({ producerId, firstOffset, lastOffset, lastStableOffset });
      }
      this.transactions.firstUnstable(lastOffset + 1);
    }
    const producerEpoch = batch.producerEpoch(buffer, start);
    const { coordinatorEpoch } = control;
    recordMarker(state, { producerEpoch, coordinatorEpoch }, batch.maxTimestamp(buffer, start), this.#nowMs);
    this.isChanged = true;
  }
}

/** Goes through the batches of a segment that begin at an offset or above. */
export async function replaySegment(
  { fileSystem }: LogEnvironment,
  segment: Segment,
  replay: ProducerReplay,
  fromOffset: number = segment.baseOffset,
): Promise<void> {
  const index = fromOffset > segment.baseOffset ? await readOffsetIndex(fileSystem, segment) : undefined;
  const handle = await fileSystem.open(segment.path("log"), "read");
  try {
    await walkBatches(handle, {
      from: index?.positionFor(fromOffset - segment.baseOffset) ?? 0,
      to: segment.sizeBytes,
      offset: segment.baseOffset,
      verifyFrom: Number.POSITIVE_INFINITY,
      visit(buffer, start, position) {
        if (batch.baseOffset(buffer, start) >= fromOffset) take(replay, buffer, start, segment, position);
        return true;
      },
    });
  } finally {
    await handle.close();
  }
}

function take(replay: ProducerReplay, buffer: Buffer, start: number, segment: Segment, position: number): void {
  try {
    replay.take(buffer, start);
  } catch (error) {
    const message = `${segment.path("log")} is damaged at byte ${position}: a marker that cannot be read`;
    throw new KaasError("KAAS_VOLUME_INVALID", message, { cause: error });
  }
}
