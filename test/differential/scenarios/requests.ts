// Requests as most scenarios send them: in every version, so with names and ids.
import * as batch from "../../../packages/kaas-core/src/records/batch.js";
import {
  type BatchOptions,
  buildBatch,
  type RecordInput,
  sealBatch,
} from "../../../packages/kaas-core/src/records/build-batch.js";
import { ZERO_UUID as ZERO_ID } from "../../../packages/kaas-core/src/wire/reader.js";
import { type Context, type Message, STRANGE_ID } from "../context.js";

/** Times of records: the past, so that no broker takes them for the present. */
export const BASE_TIME = 1_700_000_000_000;

export function records(count = 1, options: BatchOptions = {}, time = BASE_TIME): Buffer {
  const list: RecordInput[] = Array.from({ length: count }, (_, i) => ({
    key: Buffer.from(`k${i}`),
    value: Buffer.from(`v${i}`),
    timestamp: time + i * 10,
  }));
  return buildBatch(list, options);
}

export interface ProduceWish {
  readonly topicId?: string;
  readonly partition?: number;
  readonly acks?: number;
  readonly transactionalId?: string | null;
}

export function produce(topic: string, bytes: Buffer | null, wish: ProduceWish = {}): Message {
  const { topicId, partition = 0, acks = -1, transactionalId = null } = wish;
  const partitionData = [{ index: partition, records: bytes }];
  return { transactionalId, acks, timeoutMs: 5000, topicData: [{ name: topic, topicId, partitionData }] };
}

/** Changes a batch that is whole, and sets its checksum anew unless told not to. */
export function changed(bytes: Buffer, change: (bytes: Buffer) => void, { reseal = true } = {}): Buffer {
  const copy = Buffer.from(bytes);
  change(copy);
  if (reseal) sealBatch(copy, 0, copy.length);
  return copy;
}

export interface FetchWish {
  readonly topicId?: string;
  readonly partition?: number;
  readonly offset?: number;
  readonly partitionMaxBytes?: number;
  readonly currentLeaderEpoch?: number;
  readonly lastFetchedEpoch?: number;
  readonly request?: Message;
}

export function fetchOf(topic: string, wish: FetchWish = {}): Message {
  const { topicId, partition = 0, offset = 0, partitionMaxBytes = 1 << 20 } = wish;
  const { currentLeaderEpoch = -1, lastFetchedEpoch = -1 } = wish;
  const partitions = [{ partition, fetchOffset: offset, partitionMaxBytes, currentLeaderEpoch, lastFetchedEpoch }];
  return { ...FETCH, topics: [{ topic, topicId, partitions }], ...wish.request };
}

export const FETCH = { maxWaitMs: 0, minBytes: 0, maxBytes: 50 << 20, isolationLevel: 0, sessionEpoch: -1, topics: [] };

/** One more batch in the log, with acks=-1. */
export async function append(context: Context, topic: string, bytes: Buffer, partition = 0): Promise<void> {
  const topicId = context.topicId(topic);
  const answer = await context.quiet("Produce", produce(topic, bytes, { topicId, partition }));
  const { errorCode } = answer.responses[0].partitionResponses[0];
  if (errorCode !== 0) throw new Error(`append to ${topic}: error ${errorCode}`);
}

export { type BatchOptions, batch, buildBatch, STRANGE_ID, sealBatch, ZERO_ID };
