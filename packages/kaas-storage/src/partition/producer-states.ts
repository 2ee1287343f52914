import { ErrorCode, type ProducerStateView } from "@kaas/core";
import type { ProducerRecord } from "../documents/document-types.js";

/** How many of a producer's last batches a retry is recognised among: the most that a client has in flight. */
const WINDOW = 5;
const SEQUENCE_MAX = 0x7fff_ffff;
/** The epoch of a producer of whom nothing is known. */
export const NO_EPOCH: number = -1;
/** The start of a transaction that there is not. */
export const NO_TRANSACTION: number = -1;

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
  /** First offset of the open transaction. */
  transactionStartOffset: number = NO_TRANSACTION;
  /** Oldest first, at most {@link WINDOW}, all of the current epoch. */
  batches: ProducedBatch[] = [];

  constructor(producerId: number) {
    this.producerId = producerId;
  }

  get lastSequence(): number {
    return this.batches.at(-1)?.lastSequence ?? -1;
  }

  get hasOpenTransaction(): boolean {
    return this.transactionStartOffset !== NO_TRANSACTION;
  }

  clone(): ProducerState {
    const copy = new ProducerState(this.producerId);
    copy.producerEpoch = this.producerEpoch;
    copy.coordinatorEpoch = this.coordinatorEpoch;
    copy.lastTimestamp = this.lastTimestamp;
    copy.lastAppendMs = this.lastAppendMs;
    copy.transactionStartOffset = this.transactionStartOffset;
    copy.batches = [...this.batches];
    return copy;
  }
}

/** A batch as its producer numbers it. */
export interface Sequenced {
  readonly producerEpoch: number;
  readonly firstSequence: number;
  /** Sequence numbers that the batch takes; compaction may have removed some of its records. */
  readonly recordCount: number;
  readonly isTransactional: boolean;
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

/** The batch of the same producer epoch that a retry is of. */
export function findDuplicate(
  state: ProducerState | undefined,
  { producerEpoch, firstSequence, recordCount }: Sequenced,
): SequenceVerdict | undefined {
  if (state === undefined || state.producerEpoch !== producerEpoch) return undefined;
  const last = lastSequence(firstSequence, recordCount);
  for (const known of state.batches) {
    if (known.firstSequence === firstSequence && known.lastSequence === last) {
      return { kind: "duplicate", baseOffset: known.baseOffset, timestamp: known.timestamp };
    }
  }
  return undefined;
}

/**
 * Judges a batch that is no retry by what is known of its producer (KIP-98). A producer of whom nothing is known may
 * begin with any sequence number, as its state may have expired (KIP-360), unless others of its batches wait to go
 * first: then `firstSequenceMax` is the least of theirs.
 */
export function judgeSequence(
  state: ProducerState | undefined,
  sequenced: Sequenced,
  firstSequenceMax: number = SEQUENCE_MAX,
): SequenceVerdict {
  const { producerEpoch, firstSequence } = sequenced;
  if (state !== undefined && producerEpoch < state.producerEpoch) {
    return refused(
      ErrorCode.INVALID_PRODUCER_EPOCH,
      `producer ${state.producerId} has epoch ${state.producerEpoch}, the batch has ${producerEpoch}`,
    );
  }
  const expected = expectedSequence(state, producerEpoch);
  if (firstSequence > firstSequenceMax || (expected !== undefined && firstSequence !== expected)) {
    return refused(
      ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
      `a batch of producer epoch ${producerEpoch} begins with sequence number ${firstSequence} where ${expected ?? firstSequenceMax} comes next`,
    );
  }
  if (state?.hasOpenTransaction === true && !sequenced.isTransactional) {
    return refused(
      ErrorCode.INVALID_TXN_STATE,
      `producer ${state.producerId} has a transaction open, and sent a batch that is not of it`,
    );
  }
  return NEW;
}

/** The only sequence number that may come next; undefined where any may. */
function expectedSequence(state: ProducerState | undefined, producerEpoch: number): number | undefined {
  if (state === undefined || state.producerEpoch === NO_EPOCH) return undefined;
  if (producerEpoch > state.producerEpoch || state.lastSequence === SEQUENCE_MAX) return 0;
  return state.lastSequence + 1;
}

/** A verdict against a batch. */
export function refused(errorCode: ErrorCode, message: string): SequenceVerdict {
  return { kind: "refused", errorCode, message };
}

/** Takes note of a batch that was appended. */
export function recordBatch(
  state: ProducerState,
  { producerEpoch, firstSequence, recordCount, isTransactional }: Sequenced,
  baseOffset: number,
  timestamp: number,
  nowMs: number,
): void {
  if (producerEpoch !== state.producerEpoch) state.batches = [];
  if (isTransactional && !state.hasOpenTransaction) state.transactionStartOffset = baseOffset;
  state.producerEpoch = producerEpoch;
  state.lastTimestamp = timestamp;
  state.lastAppendMs = nowMs;
  if (state.batches.length === WINDOW) state.batches.shift();
  state.batches.push({ firstSequence, lastSequence: lastSequence(firstSequence, recordCount), baseOffset, timestamp });
}

/** What a marker does to its producer. The next batch of an epoch that it raised begins with sequence number 0. */
export function recordMarker(
  state: ProducerState,
  marker: { readonly producerEpoch: number; readonly coordinatorEpoch: number },
  timestamp: number,
  nowMs: number,
): void {
  if (marker.producerEpoch !== state.producerEpoch) state.batches = [];
  state.producerEpoch = marker.producerEpoch;
  state.coordinatorEpoch = marker.coordinatorEpoch;
  state.lastTimestamp = timestamp;
  state.lastAppendMs = nowMs;
  state.transactionStartOffset = NO_TRANSACTION;
}

/** The last that a producer wrote: compaction keeps it, or the window would be lost with it. */
export interface LastRecord {
  readonly producerEpoch: number;
  /** Last offset of its last batch; undefined when its epoch has a marker and no batch. */
  readonly lastDataOffset: number | undefined;
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

