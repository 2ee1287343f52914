import { afterEach, expect, test } from "vitest";
import { FakeQuotas } from "../../test/fakes/fake-quotas.js";
import { type RawClient, requestFrame } from "../../test/fakes/raw-client.js";
import { type ServerHarness, served, startServer } from "../../test/fakes/server-harness.js";
import type { ClientQuota } from "../ports/credentials.js";
import { ServerCounter } from "./server-metrics.js";

const PRODUCE = 0;
const HEARTBEAT = 12;

let harness: ServerHarness;
afterEach(() => harness.close());

const produce = (correlationId: number, bytes: number, acks = -1): Buffer =>
  requestFrame(PRODUCE, 9, correlationId, {
    acks,
    timeoutMs: 1,
    topicData: [{ name: "t", partitionData: [{ index: 0, records: Buffer.alloc(bytes) }] }],
  });
const heartbeat = (correlationId: number): Buffer =>
  requestFrame(HEARTBEAT, 4, correlationId, { groupId: "g", generationId: 1, memberId: "m" });

const handlers = [
  served(PRODUCE, [3, 9], (_context, { acks }) => (acks === 0 ? undefined : { responses: [] })),
  served(HEARTBEAT, [0, 4], () => {
    harness.clock.advance(busyMs);
    return { errorCode: 0 };
  }),
];
let busyMs = 0;

async function start(...quotas: readonly ClientQuota[]): Promise<RawClient> {
  busyMs = 0;
  harness = await startServer({ handlers, credentials: new FakeQuotas(...quotas).credentials });
  return harness.connect();
}

/** What has come by the time that another connection has been answered. */
async function settled(): Promise<void> {
  const other = await harness.connect();
  other.request(18, 0, 1, {});
  await other.frame();
  await new Promise((resolve) => setImmediate(resolve));
}

const byteQuota = (limit: number): ClientQuota => ({
  entity: { user: "ANONYMOUS" },
  limits: { producer_byte_rate: limit },
});

test("a producer beyond its quota is told at once, and its next request waits", async () => {
  const client = await start(byteQuota(1000));
  client.send(produce(1, 20_000), produce(2, 1), heartbeat(3));
  const answer = await client.answer<{ throttleTimeMs: number }>(PRODUCE, 9);
  const { throttleTimeMs } = answer.response;
  expect(throttleTimeMs).toBeGreaterThan(10_000);
  expect(harness.server.metrics.counters[ServerCounter.REQUESTS_THROTTLED]).toBe(1);
  expect(harness.server.metrics.counters[ServerCounter.THROTTLED_MS]).toBe(throttleTimeMs);
  await settled();
  expect(client.frames).toEqual([]);
  harness.clock.advance(throttleTimeMs - 1);
  await settled();
  expect(client.frames).toEqual([]);
  harness.clock.advance(1);
  // What was sent in one go still counts, over hardly more time than it was given from the start.
  const next = await client.answer<{ throttleTimeMs: number }>(PRODUCE, 9);
  expect(next.response.throttleTimeMs).toBeGreaterThan(9000);
  await settled();
  expect(client.frames).toEqual([]);
  harness.clock.advance(next.response.throttleTimeMs);
  expect((await client.answer(HEARTBEAT, 4)).correlationId).toBe(3);
});

test("a producer that asks for no answer is muted all the same", async () => {
  const client = await start(byteQuota(1000));
  client.send(produce(1, 20_000, 0), heartbeat(2));
  await settled();
  expect(client.frames).toEqual([]);
  harness.clock.advance(20_000);
  expect((await client.answer(HEARTBEAT, 4)).correlationId).toBe(2);
});

test("whoever keeps the broker busy waits, at most a second", async () => {
  const client = await start({ entity: { clientId: "raw" }, limits: { request_percentage: 1 } });
  client.send(heartbeat(1));
  expect((await client.answer<{ throttleTimeMs: number }>(HEARTBEAT, 4)).response.throttleTimeMs).toBe(0);
  busyMs = 5000;
  client.send(heartbeat(2));
  expect((await client.answer<{ throttleTimeMs: number }>(HEARTBEAT, 4)).response.throttleTimeMs).toBe(1000);
});

test("a throttled client is not idle", async () => {
  const client = await start(byteQuota(1));
  client.send(produce(1, 20_000));
  await client.answer(PRODUCE, 9);
  for (let minute = 0; minute < 20; minute++) harness.clock.advance(60_000);
  await settled();
  expect(client.isClosed).toBe(false);
});

test("one that leaves while it is throttled takes nothing with it", async () => {
  const client = await start(byteQuota(1));
  client.send(produce(1, 20_000));
  await client.answer(PRODUCE, 9);
  const before = harness.clock.pending;
  client.close();
  while (harness.server.metrics.openConnections > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(harness.clock.pending).toBe(before - 1);
});

test("more connections from one address than its rate allows are closed after a while, unserved", async () => {
  await start({ entity: { ip: null }, limits: { connection_creation_rate: 1 } });
  const others = await Promise.all(Array.from({ length: 12 }, () => harness.connect()));
  const last = others.at(-1) as RawClient;
  last.request(18, 0, 1, {});
  while ((harness.server.metrics.counters[ServerCounter.CONNECTIONS_REFUSED] as number) < 3) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(last.frames).toEqual([]);
  expect(last.isClosed).toBe(false);
  harness.clock.advance(1000);
  await last.closed();
  expect(last.frames).toEqual([]);
});
