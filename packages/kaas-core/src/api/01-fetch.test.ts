import { beforeEach, describe, expect, test } from "vitest";
import type { FakePartitionLog } from "../../test/fakes/fake-partition-log.js";
import { type AskedPartition, fetchRequest, fetchTopic } from "../../test/fakes/fetch-request.js";
import { type HandlerHarness, handlerHarness } from "../../test/fakes/handler-context.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { FetchRequest, FetchResponseInit } from "../messages/generated/index.js";
import * as batch from "../records/batch.js";
import { ZERO_UUID } from "../wire/reader.js";
import { fetch } from "./01-fetch.js";

const ID = "AAAAAAAAAAAAAAAAAAAAAQ";

let harness: HandlerHarness;
let logs: FakePartitionLog[];

beforeEach(() => {
  harness = handlerHarness();
  logs = harness.addTopic("t", ID, 3);
});

const request = (asked: readonly AskedPartition[], rest: Partial<FetchRequest> = {}): FetchRequest =>
  fetchRequest(asked.length === 0 ? [] : [fetchTopic("t", ID, asked)], rest);

const run = (asked: FetchRequest, version = 12): FetchResponseInit | Promise<FetchResponseInit | undefined> =>
  fetch.handle(harness.context(1, version), asked) as FetchResponseInit | Promise<FetchResponseInit | undefined>;

/** What a response says of each partition: "partition:error:bytes". */
function summary(response: FetchResponseInit | undefined): string[] {
  const lines: string[] = [];
  for (const topic of response?.responses ?? []) {
    for (const { partitionIndex, errorCode, records } of topic.partitions) {
      const size = (records as readonly Buffer[]).reduce(
        (sum, part) => sum + (Buffer.isBuffer(part) ? part.length : 0),
        0,
      );
      lines.push(`${partitionIndex}:${errorCode}:${Buffer.isBuffer(records) ? records.length : size}`);
    }
  }
  return lines;
}

const add = (partition: number, size: number, attributes = 0): void => {
  const records = Buffer.alloc(size);
  if (attributes !== 0) batch.setAttributes(records, 0, attributes);
  void (logs[partition] as FakePartitionLog).append(records, -1);
};

describe("reading", () => {
  test("answers at once with what is there", () => {
    add(0, 100);
    add(1, 50);
    expect(summary(run(request([{ partition: 0 }, { partition: 1 }])) as FetchResponseInit)).toEqual([
      "0:0:100",
      "1:0:50",
    ]);
  });

  test("the first batch goes out whole whatever the limits, later ones only if they fit", () => {
    add(0, 100);
    add(0, 100);
    add(1, 100);
    const limited = request([{ partition: 0, partitionMaxBytes: 10 }, { partition: 1 }], { maxBytes: 10 });
    expect(summary(run(limited) as FetchResponseInit)).toEqual(["0:0:100", "1:0:0"]);
  });

  test("waits for a cold read", async () => {
    add(0, 100);
    (logs[0] as FakePartitionLog).slowReads = true;
    const answer = run(request([{ partition: 0 }]));
    expect(answer).toBeInstanceOf(Promise);
    expect(summary(await answer)).toEqual(["0:0:100"]);
  });

  test("an empty partition has empty records, never null", async () => {
    const answer = run(request([{ partition: 0 }], { maxWaitMs: 0 })) as FetchResponseInit;
    expect(answer.responses[0]?.partitions[0]?.records).toHaveLength(0);
  });

  test("a partition that found no room says its high watermark all the same", () => {
    add(0, 100);
    add(1, 100);
    add(1, 100);
    const limited = request([{ partition: 0 }, { partition: 1, fetchOffset: 1 }, { partition: 2 }], { maxBytes: 100 });
    const [topic] = (run(limited) as FetchResponseInit).responses;
    const told = topic?.partitions.map((one) => [one.highWatermark, one.lastStableOffset, one.logStartOffset]);
    expect(told).toEqual([
      [1, 1, 0],
      [2, 2, 0],
      [0, 0, 0],
    ]);
  });
});

describe("read_committed", () => {
  const committed = { isolationLevel: 1 };
  const log = () => logs[0] as FakePartitionLog;

  test("ends at the last stable offset, and names what to skip", () => {
    add(0, 100);
    add(0, 100);
    log().openTransactionOffset = 1;
    log().abortedTransactions = [{ producerId: 7, firstOffset: 0 }];
    const answer = run(request([{ partition: 0 }], committed)) as FetchResponseInit;
    expect(summary(answer)).toEqual(["0:0:100"]);
    expect(answer.responses[0]?.partitions[0]).toMatchObject({
      highWatermark: 2,
      lastStableOffset: 1,
      abortedTransactions: [{ producerId: 7, firstOffset: 0 }],
    });
    const uncommitted = run(request([{ partition: 0 }])) as FetchResponseInit;
    expect(summary(uncommitted)).toEqual(["0:0:200"]);
    expect(uncommitted.responses[0]?.partitions[0]?.abortedTransactions).toBeNull();
  });

  test("waits at the last stable offset until the transaction has ended", async () => {
    log().openTransactionOffset = 0;
    const answer = run(request([{ partition: 0 }], committed));
    expect(answer).toBeInstanceOf(Promise);
    add(0, 100);
    await Promise.resolve();
    log().openTransactionOffset = undefined;
    add(0, 50);
    expect(summary(await answer)).toEqual(["0:0:150"]);
  });
});