  /** Forgets producers that have not appended since, and have no transaction open. */
  expire(sinceMs: number): void {
    for (const state of this.#states.values()) {
      if (state.lastAppendMs < sinceMs && !state.hasOpenTransaction) this.#states.delete(state.producerId);
    }
  }

  /** First offsets of the open transactions, ascending. */
  transactionStarts(): number[] {
    const starts: number[] = [];
    for (const state of this.#states.values()) if (state.hasOpenTransaction) starts.push(state.transactionStartOffset);
    return starts.sort((a, b) => a - b);
  }

  /** The last record of each producer by its id. */
  lastRecords(): Map<number, LastRecord> {
    const records = new Map<number, LastRecord>();
    for (const { producerId, producerEpoch, batches } of this.#states.values()) {
      const last = batches.at(-1);
      records.set(producerId, { producerEpoch, lastDataOffset: last && lastOffsetOf(last) });
    }
    return records;
  }

  views(): ProducerStateView[] {
    return Array.from(this.#states.values(), (state) => ({
      producerId: state.producerId,
      producerEpoch: state.producerEpoch,
      lastSequence: state.lastSequence,
      lastTimestamp: state.lastTimestamp,
      coordinatorEpoch: state.coordinatorEpoch,
      currentTransactionStartOffset: state.transactionStartOffset,
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
      transactionStartOffset: state.transactionStartOffset,
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
      state.transactionStartOffset = record.transactionStartOffset;
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

function lastOffsetOf({ baseOffset, firstSequence, lastSequence: last }: ProducedBatch): number {
  const wrapped = last < firstSequence ? SEQUENCE_MAX + 1 : 0;
  return baseOffset + last - firstSequence + wrapped;
}
