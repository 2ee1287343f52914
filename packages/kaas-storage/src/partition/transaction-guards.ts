import { ErrorCode, type TransactionGuard, type TransactionStart } from "@kaas/core";
import { type ProducerState, refused, type Sequenced, type SequenceVerdict } from "./producer-states.js";

/** A transaction that may begin once its coordinator says that it knows of it. */
class PendingStart implements TransactionGuard {
  readonly producerId: number;
  readonly createdMs: number;
  readonly supportsEpochBump: boolean;
  producerEpoch: number;
  /** Of the batches that wait for the coordinator, the one that has to come first. */
  lowestSequence: number;

  constructor(start: TransactionStart, nowMs: number) {
    this.producerId = start.producerId;
    this.supportsEpochBump = start.supportsEpochBump;
    this.createdMs = nowMs;
    this.producerEpoch = start.producerEpoch;
    this.lowestSequence = start.baseSequence;
  }

  /** Several batches may wait for the same answer. */
  join({ producerEpoch, baseSequence }: TransactionStart): void {
    if (producerEpoch > this.producerEpoch) {
      this.producerEpoch = producerEpoch;
      this.lowestSequence = baseSequence;
    } else if (producerEpoch === this.producerEpoch && baseSequence < this.lowestSequence) {
      this.lowestSequence = baseSequence;
    }
  }
}

/**
 * Who may begin a transaction here (KIP-890). A guard is given out before the coordinator is asked, at most one a
 * producer, and is void once the transaction has begun or any marker of the producer was written: so an answer that
 * comes late begins nothing that nobody will end.
 */
export class TransactionGuards {
  readonly #pending = new Map<number, PendingStart>();

  obtain(start: TransactionStart, nowMs: number): TransactionGuard {
    const pending = this.#pending.get(start.producerId);
    if (pending !== undefined) {
      pending.join(start);
      return pending;
    }
    const created = new PendingStart(start, nowMs);
    this.#pending.set(start.producerId, created);
    return created;
  }

  void(producerId: number): void {
    if (this.#pending.size > 0) this.#pending.delete(producerId);
  }

  /** Forgets guards that were given out before. */
  expire(sinceMs: number): void {
    for (const { producerId, createdMs } of this.#pending.values()) {
      if (createdMs < sinceMs) this.#pending.delete(producerId);
    }
  }

  /** Why a batch that is no retry does not belong to a transaction that its coordinator knows of. */
  refusal(
    producerId: number,
    state: ProducerState | undefined,
    sequenced: Sequenced,
    guard: TransactionGuard | undefined,
  ): SequenceVerdict | undefined {
    if (!sequenced.isTransactional || isOngoing(state, sequenced)) return undefined;
    if (guard !== undefined && guard === this.#pending.get(producerId)) return undefined;
    return refused(
      ErrorCode.INVALID_TXN_STATE,
      `producer ${producerId} has no transaction here that its coordinator knows of`,
    );
  }

  /** The sequence number that must come first while batches wait for the coordinator; undefined where none do. */
  firstSequenceMax(producerId: number, state: ProducerState | undefined, sequenced: Sequenced): number | undefined {
    const pending = this.#pending.size === 0 ? undefined : this.#pending.get(producerId);
    if (pending === undefined || isOngoing(state, sequenced)) return undefined;
    const isFirst = state === undefined || state.batches.length === 0;
    return pending.supportsEpochBump && isFirst ? 0 : pending.lowestSequence;
  }
}

/** Whether the producer's transaction is open, and the batch of its epoch. */
function isOngoing(state: ProducerState | undefined, { producerEpoch }: Sequenced): boolean {
  return state?.hasOpenTransaction === true && state.producerEpoch === producerEpoch;
}