describe("errors", () => {
  test("each partition has its own, and they do not wait", () => {
    add(0, 100);
    const answer = run(
      request([{ partition: 0 }, { partition: 9 }, { partition: 1, fetchOffset: 5 }, { partition: -1 }]),
    ) as FetchResponseInit;
    expect(summary(answer)).toEqual([
      "0:0:100",
      `9:${ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}:0`,
      `1:${ErrorCode.OFFSET_OUT_OF_RANGE}:0`,
      `-1:${ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}:0`,
    ]);
  });

  test("an unknown topic by id is UNKNOWN_TOPIC_ID", () => {
    const asked = request([{ partition: 0 }]);
    (asked.topics[0] as { topicId: string }).topicId = "BBBBBBBBBBBBBBBBBBBBBQ";
    expect(summary(run(asked, 13) as FetchResponseInit)).toEqual([`0:${ErrorCode.UNKNOWN_TOPIC_ID}:0`]);
  });

  test("leader epochs older and newer than the real one", () => {
    const answer = run(
      request([
        { partition: 0, currentLeaderEpoch: 2 },
        { partition: 1, currentLeaderEpoch: 4 },
      ]),
    ) as FetchResponseInit;
    expect(summary(answer)).toEqual([`0:${ErrorCode.FENCED_LEADER_EPOCH}:0`, `1:${ErrorCode.UNKNOWN_LEADER_EPOCH}:0`]);
  });

  test("a client whose history diverges is told where", () => {
    add(0, 10);
    add(0, 10);
    const answer = run(request([{ partition: 0, fetchOffset: 2, lastFetchedEpoch: 2 }])) as FetchResponseInit;
    expect(answer.responses[0]?.partitions[0]?.divergingEpoch).toEqual({ epoch: 2, endOffset: 1 });
  });
});

describe("long polling", () => {
  test("wakes when enough has been appended", async () => {
    const answer = run(request([{ partition: 0 }, { partition: 1 }], { minBytes: 150 }));
    add(0, 100);
    await Promise.resolve();
    add(1, 50);
    expect(summary(await answer)).toEqual(["0:0:100", "1:0:50"]);
    expect(logs[0]?.listeners.size).toBe(0);
  });

  test("answers with what there is when the time has passed", async () => {
    const answer = run(request([{ partition: 0 }], { minBytes: 1000, maxWaitMs: 100 }));
    add(0, 10);
    await Promise.resolve();
    harness.clock.advance(120);
    expect(summary(await answer)).toEqual(["0:0:10"]);
  });

  test("a closed connection ends the wait", () => {
    void run(request([{ partition: 0 }]));
    expect(logs[0]?.listeners.size).toBe(1);
    harness.connection.close("gone");
    expect(logs[0]?.listeners.size).toBe(0);
  });

  test("a log that advances during the first, slow look is noticed", async () => {
    const log = logs[0] as FakePartitionLog;
    log.slowReads = true;
    add(0, 10);
    const answer = run(request([{ partition: 0 }], { minBytes: 20 }));
    add(0, 10);
    expect(summary(await answer)).toEqual(["0:0:20"]);
  });

  test("leaves nothing registered with the connection", async () => {
    const answer = run(request([{ partition: 0 }]));
    add(0, 10);
    await answer;
    expect(harness.connection.closeListeners.size).toBe(0);
  });
});

