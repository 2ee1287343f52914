import { afterEach, describe, expect, test } from "vitest";
import { framed, type RawClient, requestFrame } from "../../test/fakes/raw-client.js";
import { type Deferred, deferred, type ServerHarness, served, startServer } from "../../test/fakes/server-harness.js";
import { until } from "../../test/fakes/until.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { ApiVersionsResponse } from "../messages/generated/index.js";
import { ServerCounter } from "./server-metrics.js";

const PRODUCE = 0;
const LIST_OFFSETS = 2;
const HEARTBEAT = 12;
const API_VERSIONS = 18;

let harness: ServerHarness;
afterEach(() => harness.close());

// oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what a careless handler may do
const rejectNothing = (): Promise<never> => Promise.reject();
const heartbeat = (version: number, id: number, groupId = "g"): Buffer =>
  requestFrame(HEARTBEAT, version, id, { groupId, generationId: 0, memberId: "m" });
const waiting: Deferred[] = [];
const handlers = [
  served(PRODUCE, [3, 13], deferred(waiting), ({ acks }, errorCode) =>
    acks === 0
      ? undefined
      : { responses: [{ name: "t", partitionResponses: [{ index: 0, errorCode, baseOffset: -1 }] }] },
  ),
  served(
    LIST_OFFSETS,
    [1, 9],
    () => ({ topics: [] }),
    () => undefined,
  ),
  served(HEARTBEAT, [1, 3], (_context, { groupId }) => {
    if (groupId === "throws") throw new Error("out of luck");
    if (groupId === "rejects") return Promise.reject(new Error("out of time"));
    if (groupId === "rejects nothing") return rejectNothing();
    if (groupId === "cannot be encoded") return Promise.resolve({ errorCode: 0, throttleTimeMs: Symbol("no number") });
    return { errorCode: 0 };
  }),
];

async function start(): Promise<RawClient> {
  waiting.length = 0;
  harness = await startServer({ handlers });
  return harness.connect();
}

/** A request before and another connection's after: neither notices what happens between them. */
async function expectOthersServed(): Promise<void> {
  const other = await harness.connect();
  other.send(heartbeat(3, 77));
  expect((await other.answer(HEARTBEAT, 3)).correlationId).toBe(77);
}

const header = (apiKey: number, apiVersion: number, correlationId = 5): Buffer => {
  const bytes = Buffer.alloc(10);
  bytes.writeInt16BE(apiKey);
  bytes.writeInt16BE(apiVersion, 2);
  bytes.writeInt32BE(correlationId, 4);
  bytes.writeInt16BE(-1, 8); // no client id
  return bytes;
};

const prefix = (size: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(size);
  return bytes;
};

describe("what cannot be answered closes the connection and is logged, after the answers before it", () => {
  test.each<[string, Buffer, string | RegExp]>([
    ["a negative length", prefix(-1), "a frame length of -1"],
    ["a length over the limit", prefix(104_857_601), "socket.request.max.bytes"],
    ["an empty frame", framed(Buffer.alloc(0)), "no request header"],
    ["a frame too short for a header", framed(Buffer.alloc(7)), "no request header"],
    ["an unknown API key", framed(header(999, 0)), "API key 999"],
    ["a negative API key", framed(header(-1, 0)), "API key -1"],
    ["an API key that is known and not served", framed(header(3, 1)), "API key 3"],
    ["a header whose client id is cut off", framed(header(HEARTBEAT, 1).subarray(0, 9)), "header cannot be read"],
    [
      "a client id longer than the frame",
      framed(Buffer.concat([header(HEARTBEAT, 1).subarray(0, 8), Buffer.from([0x7f, 0xff])])),
      "header cannot be read",
    ],
    [
      "a version that has no schema",
      framed(Buffer.concat([header(HEARTBEAT, 99), Buffer.alloc(1)])),
      "Heartbeat has no version 99",
    ],
    ["a negative version", framed(header(HEARTBEAT, -3)), "Heartbeat has no version -3"],
    ["a malformed body whose response has no place for an error", framed(header(LIST_OFFSETS, 1)), "ListOffsets 1"],
    ["a malformed produce request", framed(header(PRODUCE, 3)), "Produce 3"],
  ])("%s", async (_name, bytes, reason) => {
    const client = await start();
    client.send(heartbeat(3, 1), bytes, heartbeat(3, 2));
    expect((await client.answer(HEARTBEAT, 3)).correlationId).toBe(1);
    expect(await client.frame()).toBeUndefined();
    await client.closed();
    expect(harness.lines).toMatchObject([{ level: "warn", message: expect.stringContaining(reason as string) }]);
    expect(harness.server.metrics.counters[ServerCounter.CONNECTIONS_CLOSED_BAD_INPUT]).toBe(1);
    await expectOthersServed();
  });

  test.each([
    ["GET / HTTP/1.1\r\n\r\n", "an HTTP request"],
    ["\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03", "a TLS handshake"],
  ])("%j is named for what it is", async (text, name) => {
    const client = await start();
    client.send(Buffer.from(text, "latin1"));
    await client.closed();
    expect(harness.lines[0]?.message).toContain(name);
    await expectOthersServed();
  });

  test("an address is logged once a minute", async () => {
    await start();
    for (let count = 0; count < 3; count++) {
      const client = await harness.connect();
      client.send(prefix(-1));
      await client.closed();
    }
    expect(harness.lines).toHaveLength(1);
    expect(harness.lines[0]?.fields).toMatchObject({ remoteAddress: "127.0.0.1" });
  });

  test("a bad request waits for the produce requests before it", async () => {
    const client = await start();
    client.send(requestFrame(PRODUCE, 9, 1, { acks: -1, timeoutMs: 1, topicData: [] }), framed(header(PRODUCE, 3)));
    await until(() => waiting.length === 1);
    waiting[0]?.resolve({ responses: [] });
    expect((await client.answer(PRODUCE, 9)).correlationId).toBe(1);
    await client.closed();
  });

  test("so does a bad length", async () => {
    const client = await start();
    client.send(requestFrame(PRODUCE, 9, 1, { acks: -1, timeoutMs: 1, topicData: [] }), prefix(-1));
    await until(() => waiting.length === 1);
    client.send(heartbeat(3, 2), Buffer.alloc(100_000));
    client.send(heartbeat(3, 3));
    waiting[0]?.resolve({ responses: [] });
    expect((await client.answer(PRODUCE, 9)).correlationId).toBe(1);
    await client.closed();
  });
});

