// Reads a partition back and holds it beside what its writer knows.
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { FetchResponse, ListOffsetsResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import * as batch from "../../packages/kaas-core/src/records/batch.js";
import type { WireClient } from "../lib/wire-client.js";
import type { Moment } from "./moment.js";
import type { SentBatch, Writer } from "./writer.js";

/** What of a batch a broker may set: base offset and leader epoch come before. */
const SENT_FROM_BYTE = 16;
const EARLIEST = -2;
const LATEST = -1;

export type LogContent = {
  readonly startOffset: number;
  readonly endOffset: number;
  /** Whole batches, in order; the first may begin before the start. */
  readonly batches: readonly Buffer[];
};

/** `mayEndEarly`: behind the last batch there may be offsets whose records are gone. */
export async function readLog(
  client: WireClient,
  topic: string,
  partition: number,
  mayEndEarly = false,
): Promise<LogContent> {
  const startOffset = await offsetAt(client, topic, partition, EARLIEST);
  const endOffset = await offsetAt(client, topic, partition, LATEST);
  const batches: Buffer[] = [];
  for (let next = startOffset; next < endOffset; ) {
    const records = await fetch(client, topic, partition, next);
    const before = next;
    for (let at = 0; at + batch.BATCH_HEADER_BYTES <= records.length; ) {
      const size = batch.batchSize(records, at);
      if (at + size > records.length) break;
      const last = batch.lastOffset(records, at);
      if (last >= next) batches.push(records.subarray(at, at + size));
      next = Math.max(next, last + 1);
      at += size;
    }
    if (next === before && mayEndEarly) break;
    if (next === before)
      throw new Error(`${topic}-${partition}: nothing to read at ${before}, the end is ${endOffset}`);
  }
  return { startOffset, endOffset, batches };
}

async function offsetAt(client: WireClient, topic: string, partition: number, timestamp: number): Promise<number> {
  const response = await client.call<ListOffsetsResponse>(ApiKey.ListOffsets, 6, {
    replicaId: -1,
    isolationLevel: 0,
    topics: [{ name: topic, partitions: [{ partitionIndex: partition, currentLeaderEpoch: -1, timestamp }] }],
  });
  const answer = response.topics[0]?.partitions[0];
  if (answer?.errorCode !== 0) throw new Error(`ListOffsets of ${topic}-${partition}: error ${answer?.errorCode}`);
  return answer.offset;
}

async function fetch(client: WireClient, topic: string, partition: number, offset: number): Promise<Buffer> {
  const response = await client.call<FetchResponse>(ApiKey.Fetch, 12, {
    maxWaitMs: 1000,
    minBytes: 1,
    maxBytes: 64 << 20,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: -1,
    topics: [{ topic, partitions: [{ partition, fetchOffset: offset, partitionMaxBytes: 16 << 20 }] }],
    forgottenTopicsData: [],
    rackId: "",
  });
  const answer = response.responses[0]?.partitions[0];
  if (answer?.errorCode !== 0)
    throw new Error(`Fetch of ${topic}-${partition} at ${offset}: error ${answer?.errorCode}`);
  return answer.records ?? Buffer.alloc(0);
}

/** Every batch is one that was sent, byte for byte, in an order that its writer's kind allows; all that was answered is there. */
export function logProblems(writer: Writer, log: LogContent, moment: Moment): string[] {
  const where = `${writer.topic}-${writer.partition} (${writer.kind})`;
  const found = new Map<number, SentBatch>();
  let highest = -1;
  let next: number | undefined;
  for (const bytes of log.batches) {
    const offset = batch.baseOffset(bytes, 0);
    const sent = writer.find(batch.crc(bytes, 0));
    if (next !== undefined && offset !== next) return [`${where}: offset ${offset} follows ${next - 1}`];
    next = batch.lastOffset(bytes, 0) + 1;
    if (sent === undefined || !bytes.subarray(SENT_FROM_BYTE).equals(sent.bytes.subarray(SENT_FROM_BYTE)))
      return [`${where}: what is at offset ${offset} was never sent`];
    if (!mayFollow(writer, sent, highest, found.size === 0 && log.startOffset > 0))
      return [`${where}: at offset ${offset} is record ${sent.first}, after ${highest}`];
    highest = Math.max(highest, sent.first + sent.count - 1);
    found.set(offset, sent);
  }
  const problems: string[] = [];
  for (const sent of writer.sent) {
    const { offset, answer } = sent;
    if (offset === undefined || answer === undefined || !moment.answered(answer)) continue;
    if (offset + sent.count <= log.startOffset || found.get(offset) === sent) continue;
    const there = found.get(offset);
    const has = there === undefined ? `nothing is (the end is ${log.endOffset})` : `record ${there.first} is`;
    problems.push(`${where}: record ${sent.first} was acknowledged at ${offset}, where ${has}`);
  }
  return problems;
}

function mayFollow({ kind }: Writer, { first }: SentBatch, highest: number, isAfterDeletion: boolean): boolean {
  if (isAfterDeletion) return true;
  if (kind === "plain") return first > highest;
  return first === highest + 1 || (kind === "retrying" && first <= highest);
}
