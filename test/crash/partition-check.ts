// Reads a partition back and holds it beside what its writer knows.
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { FetchResponse, ListOffsetsResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import * as batch from "../../packages/kaas-core/src/records/batch.js";
import { readRecords } from "../../packages/kaas-core/src/records/batch-records.js";
import type { WireClient } from "../lib/wire-client.js";
import type { Writer } from "./writer.js";

/** The number of the record at each offset; the offsets must be dense. */
export async function readNumbers(client: WireClient, topic: string, partition: number): Promise<number[]> {
  const numbers: number[] = [];
  const end = await endOffset(client, topic, partition);
  while (numbers.length < end) {
    const records = await fetch(client, topic, partition, numbers.length);
    const before = numbers.length;
    for (let at = 0; at + batch.BATCH_HEADER_BYTES <= records.length; ) {
      const size = batch.batchSize(records, at);
      if (at + size > records.length) break;
      const reader = readRecords(records.subarray(at, at + size), 0);
      while (reader.next()) {
        if (reader.offset < numbers.length) continue;
        if (reader.offset !== numbers.length) throw new Error(`offset ${reader.offset} follows ${numbers.length - 1}`);
        numbers.push(Number.parseInt(reader.value?.toString("latin1") ?? "", 10));
      }
      at += size;
    }
    if (numbers.length === before) throw new Error(`nothing to read at ${before}, the end is ${end}`);
  }
  return numbers;
}

async function endOffset(client: WireClient, topic: string, partition: number): Promise<number> {
  const response = await client.call<ListOffsetsResponse>(ApiKey.ListOffsets, 6, {
    replicaId: -1,
    isolationLevel: 0,
    topics: [{ name: topic, partitions: [{ partitionIndex: partition, currentLeaderEpoch: -1, timestamp: -1 }] }],
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

/** What is wrong with the log of a partition, in view of what its writer sent and was told. */
export function logProblems(writer: Writer, numbers: readonly number[]): string[] {
  const problems: string[] = [];
  const where = `${writer.topic}-${writer.partition} (${writer.kind})`;
  for (const { offset, first, count } of writer.sent) {
    if (offset === undefined) continue;
    for (let i = 0; i < count; i++) {
      if (numbers[offset + i] !== first + i) {
        problems.push(
          `${where}: record ${first + i} was acknowledged at ${offset + i}, where ${numbers[offset + i]} is`,
        );
        break;
      }
    }
  }
  const sent = writer.sent.at(-1);
  const limit = sent === undefined ? 0 : sent.first + sent.count;
  let highest = -1;
  for (const [offset, number] of numbers.entries()) {
    const expected = highest + 1;
    const isRepeat = writer.kind === "retrying" && number <= highest;
    const isNext = writer.kind === "plain" ? number >= expected : number === expected;
    if (number >= limit || !(isNext || isRepeat)) {
      problems.push(`${where}: at offset ${offset} is record ${number}, after ${highest}; ${limit} were sent`);
      break;
    }
    highest = Math.max(highest, number);
  }
  return problems;
}
