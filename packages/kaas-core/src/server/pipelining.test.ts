import { afterEach, describe, expect, test } from "vitest";
import { type RawClient, requestFrame } from "../../test/fakes/raw-client.js";
import { type Deferred, deferred, type ServerHarness, served, startServer } from "../../test/fakes/server-harness.js";
import { until } from "../../test/fakes/until.js";
import type { RequestContext } from "../api/api-handler.js";
import { ServerCounter } from "./server-metrics.js";

const PRODUCE = 0;
const HEARTBEAT = 12;
const OFFSET_COMMIT = 8;

let harness: ServerHarness;
afterEach(() => harness.close());

/** Answers with the number that the request carries. */
const echo = served(HEARTBEAT, [0, 4], (_context, { generationId }) => ({ errorCode: generationId }));
const heartbeat = (correlationId: number): Buffer =>
  requestFrame(HEARTBEAT, 4, correlationId, { groupId: "g", generationId: correlationId, memberId: "m" });
const produce = (correlationId: number, acks = -1): Buffer =>
  requestFrame(PRODUCE, 9, correlationId, { acks, timeoutMs: 1, topicData: [] });
const produced = { responses: [] };

async function correlationIds(client: RawClient, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) ids.push(((await client.frame()) as Buffer).readInt32BE(0));
  return ids;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test("a request is answered wherever its bytes are cut", async () => {
  harness = await startServer({ handlers: [echo] });
  const client = await harness.connect();
  const stream = Buffer.concat([heartbeat(1), heartbeat(2)]);
  for (let cut = 1; cut < stream.length; cut++) {
    client.send(stream.subarray(0, cut));
    await new Promise((resolve) => setImmediate(resolve));
    client.send(stream.subarray(cut));
    expect(await correlationIds(client, 2)).toEqual([1, 2]);
  }
});

test("thousands of requests in one go are answered in order", async () => {
  harness = await startServer({ handlers: [echo] });
  const client = await harness.connect();
  client.send(...upTo(5000).map(heartbeat));
  expect(await correlationIds(client, 5000)).toEqual(upTo(5000));
  expect(harness.server.metrics.requests[HEARTBEAT]).toBe(5000);
  expect(harness.server.memory.usedBytes).toBe(0);
});

test("answers to what came together leave together", async () => {
  harness = await startServer({ handlers: [echo] });
  const client = await harness.connect();
  client.send(...upTo(100).map(heartbeat));
  expect(await correlationIds(client, 100)).toEqual(upTo(100));
  expect(client.reads).toBeLessThan(10);
});

test("a request larger than a read of the socket arrives whole", async () => {
  const sizes: number[] = [];
  const handler = served(PRODUCE, [3, 13], (_context, { topicData }) => {
    sizes.push(topicData[0].partitionData[0].records.length);
    return produced;
  });
  harness = await startServer({ handlers: [handler] });
  const client = await harness.connect();
  const partitionData = [{ index: 0, records: Buffer.alloc(3_000_000) }];
  const large = { acks: 1, timeoutMs: 1, topicData: [{ name: "t", partitionData }] };
  client.send(requestFrame(PRODUCE, 9, 1, large), requestFrame(PRODUCE, 9, 2, large));
  expect(await correlationIds(client, 2)).toEqual([1, 2]);
  expect(sizes).toEqual([3_000_000, 3_000_000]);
});

test("what a client sent before it closed is done, though it waits for the request before it", async () => {
  const waiting: Deferred[] = [];
  const seen: number[] = [];
  const commit = served(OFFSET_COMMIT, [8, 8], deferred(waiting));
  const noting = served(HEARTBEAT, [0, 4], (_context, { generationId }) => {
    seen.push(generationId);
    return { errorCode: 0 };
  });
  harness = await startServer({ handlers: [commit, noting] });
  const client = await harness.connect();
  client.send(requestFrame(OFFSET_COMMIT, 8, 1, { groupId: "g", topics: [] }), heartbeat(2), heartbeat(3));
  client.socket.end();
  await until(() => waiting.length === 1);
  await client.closed();
  waiting[0]?.resolve({ topics: [] });
  await until(() => seen.length === 2);
  expect(seen).toEqual([2, 3]);
  await until(() => harness.server.memory.usedBytes === 0);
});

