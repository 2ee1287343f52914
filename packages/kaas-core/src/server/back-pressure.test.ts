import { afterEach, expect, test } from "vitest";
import { requestFrame } from "../../test/fakes/raw-client.js";
import { type Deferred, deferred, type ServerHarness, served, startServer } from "../../test/fakes/server-harness.js";
import { until } from "../../test/fakes/until.js";
import { IN_FLIGHT_BYTES_MAX, IN_FLIGHT_REQUESTS_MAX } from "./server-limits.js";
import { ServerCounter } from "./server-metrics.js";

const PRODUCE = 0;
const SYNC_GROUP = 14;
const syncGroup = { groupId: "g", generationId: 0, memberId: "m", assignments: [] };
const produced = { responses: [] };

let harness: ServerHarness;
afterEach(() => harness.close());

const pauses = (): number => harness.server.metrics.counters[ServerCounter.READS_PAUSED] as number;
const produce = (id: number, recordBytes: number): Buffer =>
  requestFrame(PRODUCE, 9, id, {
    acks: -1,
    timeoutMs: 1,
    topicData: [{ name: "t", partitionData: [{ index: 0, records: Buffer.alloc(recordBytes) }] }],
  });

test("the requests of a client that does not read its answers wait until it does", async () => {
  const ANSWER_BYTES = 200_000;
  const REQUESTS = 400;
  let handled = 0;
  const handler = served(SYNC_GROUP, [0, 5], () => {
    handled++;
    return { errorCode: 0, assignment: Buffer.alloc(ANSWER_BYTES) };
  });
  harness = await startServer({ handlers: [handler] });
  const client = await harness.connect();
  client.socket.pause();
  for (let id = 0; id < REQUESTS; id++) client.request(SYNC_GROUP, 0, id, syncGroup);
  await until(() => pauses() > 0);
  expect(handled).toBeLessThan(REQUESTS / 2);
  client.socket.resume();
  for (let id = 0; id < REQUESTS; id++) {
    const frame = (await client.frame()) as Buffer;
    expect(frame.readInt32BE(0)).toBe(id);
    expect(frame.length).toBeGreaterThan(ANSWER_BYTES);
  }
  expect(handled).toBe(REQUESTS);
});

test("a client that neither reads nor leaves is closed as idle", async () => {
  const handler = served(SYNC_GROUP, [0, 5], () => ({ errorCode: 0, assignment: Buffer.alloc(8_000_000) }));
  harness = await startServer({ handlers: [handler], config: { "connections.max.idle.ms": 10_000 } });
  const client = await harness.connect();
  client.socket.pause();
  for (let id = 0; id < 5; id++) client.request(SYNC_GROUP, 0, id, syncGroup);
  await until(() => pauses() > 0);
  harness.clock.advance(12_000); // closes it, though its last answers are not read
  harness.clock.advance(10_000); // gives up on those
  await until(() => harness.server.metrics.openConnections === 0);
});

test("produce requests in flight are bounded in number", async () => {
  const waiting: Deferred[] = [];
  harness = await startServer({ handlers: [served(PRODUCE, [3, 13], deferred(waiting))] });
  const client = await harness.connect();
  const requests = IN_FLIGHT_REQUESTS_MAX + 100;
  for (let id = 0; id < requests; id++) client.send(produce(id, 10));
  await until(() => pauses() > 0 && waiting.length === IN_FLIGHT_REQUESTS_MAX);
  for (let answered = 0; answered < requests; answered++) {
    await until(() => waiting.length > answered);
    waiting[answered]?.resolve(produced);
    expect(((await client.frame()) as Buffer).readInt32BE(0)).toBe(answered);
  }
});

test("produce requests in flight are bounded in bytes", async () => {
  const waiting: Deferred[] = [];
  harness = await startServer({ handlers: [served(PRODUCE, [3, 13], deferred(waiting))] });
  const client = await harness.connect();
  const size = 4 * 1024 * 1024;
  const requests = (2 * IN_FLIGHT_BYTES_MAX) / size;
  for (let id = 0; id < requests; id++) client.send(produce(id, size));
  await until(() => pauses() > 0);
  expect(waiting.length * size).toBeLessThanOrEqual(IN_FLIGHT_BYTES_MAX);
  for (let answered = 0; answered < requests; answered++) {
    await until(() => waiting.length > answered);
    waiting[answered]?.resolve(produced);
    expect(((await client.frame()) as Buffer).readInt32BE(0)).toBe(answered);
  }
  await until(() => harness.server.memory.usedBytes === 0);
});

test("many clients with large requests share queued.max.request.bytes, and all are served", async () => {
  const LIMIT = 4_000_000;
  const SIZE = 3_000_000;
  const waiting: Deferred[] = [];
  harness = await startServer({
    handlers: [served(PRODUCE, [3, 13], deferred(waiting))],
    config: { "queued.max.request.bytes": LIMIT },
  });
  const clients = await Promise.all(Array.from({ length: 8 }, () => harness.connect()));
  // All stand in the middle of their request when the limit is reached.
  for (const client of clients) client.send(produce(1, SIZE).subarray(0, SIZE / 2));
  await until(() => harness.server.memory.pausedCount >= clients.length / 2);
  expect(harness.server.memory.usedBytes).toBeLessThan(2 * LIMIT);
  for (const client of clients) client.send(produce(1, SIZE).subarray(SIZE / 2));
  for (let served = 0; served < clients.length; served++) {
    await until(() => waiting.length > served);
    expect(harness.server.memory.usedBytes).toBeLessThan(LIMIT + 2 * SIZE);
    waiting[served]?.resolve(produced);
  }
  for (const client of clients) expect(((await client.frame()) as Buffer).readInt32BE(0)).toBe(1);
  await until(() => harness.server.memory.usedBytes === 0);
});

test("clients that stall in the middle of large requests do not stop the others", async () => {
  const LIMIT = 2_000_000;
  const SIZE = 3_000_000;
  harness = await startServer({
    handlers: [served(PRODUCE, [3, 13], () => produced)],
    config: { "queued.max.request.bytes": LIMIT },
  });
  const stalled = await Promise.all(Array.from({ length: 3 }, () => harness.connect()));
  for (const client of stalled) client.send(produce(1, SIZE).subarray(0, SIZE - 1));
  await until(() => harness.server.memory.pausedCount >= 2);
  const small = await harness.connect();
  small.send(produce(2, 30_000));
  expect(((await small.frame()) as Buffer).readInt32BE(0)).toBe(2);
  const large = await harness.connect();
  large.send(produce(3, SIZE));
  const answered = large.frame();
  await until(() => {
    harness.clock.advance(1000); // sweeps hand the favour on
    return large.frames.length > 0 || harness.server.metrics.requests[PRODUCE] === 2;
  });
  expect(((await answered) as Buffer).readInt32BE(0)).toBe(3);
});

test("clients that announce the largest frame and send nothing cost nothing", async () => {
  harness = await startServer();
  const announcement = Buffer.alloc(5);
  announcement.writeInt32BE(104_857_600);
  const before = process.memoryUsage();
  const clients = await Promise.all(Array.from({ length: 200 }, () => harness.connect()));
  for (const client of clients) client.send(announcement);
  const { counters } = harness.server.metrics;
  await until(() => counters[ServerCounter.BYTES_IN] === 5 * clients.length);
  expect(harness.server.memory.usedBytes).toBe(clients.length);
  expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).toBeLessThan(20_000_000);
});
