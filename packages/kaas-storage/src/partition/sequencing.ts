import type { ErrorCode, TransactionEnd, TransactionGuard, TransactionStart } from "@kaas/core";
import { batch } from "@kaas/core/internal";
import type { LogCore } from "./log-core.js";
import {
  findDuplicate,
  judgeSequence,
  NO_TRANSACTION,
  ProducerState,
  recordBatch,
  recordMarker,
  type Sequenced,
} from "./producer-states.js";
import { type MarkerRefusal, markerRefusal } from "./transaction-rules.js";

/** A batch that was here before, with its original place. */
export interface Duplicate {
  readonly kind: "duplicate";
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly timestamp: number;
}

/** Why an append is not to be numbered: it has been, or must not be. */
export type Verdict = Duplicate | { readonly kind: "refused"; readonly errorCode: ErrorCode; readonly message: string };

/**
 * What an append means to the producers of a log: whether it is new, and what is known of them once it is appended. It
 * is taken note of before it is written, since appends do not wait for one another; a log whose write fails forgets all
 * that and is recovered.
 */
export class Sequencing {
  readonly #core: LogCore;

  constructor(core: LogCore) {
    this.#core = core;
  }

  /** Takes note of batches that go to the end of the log; undefined, if nothing is against that. */
  take(records: Buffer, guard: TransactionGuard | undefined, now: number): Verdict | undefined {
    const isSingle = batch.batchSize(records, 0) === records.length;
    return isSingle ? this.#takeOne(records, guard, now) : this.#takeAll(records, guard, now);
  }

  /** Leave to begin a transaction; undefined where it is open. */
  guard(start: TransactionStart): TransactionGuard | undefined {
    const { producers, guards, environment } = this.#core;
    const state = producers.get(start.producerId);
    const isOngoing = state?.hasOpenTransaction === true && state.producerEpoch === start.producerEpoch;
    return isOngoing ? undefined : guards.obtain(start, environment.clock.now());
  }

  /** Takes note of a marker that goes to the end of the log; undefined, if nothing is against that. */
  end(end: TransactionEnd, now: number): MarkerRefusal | undefined {
    const core = this.#core;
    const { producerId } = end;
    const known = core.producers.get(producerId);
    const refusal = markerRefusal(known, end);
    if (refusal !== undefined) return refusal;
    const firstOffset = known?.transactionStartOffset ?? NO_TRANSACTION;
    const lastOffset = core.logEndOffset;
    recordMarker(known ?? core.producers.obtain(producerId), end, now, now);
    core.guards.void(producerId);
    core.hasUnsavedProducers = true;
    if (firstOffset === NO_TRANSACTION) return undefined;
    const lastStableOffset = core.transactions.end(firstOffset, lastOffset);
    if (!end.isCommit) core.aborted.note({ producerId, firstOffset, lastOffset, lastStableOffset });
    return undefined;
  }

  /** What almost every append is: one batch. */
  #takeOne(records: Buffer, guard: TransactionGuard | undefined, now: number): Verdict | undefined {
    const producerId = batch.producerId(records, 0);
    if (producerId < 0) return undefined;
    const { producers, logEndOffset } = this.#core;
    const known = producers.get(producerId);
    const sequenced = sequenceOf(records, 0);
    const verdict = this.#judge(producerId, known, sequenced, guard);
    if (verdict !== undefined) return verdict;
    const state = known ?? producers.obtain(producerId);
    const hadTransaction = state.hasOpenTransaction;
    recordBatch(state, sequenced, logEndOffset, this.#timestampOf(records, 0, now), now);
    if (sequenced.isTransactional) this.#noteTransaction(state, hadTransaction);
    this.#core.hasUnsavedProducers = true;
    return undefined;
  }

  /** Several batches are appended together or not at all, so producers are brought up to date on copies first. */
  #takeAll(records: Buffer, guard: TransactionGuard | undefined, now: number): Verdict | undefined {
    const { producers, logEndOffset } = this.#core;
    const changed = new Map<number, ProducerState>();
    let offset = logEndOffset;
    for (let at = 0; at < records.length; at += batch.batchSize(records, at)) {
      const producerId = batch.producerId(records, at);
      const sequenced = sequenceOf(records, at);
      if (producerId >= 0) {
        const state = changed.get(producerId) ?? producers.get(producerId)?.clone() ?? new ProducerState(producerId);
        const verdict = this.#judge(producerId, state, sequenced, guard);
        if (verdict !== undefined) return verdict;
        recordBatch(state, sequenced, offset, this.#timestampOf(records, at, now), now);
        changed.set(producerId, state);
      }
      offset += sequenced.recordCount;
    }
    const opened = [...changed.values()].sort((a, b) => a.transactionStartOffset - b.transactionStartOffset);
    for (const state of opened) {
      if (state.hasOpenTransaction) this.#noteTransaction(state, state.transactionStartOffset < logEndOffset);
      producers.set(state);
    }
    if (changed.size > 0) this.#core.hasUnsavedProducers = true;
    return undefined;
  }

  /** Undefined for a batch that is to be appended. */
  #judge(
    producerId: number,
    state: ProducerState | undefined,
    sequenced: Sequenced,
    guard: TransactionGuard | undefined,
  ): Verdict | undefined {
    const { guards } = this.#core;
    const verdict =
      findDuplicate(state, sequenced) ??
      guards.refusal(producerId, state, sequenced, guard) ??
      judgeSequence(state, sequenced, guards.firstSequenceMax(producerId, state, sequenced));
    if (verdict.kind === "new") return undefined;
    if (verdict.kind === "refused") return verdict;
    return { ...verdict, nextOffset: verdict.baseOffset + sequenced.recordCount };
  }

  #noteTransaction({ producerId, transactionStartOffset }: ProducerState, isOlder: boolean): void {
    if (!isOlder) this.#core.transactions.begin(transactionStartOffset);
    this.#core.guards.void(producerId);
  }

  #timestampOf(records: Buffer, at: number, now: number): number {
    return this.#core.config.messageTimestampType === "LogAppendTime" ? now : batch.maxTimestamp(records, at);
  }
}

function sequenceOf(records: Buffer, at: number): Sequenced {
  return {
    producerEpoch: batch.producerEpoch(records, at),
    firstSequence: batch.baseSequence(records, at),
    recordCount: batch.recordCount(records, at),
    isTransactional: batch.isTransactional(records, at),
  };
}
