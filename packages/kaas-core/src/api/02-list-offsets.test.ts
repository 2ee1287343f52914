import { beforeEach, expect, test } from "vitest";
import type { FakePartitionLog } from "../../test/fakes/fake-partition-log.js";
import { type HandlerHarness, handlerHarness } from "../../test/fakes/handler-context.js";
import { ErrorCode } from "../errors/error-codes.js";
import { KaasError } from "../errors/kaas-error.js";
import type { ListOffsetsResponseInit } from "../messages/generated/index.js";
import { listOffsets } from "./02-list-offsets.js";

let harness: HandlerHarness;
let log: FakePartitionLog;

beforeEach(() => {
  harness = handlerHarness();
  log = harness.addTopic("t", "AAAAAAAAAAAAAAAAAAAAAQ", 1)[0] as FakePartitionLog;
  for (let count = 0; count < 3; count++) void log.append(Buffer.alloc(10), -1);
  log.logStartOffset = 0;
});

async function ask(
  timestamps: number[],
  version = 11,
  topic = "t",
  currentLeaderEpoch = -1,
  isolationLevel = 0,
): Promise<string[]> {
  const partitions = timestamps.map((timestamp, index) => ({
    partitionIndex: index,
    currentLeaderEpoch,
    timestamp,
    maxNumOffsets: 1,
  }));
  const request = { replicaId: -1, isolationLevel, timeoutMs: 1000, topics: [{ name: topic, partitions }] };
  const response = (await listOffsets.handle(harness.context(2, version), request)) as ListOffsetsResponseInit;
  return (response.topics[0]?.partitions ?? []).map(
    ({ errorCode, timestamp, offset, leaderEpoch }) =>
      `${errorCode}/${timestamp ?? -1}/${offset ?? -1}/${leaderEpoch ?? -1}`,
  );
}

test("named places", async () => {
  expect(await ask([-1])).toEqual(["0/-1/3/3"]);
  expect(await ask([-2])).toEqual(["0/-1/0/3"]);
  expect(await ask([-3])).toEqual(["0/2/2/3"]);
  expect(await ask([-4])).toEqual(["0/-1/0/3"]);
  expect(await ask([-5])).toEqual(["0/-1/-1/-1"]);
  expect(await ask([-6])).toEqual(["0/-1/-1/-1"]);
});

test("for read_committed a log ends where a transaction is open", async () => {
  log.openTransactionOffset = 2;
  const committed = async (timestamp: number) => ask([timestamp], 11, "t", -1, 1);
  expect(await committed(-1)).toEqual(["0/-1/2/3"]);
  expect(await committed(-2)).toEqual(["0/-1/0/3"]);
  expect(await committed(-3)).toEqual(["0/-1/-1/-1"]);
  expect(await ask([-1])).toEqual(["0/-1/3/3"]);
  expect(await ask([-3])).toEqual(["0/2/2/3"]);
  log.openTransactionOffset = undefined;
  expect(await committed(-3)).toEqual(["0/2/2/3"]);
});

test("a place that the version does not know, or nobody knows, is UNSUPPORTED_VERSION", async () => {
  const unsupported = [`${ErrorCode.UNSUPPORTED_VERSION}/-1/-1/-1`];
  expect(await ask([-3], 6)).toEqual(unsupported);
  expect(await ask([-4], 7)).toEqual(unsupported);
  expect(await ask([-5], 8)).toEqual(unsupported);
  expect(await ask([-6], 10)).toEqual(unsupported);
  expect(await ask([-7])).toEqual(unsupported);
});

test("a time finds its record, a later one finds nothing", async () => {
  expect(await ask([1])).toEqual(["0/1/1/3"]);
  expect(await ask([99])).toEqual(["0/-1/-1/-1"]);
});

test("errors: unknown topic and partition, stale and future epochs, a dead log", async () => {
  expect(await ask([-1], 11, "nope")).toEqual([`${ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}/-1/-1/-1`]);
  expect(await ask([-1, -1])).toEqual(["0/-1/3/3", `${ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}/-1/-1/-1`]);
  expect(await ask([-1], 11, "t", 2)).toEqual([`${ErrorCode.FENCED_LEADER_EPOCH}/-1/-1/-1`]);
  expect(await ask([-1], 11, "t", 4)).toEqual([`${ErrorCode.UNKNOWN_LEADER_EPOCH}/-1/-1/-1`]);
  log.health = ErrorCode.KAFKA_STORAGE_ERROR;
  expect(await ask([-1])).toEqual([`${ErrorCode.KAFKA_STORAGE_ERROR}/-1/-1/-1`]);
});

test("a partition named twice is INVALID_REQUEST both times", async () => {
  const partition = { partitionIndex: 0, currentLeaderEpoch: -1, timestamp: -1, maxNumOffsets: 1 };
  const request = {
    replicaId: -1,
    isolationLevel: 0,
    timeoutMs: 0,
    topics: [{ name: "t", partitions: [partition, partition] }],
  };
  const response = (await listOffsets.handle(harness.context(2, 7), request)) as ListOffsetsResponseInit;
  expect(response.topics[0]?.partitions.map(({ errorCode }) => errorCode)).toEqual([42, 42]);
});

test("a log that cannot be searched says so, and the others are answered; a defect is none of that", async () => {
  const [broken] = harness.addTopic("t", "AAAAAAAAAAAAAAAAAAAAAQ", 2);
  if (broken === undefined) throw new Error("there is a partition");
  broken.offsetForTimestamp = () => Promise.reject(new KaasError("KAAS_STORAGE_FAILED", "EIO"));
  expect(await ask([0, 0])).toEqual([`${ErrorCode.KAFKA_STORAGE_ERROR}/-1/-1/-1`, "0/-1/-1/-1"]);
  broken.offsetForTimestamp = async () => {
    broken.health = ErrorCode.NOT_LEADER_OR_FOLLOWER;
    throw new KaasError("KAAS_CLOSED", "closed meanwhile");
  };
  expect(await ask([0])).toEqual([`${ErrorCode.NOT_LEADER_OR_FOLLOWER}/-1/-1/-1`]);
  broken.health = ErrorCode.NONE;
  broken.offsetForTimestamp = () => Promise.reject(new TypeError("a defect"));
  await expect(ask([0])).rejects.toThrow("a defect");
});
