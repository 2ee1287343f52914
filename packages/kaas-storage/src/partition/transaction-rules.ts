import { ErrorCode, type TransactionEnd } from "@kaas/core";
import { NO_EPOCH, type ProducerState } from "./producer-states.js";

/** After this no epoch comes; a transaction of it ends under the same epoch. */
const EPOCH_MAX = 0x7fff;

/** Why a marker is not written. */
export interface MarkerRefusal {
  readonly errorCode: ErrorCode;
  readonly message: string;
}

/**
 * Judges a marker by what is known of its producer, as Apache Kafka 4.4 does. A marker that finds no open transaction is
 * fine: it is a retry, or fences a producer that has written nothing.
 *
 * From version 2 of transactions on (KIP-890) a marker raises the epoch, so that nothing that was sent in the
 * transaction can arrive in the next one. The same epoch again is a retry if the transaction has ended.
 */
export function markerRefusal(state: ProducerState | undefined, end: TransactionEnd): MarkerRefusal | undefined {
  if (state === undefined) return undefined;
  const { producerId, producerEpoch } = state;
  const isRetry = end.producerEpoch === producerEpoch && (!state.hasOpenTransaction || producerEpoch === EPOCH_MAX);
  const mustRaise = end.transactionVersion >= 2 && producerEpoch !== NO_EPOCH && !isRetry;
  if (end.producerEpoch < producerEpoch || (mustRaise && end.producerEpoch === producerEpoch)) {
    return {
      errorCode: ErrorCode.INVALID_PRODUCER_EPOCH,
      message: `producer ${producerId} has epoch ${producerEpoch}, the marker has ${end.producerEpoch}`,
    };
  }
  if (end.coordinatorEpoch < state.coordinatorEpoch) {
    return {
      errorCode: ErrorCode.TRANSACTION_COORDINATOR_FENCED,
      message: `a coordinator of epoch ${state.coordinatorEpoch} has ended a transaction of producer ${producerId}, this one has epoch ${end.coordinatorEpoch}`,
    };
  }
  return undefined;
}
