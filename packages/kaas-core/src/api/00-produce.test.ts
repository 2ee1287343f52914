import { beforeEach, describe, expect, test } from "vitest";
import type { FakePartitionLog } from "../../test/fakes/fake-partition-log.js";
import { type HandlerHarness, handlerHarness } from "../../test/fakes/handler-context.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { ProduceRequest, ProduceResponseInit } from "../messages/generated/index.js";
import * as batch from "../records/batch.js";
import { ZERO_UUID } from "../wire/reader.js";
import { produce } from "./00-produce.js";

const ID = "AAAAAAAAAAAAAAAAAAAAAQ";

let harness: HandlerHarness;
let logs: FakePartitionLog[];

beforeEach(() => {
  harness = handlerHarness();
  logs = harness.addTopic("t", ID, 2);
});

/** A batch of nothing but a header; the fake log does not look inside. */
function header(attributes = 0, extraBytes = 0): Buffer {
  const bytes = Buffer.alloc(batch.BATCH_HEADER_BYTES + extraBytes);
  bytes.writeInt32BE(batch.BATCH_HEADER_BYTES - batch.BATCH_LOG_OVERHEAD_BYTES, 8);
  bytes.writeInt8(batch.MAGIC_V2, 16);
  batch.setAttributes(bytes, 0, attributes);
  return bytes;
}

function request(
  partitions: { index: number; records: Buffer | null }[],
  rest: Partial<ProduceRequest> = {},
): ProduceRequest {
  return {
    transactionalId: null,
    acks: -1,
    timeoutMs: 1000,
    topicData: [{ name: "t", topicId: ID, partitionData: partitions }],
    ...rest,
  };
}

const run = async (asked: ProduceRequest, version = 9): Promise<ProduceResponseInit | undefined> =>
  produce.handle(harness.context(0, version), asked);

const codes = (response: ProduceResponseInit | undefined): number[] =>
  (response?.responses ?? []).flatMap((topic) => topic.partitionResponses.map(({ errorCode }) => errorCode));

describe("answers", () => {
  test("an answered request is remembered no longer, though its timeout is far away", async () => {
    (logs[0] as FakePartitionLog).holdAppends = true;
    const { deadlines } = harness.context(0, 9).broker;
    const answered = run(request([{ index: 0, records: header() }], { timeoutMs: 30_000 }));
    expect(deadlines.size).toBe(1);
    logs[0]?.release();
    await answered;
    expect(deadlines.size).toBe(0);
  });

  test("each partition by itself, in the order asked", async () => {
    const response = await run(
      request([
        { index: 1, records: header() },
        { index: 7, records: header() },
        { index: 0, records: null },
      ]),
    );
    expect(codes(response)).toEqual([ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INVALID_RECORD]);
    expect(response?.responses[0]?.partitionResponses.map(({ index }) => index)).toEqual([1, 7, 0]);
  });

  test("topics by id from version 13", async () => {
    const known = request([{ index: 0, records: header() }]);
    expect(codes(await run(known, 13))).toEqual([ErrorCode.NONE]);
    const unknown: ProduceRequest = {
      ...known,
      topicData: [{ name: "t", topicId: ZERO_UUID, partitionData: known.topicData[0]?.partitionData ?? [] }],
    };
    expect(codes(await run(unknown, 13))).toEqual([ErrorCode.UNKNOWN_TOPIC_ID]);
  });

  test("appends that are not durable in time are REQUEST_TIMED_OUT", async () => {
    (logs[0] as FakePartitionLog).holdAppends = true;
    const answer = run(
      request([
        { index: 0, records: header() },
        { index: 1, records: header() },
      ]),
    );
    await Promise.resolve();
    harness.clock.advance(1100);
    expect(codes(await answer)).toEqual([ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NONE]);
    (logs[0] as FakePartitionLog).release();
  });
});

describe("acks", () => {
  test("an impossible value is refused for every partition", async () => {
    expect(codes(await run(request([{ index: 0, records: header() }], { acks: 2 })))).toEqual([
      ErrorCode.INVALID_REQUIRED_ACKS,
    ]);
  });

  test("0 is never answered; an error closes the connection", async () => {
    expect(await run(request([{ index: 0, records: header() }], { acks: 0 }))).toBeUndefined();
    expect(harness.connection.closedBecause).toEqual([]);
    expect(await run(request([{ index: 9, records: header() }], { acks: 0 }))).toBeUndefined();
    expect(harness.connection.closedBecause).toEqual(["produce with acks=0 failed with UNKNOWN_TOPIC_OR_PARTITION"]);
  });
});

describe("what a version may carry", () => {
  const refused = async (
    records: Buffer,
    version: number,
    rest: Partial<ProduceRequest> = {},
  ): Promise<number | undefined> => codes(await run(request([{ index: 0, records }], rest), version))[0];

  test("two batches are one too many", async () => {
    expect(await refused(header(0, 10), 9)).toBe(ErrorCode.INVALID_RECORD);
  });

  test("zstd needs version 7", async () => {
    expect(await refused(header(batch.Compression.ZSTD), 6)).toBe(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE);
    expect(await refused(header(batch.Compression.ZSTD), 7)).toBe(ErrorCode.NONE);
  });

  test("what is no batch of today's format is for the log to judge", async () => {
    const old = header();
    old.writeInt8(1, 16);
    expect(await refused(old, 3)).toBe(ErrorCode.NONE);
    expect(await refused(Buffer.alloc(10), 9)).toBe(ErrorCode.NONE);
  });

  test("a transactional batch needs a transactional id, which other batches may have too", async () => {
    const transactional = header(batch.Attribute.TRANSACTIONAL);
    expect(await refused(transactional, 9)).toBe(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
    expect(await refused(header(), 9, { transactionalId: "x" })).toBe(ErrorCode.NONE);
  });
});