describe("ApiVersions", () => {
  test.each([6, 99, 32_767, -1])(
    "in version %i is answered in version 0 with its own versions (KIP-511)",
    async (version) => {
      const client = await start();
      client.send(framed(Buffer.concat([header(API_VERSIONS, version), Buffer.from([0, 1, 2, 3])])));
      const { correlationId, response } = await client.answer<ApiVersionsResponse>(API_VERSIONS, 0);
      expect(correlationId).toBe(5);
      expect(response.errorCode).toBe(ErrorCode.UNSUPPORTED_VERSION);
      expect(response.apiKeys).toContainEqual({ apiKey: API_VERSIONS, minVersion: 0, maxVersion: 5 });
      client.request(API_VERSIONS, 4, 6, { clientSoftwareName: "a", clientSoftwareVersion: "1" });
      expect(await client.answer(API_VERSIONS, 4)).toMatchObject({ correlationId: 6, response: { errorCode: 0 } });
    },
  );

  test("with a malformed body is INVALID_REQUEST", async () => {
    const client = await start();
    client.send(framed(Buffer.concat([header(API_VERSIONS, 3), Buffer.from([0, 0x20])])));
    const { response } = await client.answer<ApiVersionsResponse>(API_VERSIONS, 3);
    expect(response.errorCode).toBe(ErrorCode.INVALID_REQUEST);
  });
});

describe("what can be answered is, and the connection goes on", () => {
  async function expectError(client: RawClient, version: number, id: number, errorCode: ErrorCode): Promise<void> {
    expect(await client.answer(HEARTBEAT, version)).toMatchObject({ correlationId: id, response: { errorCode } });
    client.send(heartbeat(3, id + 1));
    expect(await client.answer(HEARTBEAT, 3)).toMatchObject({ correlationId: id + 1, response: { errorCode: 0 } });
  }

  test.each([0, 4])("version %i, which is not served, with UNSUPPORTED_VERSION", async (version) => {
    const client = await start();
    client.send(heartbeat(version, 1));
    await expectError(client, version, 1, ErrorCode.UNSUPPORTED_VERSION);
  });

  test("a version that is not served by its own answers", async () => {
    const client = await start();
    client.send(requestFrame(PRODUCE, 2, 1, { acks: 1, timeoutMs: 1, topicData: [] }));
    expect(await client.answer(PRODUCE, 2)).toMatchObject({
      response: { responses: [{ partitionResponses: [{ errorCode: ErrorCode.UNSUPPORTED_VERSION }] }] },
    });
    expect(waiting).toEqual([]);
  });

  test("a malformed body with INVALID_REQUEST", async () => {
    const client = await start();
    client.send(framed(Buffer.concat([header(HEARTBEAT, 1), Buffer.from([0x7f, 0xff, 1])])));
    await expectError(client, 1, 5, ErrorCode.INVALID_REQUEST);
    expect(harness.lines[0]?.message).toContain("Heartbeat 1");
  });

  test("bytes behind a request are passed over: librdkafka sends some", async () => {
    const client = await start();
    client.send(framed(Buffer.concat([heartbeat(3, 5).subarray(4), Buffer.from([1, 0, 0])])));
    await expectError(client, 3, 5, ErrorCode.NONE);
  });

  test.each(["throws", "rejects", "rejects nothing", "cannot be encoded"])(
    "a handler that %s with UNKNOWN_SERVER_ERROR, logged with the correlation id",
    async (groupId) => {
      const client = await start();
      client.send(heartbeat(3, 1, groupId));
      await expectError(client, 3, 1, ErrorCode.UNKNOWN_SERVER_ERROR);
      expect(harness.lines).toMatchObject([
        { level: "error", fields: { api: "Heartbeat", apiVersion: 3, correlationId: 1, clientId: "raw" } },
      ]);
      await expectOthersServed();
    },
  );
});

test("a failure that no answer can tell closes the connection", async () => {
  const client = await start();
  client.send(requestFrame(PRODUCE, 9, 1, { acks: 0, timeoutMs: 1, topicData: [] }));
  await until(() => waiting.length === 1);
  waiting[0]?.reject(new Error("the disk is gone"));
  await client.closed();
  expect(client.frames).toEqual([]);
  await expectOthersServed();
});

test("a client id that is null, empty or not UTF-8 is taken as it is", async () => {
  const client = await start();
  const body = heartbeat(3, 9).subarray(4);
  const rest = body.subarray(10 + "raw".length);
  for (const clientId of [
    [0xff, 0xff],
    [0, 0],
    [0, 2, 0xc3, 0x28],
  ]) {
    client.send(framed(Buffer.concat([body.subarray(0, 8), Buffer.from(clientId), rest])));
    expect((await client.answer(HEARTBEAT, 3)).correlationId).toBe(9);
  }
});
