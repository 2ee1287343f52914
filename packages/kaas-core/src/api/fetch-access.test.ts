import { beforeEach, expect, test } from "vitest";
import { FakeAccess } from "../../test/fakes/fake-access.js";
import type { FakePartitionLog } from "../../test/fakes/fake-partition-log.js";
import { FakeQuotas, quotaConfig } from "../../test/fakes/fake-quotas.js";
import { fetchRequest, fetchTopic } from "../../test/fakes/fetch-request.js";
import { type HandlerHarness, handlerHarness } from "../../test/fakes/handler-context.js";
import { ManualClock } from "../../test/fakes/manual-clock.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { FetchRequest, FetchResponseInit } from "../messages/generated/index.js";
import { ClientQuotas } from "../security/quotas/client-quotas.js";
import { fetch } from "./01-fetch.js";

const ID = "AAAAAAAAAAAAAAAAAAAAAQ";
const clock = new ManualClock();

let harness: HandlerHarness;
let log: FakePartitionLog;

function open(bytesPerSecond?: number): void {
  const quotas = new FakeQuotas();
  if (bytesPerSecond !== undefined) {
    quotas.set({ entity: { clientId: "test" }, limits: { consumer_byte_rate: bytesPerSecond } });
  }
  harness = handlerHarness({ quotas: new ClientQuotas(quotas.credentials, quotaConfig, clock) });
  log = harness.addTopic("t", ID, 1)[0] as FakePartitionLog;
  for (let batch = 0; batch < 4; batch++) void log.append(Buffer.alloc(1000), -1);
}

beforeEach(() => open());

function run(rest: Partial<FetchRequest> = {}, version = 12, topics = [["t", ID]]): FetchResponseInit {
  const asked = topics.map(([topic = "", topicId = ""]) => fetchTopic(topic, topicId, [{ partition: 0 }]));
  const request = fetchRequest(asked, { maxWaitMs: 0, ...rest });
  return fetch.handle(harness.context(1, version), request) as FetchResponseInit;
}

const errorsOf = (response: FetchResponseInit): number[] =>
  response.responses.flatMap(({ partitions }) => partitions.map(({ errorCode }) => errorCode));
const bytesOf = ({ responses }: FetchResponseInit): number =>
  responses
    .flatMap(({ partitions }) => partitions.flatMap(({ records }) => records as readonly Buffer[]))
    .reduce((sum, piece) => sum + piece.length, 0);

test("by name a topic that is hidden is answered like one that is not there; by id there is no telling names from ids", () => {
  harness.connection.access = new FakeAccess();
  const forbidden = ErrorCode.TOPIC_AUTHORIZATION_FAILED;
  expect(errorsOf(run({}, 12, [["t"], ["nowhere"]]))).toEqual([forbidden, forbidden]);
  expect(
    errorsOf(
      run({}, 13, [
        ["", ID],
        ["", "BBBBBBBBBBBBBBBBBBBBAQ"],
      ]),
    ),
  ).toEqual([forbidden, ErrorCode.UNKNOWN_TOPIC_ID]);
  harness.connection.access = new FakeAccess("READ TOPIC t");
  expect(errorsOf(run())).toEqual([0]);
});

test("what calls itself a replica reads for the cluster or not at all", () => {
  harness.connection.access = new FakeAccess("READ TOPIC t");
  expect(errorsOf(run({ replicaId: 2 }))).toEqual([ErrorCode.TOPIC_AUTHORIZATION_FAILED]);
  expect(errorsOf(run({ replicaState: { replicaId: 2, replicaEpoch: 1 } }, 17))).toEqual([
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
  ]);
  harness.connection.access = new FakeAccess("CLUSTER_ACTION CLUSTER kafka-cluster");
  expect(errorsOf(run({ replicaId: 2 }))).toEqual([0]);
});

test("a session goes on asking whether its topics may be read", () => {
  const { sessionId } = run({ sessionEpoch: 0 });
  harness.connection.access = new FakeAccess();
  const next = run({ sessionId: sessionId as number, sessionEpoch: 1, topics: [] });
  expect(errorsOf(next)).toEqual([ErrorCode.TOPIC_AUTHORIZATION_FAILED]);
});

test("a fetch beyond the quota brings nothing, says how long to wait, and is not charged", () => {
  open(150);
  // Ten windows hold 1500: one batch fits, the second would be too much.
  expect(bytesOf(run())).toBe(1000);
  const throttled = run();
  expect(throttled).toMatchObject({ errorCode: 0, throttleTimeMs: 3333, responses: [] });
  expect(run().throttleTimeMs).toBe(3333);
  clock.advance(11_000);
  expect(bytesOf(run())).toBe(1000);
});

test("a session goes on when it is throttled; one that would begin does not", () => {
  open(150);
  const { sessionId } = run({ sessionEpoch: 0 });
  expect(sessionId).not.toBe(0);
  const incremental = run({ sessionId: sessionId as number, sessionEpoch: 1, topics: [] });
  // Nothing new was asked for beyond what the session knows: its records are read again, and are too much.
  expect(incremental).toMatchObject({ sessionId, throttleTimeMs: 3333, responses: [] });
  clock.advance(11_000);
  const later = run({ sessionId: sessionId as number, sessionEpoch: 2, topics: [] });
  expect(bytesOf(later)).toBe(1000);
  expect(run({ sessionEpoch: 0 })).toMatchObject({ sessionId: 0, throttleTimeMs: 3333 });
  expect(harness.context(1, 12).broker.fetchSessions.size).toBe(1);
});
