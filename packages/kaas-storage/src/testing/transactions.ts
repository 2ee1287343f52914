import type { AppendResult, PartitionLog } from "@kaas/core";
import { batch, ControlType, readControlBatch } from "@kaas/core/internal";
import { type ReadBack, recordsOf, values } from "./batches.js";

/** A producer as a client with transactions is one: it counts its batches, and has an epoch. */
export class TestProducer {
  readonly id: number;
  epoch = 0;
  sequence = 0;

  constructor(id: number) {
    this.id = id;
  }

  /** A batch of the open transaction, or the first of a new one. */
  send(log: PartitionLog, ...texts: string[]): Promise<AppendResult> {
    const records = this.batch(texts, true);
    const guard = log.guardTransaction({
      producerId: this.id,
      producerEpoch: this.epoch,
      baseSequence: this.sequence,
      supportsEpochBump: false,
    });
    this.sequence += texts.length;
    return log.append(records, -1, guard);
  }

  /** Ends the transaction as version 2 of transactions does, with the next epoch. */
  end(log: PartitionLog, isCommit: boolean, coordinatorEpoch = 0): Promise<AppendResult> {
    this.epoch++;
    this.sequence = 0;
    const { id: producerId, epoch: producerEpoch } = this;
    return log.endTransaction({ producerId, producerEpoch, isCommit, coordinatorEpoch, transactionVersion: 2 });
  }

  batch(texts: readonly string[], isTransactional: boolean): Buffer {
    const { id: producerId, epoch: producerEpoch, sequence: baseSequence } = this;
    return values(texts, { producerId, producerEpoch, baseSequence, isTransactional });
  }
}

/**
 * What a read_committed consumer hands to its application, from an offset to the last stable one: it skips the batches
 * of aborted transactions as the answers list them, and all control batches.
 */
export async function consumeCommitted(
  log: PartitionLog,
  from: number = log.logStartOffset,
  maxBytes = 1_000_000,
): Promise<ReadBack[]> {
  const found: ReadBack[] = [];
  for (let offset = from; offset < log.lastStableOffset; ) {
    const result = await log.read(offset, { maxBytes, minOneBatch: true, isolation: "read_committed" });
    if (result.errorCode !== 0) throw new Error(`reading at ${offset} failed with ${result.errorCode}`);
    const aborted = [...(result.abortedTransactions ?? [])];
    const isSorted = aborted.every((one, at) => at === 0 || (aborted[at - 1]?.firstOffset ?? 0) <= one.firstOffset);
    if (!isSorted) throw new Error("the aborted transactions are not in the order of their first offsets");
    const skipped = new Set<number>();
    const start = offset;
    for (const buffer of result.records) {
      for (let at = 0; at < buffer.length; at += batch.batchSize(buffer, at)) {
        offset = batch.lastOffset(buffer, at) + 1;
        const producerId = batch.producerId(buffer, at);
        while ((aborted[0]?.firstOffset ?? offset) < offset) skipped.add(aborted.shift()?.producerId ?? -1);
        if (batch.isControl(buffer, at)) {
          if (readControlBatch(buffer, at)?.type === ControlType.ABORT) skipped.delete(producerId);
          continue;
        }
        if (batch.isTransactional(buffer, at) && skipped.has(producerId)) continue;
        const records = await recordsOf([buffer.subarray(at, at + batch.batchSize(buffer, at))]);
        found.push(...records.filter((record) => record.offset >= from));
      }
    }
    if (offset === start) throw new Error(`nothing to read at ${offset}, below ${log.lastStableOffset}`);
  }
  return found;
}