test("so is what came while nothing was to be read", async () => {
  const waiting: Deferred[] = [];
  const seen: number[] = [];
  const noting = served(HEARTBEAT, [0, 4], (_context, { generationId }) => {
    seen.push(generationId);
    return { errorCode: 0 };
  });
  harness = await startServer({ handlers: [served(OFFSET_COMMIT, [8, 8], deferred(waiting)), noting] });
  const client = await harness.connect();
  client.send(requestFrame(OFFSET_COMMIT, 8, 1, { groupId: "g", topics: [] }), heartbeat(2));
  const { counters } = harness.server.metrics;
  await until(() => (counters[ServerCounter.READS_PAUSED] as number) > 0);
  for (let id = 3; id < 10; id++) {
    client.send(heartbeat(id));
    await new Promise((resolve) => client.socket.write("", resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  client.socket.end();
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  waiting[0]?.resolve({ topics: [] });
  await until(() => seen.length === 8);
  expect(seen).toEqual(upTo(9).slice(1));
  await until(() => harness.server.metrics.openConnections === 0 && harness.server.memory.usedBytes === 0);
});

describe("produce", () => {
  test("requests are all in flight at once, and answered in order however they finish", async () => {
    const waiting: Deferred[] = [];
    harness = await startServer({ handlers: [served(PRODUCE, [3, 13], deferred(waiting))] });
    const client = await harness.connect();
    client.send(...upTo(300).map((id) => produce(id)));
    await until(() => waiting.length === 300);
    for (const request of waiting.toReversed()) request.resolve(produced);
    expect(await correlationIds(client, 300)).toEqual(upTo(300));
  });

  test("with acks=0 has no answer, and does not hold up the next", async () => {
    const handler = served(PRODUCE, [3, 13], (_context, { acks }) => (acks === 0 ? undefined : produced));
    harness = await startServer({ handlers: [handler, echo] });
    const client = await harness.connect();
    client.send(produce(1, 0), produce(2, 0), heartbeat(3), produce(4, 0), produce(5, -1));
    expect(await correlationIds(client, 2)).toEqual([3, 5]);
    expect(client.frames).toEqual([]);
  });

  test("is started only when what came before is answered", async () => {
    const order: string[] = [];
    const produces: Deferred[] = [];
    const commits: Deferred[] = [];
    const noting = (what: string, waiting: Deferred[]) => {
      const wait = deferred(waiting);
      return (context: RequestContext, request: unknown) => {
        order.push(what);
        return wait(context, request);
      };
    };
    harness = await startServer({
      handlers: [
        served(PRODUCE, [3, 13], noting("produce", produces)),
        served(OFFSET_COMMIT, [2, 9], noting("commit", commits)),
      ],
    });
    const client = await harness.connect();
    const commit = (id: number): Buffer => requestFrame(OFFSET_COMMIT, 8, id, { groupId: "g", topics: [] });
    client.send(produce(1), produce(2), commit(3), produce(4), commit(5));
    await until(() => produces.length === 2);
    expect(order).toEqual(["produce", "produce"]);
    for (const request of produces.splice(0)) request.resolve(produced);
    await until(() => commits.length === 1);
    expect(order).toEqual(["produce", "produce", "commit"]);
    commits[0]?.resolve({ topics: [] });
    await until(() => produces.length === 1);
    produces[0]?.resolve(produced);
    await until(() => commits.length === 2);
    commits[1]?.resolve({ topics: [] });
    expect(await correlationIds(client, 5)).toEqual([1, 2, 3, 4, 5]);
  });
});

test("one connection that waits does not hold up another", async () => {
  const waiting: Deferred[] = [];
  harness = await startServer({ handlers: [served(OFFSET_COMMIT, [2, 9], deferred(waiting)), echo] });
  const [slow, quick] = [await harness.connect(), await harness.connect()];
  slow.send(requestFrame(OFFSET_COMMIT, 8, 1, { groupId: "g", topics: [] }));
  await until(() => waiting.length === 1);
  quick.send(heartbeat(9));
  expect(await correlationIds(quick, 1)).toEqual([9]);
});

test("a connection with much to do lets others have their turn", async () => {
  let handled = 0;
  let handledAtTurn = 0;
  const handler = served(HEARTBEAT, [0, 4], () => {
    if (handled++ === 0) setImmediate(() => (handledAtTurn = handled));
    return { errorCode: 0 };
  });
  harness = await startServer({ handlers: [handler] });
  const client = await harness.connect();
  client.send(...upTo(1000).map(heartbeat));
  await correlationIds(client, 1000);
  expect(handledAtTurn).toBeGreaterThan(0);
  expect(handledAtTurn).toBeLessThan(200);
});

test("bytes and connections are counted", async () => {
  harness = await startServer({ handlers: [echo] });
  const client = await harness.connect();
  client.send(heartbeat(1));
  const answer = (await client.frame()) as Buffer;
  const { counters } = harness.server.metrics;
  expect(counters[ServerCounter.BYTES_IN]).toBe(heartbeat(1).length);
  expect(counters[ServerCounter.BYTES_OUT]).toBe(answer.length + 4);
  expect(counters[ServerCounter.CONNECTIONS_ACCEPTED]).toBe(1);
});
