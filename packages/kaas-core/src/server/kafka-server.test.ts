import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { RawClient, requestFrame } from "../../test/fakes/raw-client.js";
import { type Deferred, deferred, type ServerHarness, served, startServer } from "../../test/fakes/server-harness.js";
import { until } from "../../test/fakes/until.js";
import type { ApiVersionsResponse } from "../messages/generated/index.js";
import { ANONYMOUS } from "../security/kafka-principal.js";
import { ServerCounter } from "./server-metrics.js";

const HEARTBEAT = 12;
const heartbeat = { groupId: "g", generationId: 0, memberId: "m" };

let harness: ServerHarness;
afterEach(() => harness.close());

const counter = (index: ServerCounter): number => harness.server.metrics.counters[index] as number;

describe("listeners", () => {
  test("several are bound, each with its own advertised address; IPv6 too", async () => {
    harness = await startServer({
      listeners: [
        { name: "INSIDE", host: "127.0.0.1", port: 0 },
        { name: "OUTSIDE", host: "", port: 0, advertisedHost: "kafka.example", advertisedPort: 9094 },
        { name: "SIX", host: "::1", port: 0 },
      ],
    });
    const [inside, outside, six] = harness.listeners;
    expect(inside).toMatchObject({ listenerName: "INSIDE", host: "127.0.0.1", port: inside?.boundPort });
    expect(inside?.boundPort).toBeGreaterThan(0);
    expect(outside).toMatchObject({ listenerName: "OUTSIDE", host: "kafka.example", port: 9094 });
    for (const [host, port] of [
      ["127.0.0.1", inside?.boundPort],
      ["127.0.0.1", outside?.boundPort],
      ["::1", six?.boundPort],
    ] as const) {
      const client = await RawClient.connect(port ?? 0, host);
      client.request(18, 0, 1, {});
      const { response } = await client.answer<ApiVersionsResponse>(18, 0);
      expect(response.errorCode).toBe(0);
      client.close();
    }
  });

  test("handlers learn which listener, client and address a request came from", async () => {
    const seen: unknown[] = [];
    const handler = served(HEARTBEAT, [0, 4], ({ connection, clientId, apiKey, apiVersion }) => {
      const { listenerName, remoteAddress, principal } = connection;
      seen.push({ listenerName, remoteAddress, principal, clientId, apiKey, apiVersion });
      return { errorCode: 0 };
    });
    harness = await startServer({
      handlers: [handler],
      listeners: [{ name: "ANY", host: "", port: 0, advertisedHost: "h" }],
    });
    const client = await harness.connect();
    client.request(HEARTBEAT, 4, 1, heartbeat);
    await client.frame();
    expect(seen).toEqual([
      {
        listenerName: "ANY",
        remoteAddress: "127.0.0.1",
        principal: ANONYMOUS,
        clientId: "raw",
        apiKey: HEARTBEAT,
        apiVersion: 4,
      },
    ]);
  });

  test("a port that is taken is named with the cause, and nothing stays bound", async () => {
    harness = await startServer();
    const taken = harness.port;
    const free = await startServer();
    await free.close();
    const listeners = [
      { name: "FREE", host: "127.0.0.1", port: free.port },
      { name: "TAKEN", host: "127.0.0.1", port: taken },
    ];
    await expect(startServer({ listeners })).rejects.toMatchObject({
      code: "KAAS_LISTENER_FAILED",
      message: expect.stringMatching(new RegExp(`TAKEN.*127.0.0.1:${taken}.*EADDRINUSE`)),
    });
    await expect(RawClient.connect(free.port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test.each([
    [{ name: "A", host: "", port: 0 }, "KAAS_LISTENER_FAILED"],
    [{ name: "A", host: "::", port: 0 }, "KAAS_LISTENER_FAILED"],
    [{ name: "A", host: "192.0.2.1", port: 0 }, "KAAS_LISTENER_FAILED"],
  ])("%j cannot be served", async (listener, code) => {
    harness = await startServer();
    await expect(startServer({ listeners: [listener] })).rejects.toMatchObject({ code });
  });

  test("two listeners of one name are refused", async () => {
    harness = await startServer();
    const listeners = [
      { name: "A", host: "127.0.0.1", port: 0 },
      { name: "A", host: "127.0.0.1", port: 0 },
    ];
    await expect(startServer({ listeners })).rejects.toMatchObject({ code: "KAAS_CONFIG_INVALID" });
  });
});

describe("limits", () => {
  test("a connection beyond max.connections.per.ip is closed, and told in the log", async () => {
    harness = await startServer({ config: { "max.connections.per.ip": 2 } });
    const [first] = [await harness.connect(), await harness.connect()];
    const third = await harness.connect();
    await third.closed();
    expect(counter(ServerCounter.CONNECTIONS_REFUSED)).toBe(1);
    expect(harness.lines).toMatchObject([
      { level: "warn", message: expect.stringContaining("max.connections.per.ip") },
    ]);
    first?.close();
    await until(() => harness.server.metrics.openConnections === 1);
    const fourth = await harness.connect();
    fourth.request(18, 0, 1, {});
    expect(await fourth.frame()).toBeDefined();
  });

  test("max.connections.per.ip.overrides holds", async () => {
    const config = { "max.connections.per.ip": 0, "max.connections.per.ip.overrides": "127.0.0.1:1" };
    harness = await startServer({ config });
    const first = await harness.connect();
    await (await harness.connect()).closed();
    first.request(18, 0, 1, {});
    expect(await first.frame()).toBeDefined();
  });

  test("a frame may have socket.request.max.bytes and no more", async () => {
    harness = await startServer({
      handlers: [served(HEARTBEAT, [0, 4], () => ({ errorCode: 0 }))],
      config: { "socket.request.max.bytes": 1000 },
    });
    const client = await harness.connect();
    const padding = (frameBytes: number) => ({ ...heartbeat, groupId: "g".repeat(frameBytes - 22) });
    client.request(HEARTBEAT, 0, 1, padding(1000));
    expect((await client.answer(HEARTBEAT, 0)).correlationId).toBe(1);
    client.request(HEARTBEAT, 0, 2, padding(1001));
    await client.closed();
    expect(harness.lines[0]?.message).toContain("a frame of 1001 bytes, more than socket.request.max.bytes=1000");
  });
});

describe("idle connections", () => {
  const config = { "connections.max.idle.ms": 10_000 };

  test("are closed after connections.max.idle.ms, and not before", async () => {
    harness = await startServer({ config });
    const [idle, busy] = [await harness.connect(), await harness.connect()];
    await until(() => harness.server.metrics.openConnections === 2);
    harness.clock.advance(9_000);
    busy.request(18, 0, 1, {});
    await busy.frame();
    harness.clock.advance(2_000);
    await idle.closed();
    expect(busy.isClosed).toBe(false);
    expect(counter(ServerCounter.CONNECTIONS_CLOSED_IDLE)).toBe(1);
  });

  test("are not those that wait for an answer", async () => {
    const waiting: Deferred[] = [];
    harness = await startServer({ config, handlers: [served(HEARTBEAT, [0, 4], deferred(waiting))] });
    const client = await harness.connect();
    client.request(HEARTBEAT, 0, 1, heartbeat);
    await until(() => waiting.length === 1);
    harness.clock.advance(60_000);
    waiting[0]?.resolve({ errorCode: 7 });
    expect((await client.answer(HEARTBEAT, 0)).response).toMatchObject({ errorCode: 7 });
  });

  test("are not those that send what has no answer", async () => {
    harness = await startServer({ config, handlers: [served(HEARTBEAT, [0, 4], () => undefined)] });
    const client = await harness.connect();
    for (let count = 0; count < 5; count++) {
      client.request(HEARTBEAT, 0, count, heartbeat);
      await until(() => harness.server.metrics.requests[HEARTBEAT] === count + 1);
      harness.clock.advance(8_000);
    }
    expect(harness.server.metrics.openConnections).toBe(1);
  });

  test("are not those that have just been answered", async () => {
    const waiting: Deferred[] = [];
    harness = await startServer({ config, handlers: [served(HEARTBEAT, [0, 4], deferred(waiting))] });
    const client = await harness.connect();
    client.request(HEARTBEAT, 0, 1, heartbeat);
    await until(() => waiting.length === 1);
    harness.clock.advance(60_000);
    waiting[0]?.resolve({ errorCode: 0 });
    await client.frame();
    harness.clock.advance(8_000);
    expect(counter(ServerCounter.CONNECTIONS_CLOSED_IDLE)).toBe(0);
    harness.clock.advance(4_000);
    await client.closed();
  });

  test("live for ever when the limit is negative", async () => {
    harness = await startServer({ config: { "connections.max.idle.ms": -1 } });
    const client = await harness.connect();
    await until(() => harness.server.metrics.openConnections === 1);
    harness.clock.advance(10_000_000);
    client.request(18, 0, 1, {});
    expect(await client.frame()).toBeDefined();
  });
});

describe("closing", () => {
  test("answers what is in flight, starts nothing more, and refuses new connections", async () => {
    const waiting: Deferred[] = [];
    harness = await startServer({ handlers: [served(HEARTBEAT, [0, 4], deferred(waiting))] });
    const client = await harness.connect();
    const idle = await harness.connect();
    client.request(HEARTBEAT, 0, 1, heartbeat);
    client.request(HEARTBEAT, 0, 2, heartbeat);
    await until(() => waiting.length === 1);
    const closed = harness.server.close(60_000);
    await idle.closed();
    await expect(RawClient.connect(harness.port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    waiting[0]?.resolve({ errorCode: 7 });
    expect(await client.answer(HEARTBEAT, 0)).toMatchObject({ correlationId: 1, response: { errorCode: 7 } });
    await client.closed();
    await closed;
    expect(waiting).toHaveLength(1);
    expect(harness.clock.pending).toBe(0);
  });

  test("ends at the deadline, whatever is in flight", async () => {
    const waiting: Deferred[] = [];
    harness = await startServer({ handlers: [served(HEARTBEAT, [0, 4], deferred(waiting))] });
    const client = await harness.connect();
    client.request(HEARTBEAT, 0, 1, heartbeat);
    await until(() => waiting.length === 1);
    const closed = harness.server.close(5_000);
    harness.clock.advance(5_000);
    await closed;
    await client.closed();
    waiting[0]?.resolve({ errorCode: 0 });
    await until(() => harness.server.memory.usedBytes === 0);
  });

  test("handlers hear of a connection's end once; what they took back is not called", async () => {
    const ends: string[] = [];
    const handler = served(HEARTBEAT, [0, 4], ({ connection }, { groupId }) => {
      const takeBack = connection.onClose(() => ends.push(groupId));
      if (groupId === "taken back") takeBack();
      return { errorCode: 0 };
    });
    harness = await startServer({ handlers: [handler] });
    const client = await harness.connect();
    for (const groupId of ["a", "taken back", "b"]) {
      client.request(HEARTBEAT, 0, 1, { ...heartbeat, groupId });
      await client.frame();
    }
    client.close();
    await until(() => harness.server.metrics.openConnections === 0);
    expect(ends).toEqual(["a", "b"]);
  });

  test("what handlers are at work on takes memory until they are done, though the client is gone", async () => {
    const waiting: Deferred[] = [];
    harness = await startServer({ handlers: [served(HEARTBEAT, [0, 4], deferred(waiting))] });
    const client = await harness.connect();
    client.request(HEARTBEAT, 0, 1, heartbeat);
    await until(() => waiting.length === 1);
    const bytes = harness.server.memory.usedBytes;
    client.close();
    await until(() => harness.server.metrics.openConnections === 0);
    expect(harness.server.memory.usedBytes).toBe(bytes);
    waiting[0]?.resolve({ errorCode: 0 });
    await until(() => harness.server.memory.usedBytes === 0);
  });

  test.each(["returns", "throws", "waits"])("a handler may close the connection: it %s", async (groupId) => {
    const handler = served(HEARTBEAT, [0, 4], ({ connection }) => {
      connection.close("enough");
      if (groupId === "throws") throw new Error("enough");
      return groupId === "waits" ? Promise.resolve({ errorCode: 0 }) : { errorCode: 0 };
    });
    harness = await startServer({ handlers: [handler] });
    const client = await harness.connect();
    client.send(requestFrame(18, 0, 1, {}), requestFrame(HEARTBEAT, 0, 2, heartbeat), requestFrame(18, 0, 3, {}));
    expect((await client.answer(18, 0)).correlationId).toBe(1);
    await client.closed();
    expect(client.frames).toEqual([]);
    await until(() => harness.server.memory.usedBytes === 0);
  });

  test("a handler that asks late for the end of a connection is told", async () => {
    const waiting: Deferred[] = [];
    let told = false;
    const handler = served(HEARTBEAT, [0, 4], async (context, request) => {
      await deferred(waiting)(context, request);
      context.connection.onClose(() => {
        told = true;
      });
    });
    harness = await startServer({ handlers: [handler] });
    const client = await harness.connect();
    client.request(HEARTBEAT, 0, 1, heartbeat);
    await until(() => waiting.length === 1);
    client.close();
    await until(() => harness.server.metrics.openConnections === 0);
    waiting[0]?.resolve(undefined);
    await until(() => told);
  });

  test("a client that closes as soon as it has connected leaves nothing", async () => {
    harness = await startServer();
    for (let count = 0; count < 50; count++)
      connect(harness.port, "127.0.0.1", function (this: { destroy(): void }) {
        this.destroy();
      });
    await until(() => counter(ServerCounter.CONNECTIONS_CLOSED) === 50);
    expect(harness.server.metrics.openConnections).toBe(0);
  });
});
