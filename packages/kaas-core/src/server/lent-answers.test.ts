import { afterEach, expect, test } from "vitest";
import { type Deferred, deferred, type ServerHarness, served, startServer } from "../../test/fakes/server-harness.js";
import { until } from "../../test/fakes/until.js";
import type { AnyApiHandler } from "../api/api-handler.js";
import type { Lease } from "../ports/memory.js";

// SyncGroup stands for any API whose answer has bytes that are lent.
const SYNC_GROUP = 14;
const request = { groupId: "g", generationId: 0, memberId: "m", assignments: [] };

let harness: ServerHarness;
afterEach(() => harness.close());

/** Answers that were lent, and how many of them have come back; each may only come back once. */
class Lender {
  lent = 0;
  returned = 0;

  answer(size: number): { errorCode: number; assignment: Buffer; lease: Lease } {
    this.lent++;
    let isLent = true;
    const release = (): void => {
      expect(isLent).toBe(true);
      isLent = false;
      this.returned++;
    };
    return { errorCode: 0, assignment: Buffer.alloc(size), lease: { release } };
  }
}

const lending = (handle: (context: never, request: never) => unknown): AnyApiHandler => ({
  ...served(SYNC_GROUP, [0, 5], handle as never),
  lease: (response: { lease?: Lease }) => response.lease,
});

test("after the answer has been sent", async () => {
  const lender = new Lender();
  harness = await startServer({ handlers: [lending(() => lender.answer(3_000_000))] });
  const client = await harness.connect();
  for (let id = 0; id < 5; id++) {
    client.request(SYNC_GROUP, 0, id, request);
    await client.frame();
  }
  await until(() => lender.returned === 5);
});

test("while a client does not read, only what its socket cannot take is lent, and it comes back when the client goes", async () => {
  const lender = new Lender();
  harness = await startServer({ handlers: [lending(() => lender.answer(8_000_000))] });
  const client = await harness.connect();
  client.socket.pause();
  for (let id = 0; id < 20; id++) client.request(SYNC_GROUP, 0, id, request);
  await until(() => lender.lent > 0 && harness.server.memory.usedBytes > 0);
  expect(lender.lent).toBeLessThan(3);
  expect(lender.returned).toBeLessThan(lender.lent);
  client.socket.resetAndDestroy();
  await until(() => harness.server.metrics.openConnections === 0 && lender.returned === lender.lent);
});

test("when the server is closed over answers that nobody reads", async () => {
  const lender = new Lender();
  harness = await startServer({ handlers: [lending(() => lender.answer(8_000_000))] });
  const client = await harness.connect();
  client.socket.pause();
  for (let id = 0; id < 3; id++) client.request(SYNC_GROUP, 0, id, request);
  await until(() => lender.lent > 0);
  await harness.server.close(0);
  await until(() => lender.returned === lender.lent);
});

test("when the client is gone before the answer is there", async () => {
  const lender = new Lender();
  const waiting: Deferred[] = [];
  harness = await startServer({ handlers: [lending(deferred(waiting))] });
  const client = await harness.connect();
  client.request(SYNC_GROUP, 0, 1, request);
  await until(() => waiting.length === 1);
  client.close();
  await until(() => harness.server.metrics.openConnections === 0);
  waiting[0]?.resolve(lender.answer(10));
  await until(() => lender.returned === 1);
});

test("when the answer cannot be encoded", async () => {
  const lender = new Lender();
  const handler = lending(() => ({ ...lender.answer(10), errorCode: 0, assignment: "no bytes" }));
  harness = await startServer({
    handlers: [{ ...handler, fail: () => ({ errorCode: -1, assignment: Buffer.alloc(0) }) }],
  });
  const client = await harness.connect();
  client.request(SYNC_GROUP, 0, 1, request);
  await client.frame();
  expect([lender.lent, lender.returned]).toEqual([1, 1]);
});

test("when the handler itself closed the connection", async () => {
  const lender = new Lender();
  const handler = lending((context: { connection: { close(reason: string): void } }) => {
    context.connection.close("enough");
    return lender.answer(10);
  });
  harness = await startServer({ handlers: [handler] });
  const client = await harness.connect();
  client.request(SYNC_GROUP, 0, 1, request);
  await until(() => client.isClosed && lender.returned === 1);
});