describe("lent memory", () => {
  const lent = (): number[] => logs.map((log) => log.lent);
  const release = (answer: unknown): void => {
    if (answer !== undefined) fetch.lease?.(answer as FetchResponseInit)?.release();
  };

  test("goes with the answer, and back when it has been sent", () => {
    add(0, 100);
    add(1, 100);
    const answer = run(request([{ partition: 0 }, { partition: 1 }, { partition: 2 }]));
    expect(lent()).toEqual([1, 1, 0]);
    release(answer);
    expect(lent()).toEqual([0, 0, 0]);
  });

  test("goes back for records that the client is too old for", () => {
    add(0, 100, batch.Compression.ZSTD);
    const answer = run(request([{ partition: 0 }]), 9) as FetchResponseInit;
    expect(summary(answer)).toEqual([`0:${ErrorCode.UNSUPPORTED_COMPRESSION_TYPE}:0`]);
    release(answer);
    expect(lent()).toEqual([0, 0, 0]);
  });

  test("is not held while the client waits for more, and what is there is read again in the end", async () => {
    add(0, 10);
    const answer = run(request([{ partition: 0 }], { minBytes: 1000, maxWaitMs: 100 }));
    expect(lent()).toEqual([0, 0, 0]);
    add(0, 10);
    await Promise.resolve();
    expect(lent()).toEqual([0, 0, 0]);
    harness.clock.advance(120);
    expect(summary(await answer)).toEqual(["0:0:20"]);
    expect(lent()).toEqual([1, 0, 0]);
    release(await answer);
    expect(lent()).toEqual([0, 0, 0]);
  });

  test("goes back when the connection closes during the wait or during a read", async () => {
    add(0, 10);
    (logs[0] as FakePartitionLog).slowReads = true;
    const answer = run(request([{ partition: 0 }], { minBytes: 1000 }));
    for (let turn = 0; turn < 3; turn++) await Promise.resolve();
    harness.connection.close("gone");
    release(await answer);
    await new Promise((resolve) => setImmediate(resolve)); // the read ends after the answer has been given up
    expect(lent()).toEqual([0, 0, 0]);
  });

  test("goes back when a later read fails", async () => {
    add(0, 10);
    const log = logs[1] as FakePartitionLog;
    add(1, 10);
    log.read = () => Promise.reject(new Error("the disk is gone"));
    await expect(run(request([{ partition: 0 }, { partition: 1 }]))).rejects.toThrow("gone");
    log.read = () => {
      throw new Error("a bug");
    };
    expect(() => run(request([{ partition: 0 }, { partition: 1 }]))).toThrow("a bug");
    expect(lent()).toEqual([0, 0, 0]);
  });
});

describe("sessions", () => {
  const open = (asked: AskedPartition[]): FetchResponseInit =>
    run(request(asked, { sessionEpoch: 0, maxWaitMs: 0 })) as FetchResponseInit;
  const next = (
    sessionId: number,
    sessionEpoch: number,
    asked: AskedPartition[] = [],
    rest: Partial<FetchRequest> = {},
  ): FetchResponseInit => run(request(asked, { sessionId, sessionEpoch, maxWaitMs: 0, ...rest })) as FetchResponseInit;

  test("an incremental answer names only what is new", () => {
    const { sessionId } = open([{ partition: 0 }, { partition: 1 }]);
    expect(sessionId).toBeGreaterThan(0);
    expect(summary(next(sessionId as number, 1))).toEqual([]);
    add(1, 20);
    expect(summary(next(sessionId as number, 2))).toEqual(["1:0:20"]);
  });

  test("partitions are added, changed and forgotten", () => {
    add(0, 10);
    add(1, 10);
    const { sessionId } = open([{ partition: 0 }]);
    expect(summary(next(sessionId as number, 1, [{ partition: 1 }]))).toEqual(["0:0:10", "1:0:10"]);
    const forgotten = { forgottenTopicsData: [{ topic: "t", topicId: ZERO_UUID, partitions: [0] }] };
    expect(summary(next(sessionId as number, 2, [{ partition: 1, fetchOffset: 1 }], forgotten))).toEqual([]);
  });

  test("an unknown session and a wrong epoch are told at the top", () => {
    const { sessionId } = open([{ partition: 0 }]);
    expect(next(12345, 1).errorCode).toBe(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
    expect(next(sessionId as number, 7).errorCode).toBe(ErrorCode.INVALID_FETCH_SESSION_EPOCH);
    const byId = run(request([], { sessionId: sessionId as number, sessionEpoch: 1 }), 13) as FetchResponseInit;
    expect(byId.errorCode).toBe(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR);
  });

  test("an epoch without a session is an error of the request, not of its partitions", () => {
    const response = run(request([{ partition: 0 }], { sessionEpoch: 5 })) as FetchResponseInit;
    expect(response).toMatchObject({ errorCode: ErrorCode.FETCH_SESSION_ID_NOT_FOUND, responses: [] });
  });

  test("the final epoch closes a session", () => {
    const { sessionId } = open([{ partition: 0 }]);
    expect(next(sessionId as number, -1, [{ partition: 0 }]).sessionId).toBe(0);
    expect(next(sessionId as number, 1).errorCode).toBe(ErrorCode.FETCH_SESSION_ID_NOT_FOUND);
  });

  test("a partition with an error is named again each time", () => {
    const { sessionId } = open([{ partition: 9 }]);
    const error = [`9:${ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}:0`];
    expect(summary(next(sessionId as number, 1))).toEqual(error);
    expect(summary(next(sessionId as number, 2))).toEqual(error);
  });

  test("who was served last comes first no more", () => {
    add(0, 10);
    add(1, 10);
    const { sessionId } = open([{ partition: 0 }, { partition: 1 }]);
    const scarce = { maxBytes: 10 };
    expect(summary(next(sessionId as number, 1, [], scarce))).toEqual(["0:0:10"]);
    expect(summary(next(sessionId as number, 2, [], scarce))).toEqual(["1:0:10"]);
  });
});
