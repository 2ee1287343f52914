import { ErrorCode, type ProducerStateView } from "@kaas/core";
import type { ProducerRecord } from "../documents/document-types.js";

/** How many of a producer's last batches a retry is recognised among: the most that a client has in flight. */
const WINDOW = 5;
const SEQUENCE_MAX = 0x7fff_ffff;
const NO_EPOCH = -1;

interface ProducedBatch {
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly baseOffset: number;
  readonly timestamp: number;
}

/** What a log knows about one producer. */
export class ProducerState {
  readonly producerId: number;
  producerEpoch: number = NO_EPOCH;
  coordinatorEpoch = -1;
  lastTimestamp = -1;
  lastAppendMs = 0;
  /** Oldest first, at most {@link WINDOW}, all of the current epoch. */
  batches: ProducedBatch[] = [];

  constructor(producerId: number) {
    this.producerId = producerId;
  }

  get lastSequence(): number {
    return this.batches.at(-1)?.lastSequence ?? -1;
  }

  clone(): ProducerState {
    const copy = new ProducerState(this.producerId);
    copy.producerEpoch = this.producerEpoch;
    copy.coordinatorEpoch = this.coordinatorEpoch;
    copy.lastTimestamp = this.lastTimestamp;
    copy.lastAppendMs = this.lastAppendMs;
    copy.batches = [...this.batches];
    return copy;
  }
}

/** A batch as its producer numbers it. */
export interface Sequenced {
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly recordCount: number;
}

/** What becomes of a sequenced batch: it is new, it was here before, or it must not come. */
export type SequenceVerdict =
  | { readonly kind: "new" }
  | { readonly kind: "duplicate"; readonly baseOffset: number; readonly timestamp: number }
  | { readonly kind: "refused"; readonly errorCode: ErrorCode; readonly message: string };

const NEW: SequenceVerdict = { kind: "new" };

/** The last sequence number of so many records; after the largest comes 0. */
export function lastSequence(firstSequence: number, recordCount: number): number {
  const last = firstSequence + recordCount - 1;
  return last > SEQUENCE_MAX ? last - SEQUENCE_MAX - 1 : last;
}

/**
 * Judges a batch by what is known of its producer (KIP-98). A producer of whom nothing is known may begin with any
 * sequence number: its state may have expired (KIP-360).
 */
export function judgeSequence(state: ProducerState | undefined, sequenced: Sequenced): SequenceVerdict {
  if (state === undefined || state.producerEpoch === NO_EPOCH) return NEW;
  const { producerEpoch, firstSequence, recordCount } = sequenced;
  if (producerEpoch < state.producerEpoch) {
    return refused(
      ErrorCode.INVALID_PRODUCER_EPOCH,
      `producer ${state.producerId} has epoch ${state.producerEpoch}, the batch has ${producerEpoch}`,
    );
  }
  if (producerEpoch > state.producerEpoch) {
    if (firstSequence === 0) return NEW;
    return refused(
      ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
      `producer ${state.producerId} begins epoch ${producerEpoch} with sequence number ${firstSequence}, not 0`,
    );
  }
  const last = lastSequence(firstSequence, recordCount);
  for (const known of state.batches) {
    if (known.firstSequence === firstSequence && known.lastSequence === last) {
      return { kind: "duplicate", baseOffset: known.baseOffset, timestamp: known.timestamp };
    }
  }
  const expected = state.lastSequence === SEQUENCE_MAX ? 0 : state.lastSequence + 1;
  if (firstSequence === expected) return NEW;
  return refused(
    ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
    `producer ${state.producerId} sent sequence number ${firstSequence} where ${expected} comes next`,
  );
}

function refused(errorCode: ErrorCode, message: string): SequenceVerdict {
  return { kind: "refused", errorCode, message };
}

/** Takes note of a batch that was appended. */
export function recordBatch(
  state: ProducerState,
  { producerEpoch, firstSequence, recordCount }: Sequenced,
  baseOffset: number,
  timestamp: number,
  nowMs: number,
): void {
  if (producerEpoch !== state.producerEpoch) state.batches = [];
  state.producerEpoch = producerEpoch;
  state.lastTimestamp = timestamp;
  state.lastAppendMs = nowMs;
  if (state.batches.length === WINDOW) state.batches.shift();
  state.batches.push({ firstSequence, lastSequence: lastSequence(firstSequence, recordCount), baseOffset, timestamp });
}

/** The producers of one log. */
export class ProducerStates {
  readonly #states = new Map<number, ProducerState>();

  get size(): number {
    return this.#states.size;
  }

  get(producerId: number): ProducerState | undefined {
    return this.#states.get(producerId);
  }

  set(state: ProducerState): void {
    this.#states.set(state.producerId, state);
  }

  /** The state of a producer, made if there is none. */
  obtain(producerId: number): ProducerState {
    let state = this.#states.get(producerId);
    if (state === undefined) {
      state = new ProducerState(producerId);
      this.#states.set(producerId, state);
    }
    return state;
  }

  /** Forgets producers that have not appended since. */
  expire(sinceMs: number): void {
    for (const state of this.#states.values()) {
      if (state.lastAppendMs < sinceMs) this.#states.delete(state.producerId);
    }
  }

  views(): ProducerStateView[] {
    return Array.from(this.#states.values(), (state) => ({
      producerId: state.producerId,
      producerEpoch: state.producerEpoch,
      lastSequence: state.lastSequence,
      lastTimestamp: state.lastTimestamp,
      coordinatorEpoch: state.coordinatorEpoch,
      currentTransactionStartOffset: -1,
    }));
  }

  /** For a snapshot. */
  records(): ProducerRecord[] {
    return Array.from(this.#states.values(), (state) => ({
      producerId: state.producerId,
      producerEpoch: state.producerEpoch,
      coordinatorEpoch: state.coordinatorEpoch,
      lastTimestamp: state.lastTimestamp,
      lastAppendMs: state.lastAppendMs,
      batches: state.batches.map(
        (one) => [one.firstSequence, one.lastSequence, one.baseOffset, one.timestamp] as const,
      ),
    }));
  }

  static of(records: readonly ProducerRecord[]): ProducerStates {
    const states = new ProducerStates();
    for (const record of records) {
      const state = states.obtain(record.producerId);
      state.producerEpoch = record.producerEpoch;
      state.coordinatorEpoch = record.coordinatorEpoch;
      state.lastTimestamp = record.lastTimestamp;
      state.lastAppendMs = record.lastAppendMs;
      state.batches = record.batches.map(([firstSequence, lastOne, baseOffset, timestamp]) => ({
        firstSequence,
        lastSequence: lastOne,
        baseOffset,
        timestamp,
      }));
    }
    return states;
  }
}
