import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestClock } from "../testing/test-clock.js";
import { HttpKubernetesApi } from "./http-kubernetes-api.js";
import type { KubernetesObject } from "./kubernetes-object.js";
import type { Resource } from "./resource.js";

const THINGS: Resource = { group: "x.io", version: "v1", kind: "Thing", plural: "things", isNamespaced: true };
const PODS: Resource = { group: "", version: "v1", kind: "Pod", plural: "pods", isNamespaced: true };
const REF = { namespace: "a", name: "one" };
const OBJECT: KubernetesObject = { apiVersion: "x.io/v1", kind: "Thing", metadata: REF };

interface Seen {
  readonly line: string;
  readonly contentType: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

let clock: TestClock;
let server: Server;
let api: HttpKubernetesApi;
let seen: Seen[];
let answer: (response: ServerResponse, request: IncomingMessage) => void;
let credentials: () => Promise<{ headers: Record<string, string> }>;

beforeEach(async () => {
  clock = new TestClock();
  seen = [];
  answer = (response) => void response.end(JSON.stringify(OBJECT));
  credentials = () => Promise.resolve({ headers: { authorization: "Bearer secret" } });
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString("utf8");
    });
    request.on("end", () => {
      const { authorization, "content-type": contentType } = request.headers;
      seen.push({ line: `${request.method} ${request.url}`, contentType, authorization, body });
      answer(response, request);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const access = { server: `http://127.0.0.1:${port}/prefix`, namespace: "a", credentials: () => credentials() };
  api = new HttpKubernetesApi(access, clock);
});
afterEach(async () => {
  api.close();
  server.closeAllConnections();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  expect(clock.pending).toBe(0);
});

const refuse = (code: number, body: object | string, headers: Record<string, string> = {}): void => {
  answer = (response) =>
    void response.writeHead(code, headers).end(typeof body === "string" ? body : JSON.stringify(body));
};

/** Waits until the server has got a request; time does not pass meanwhile. */
async function requested(count = 1): Promise<void> {
  while (seen.length < count) await new Promise((resolve) => void setImmediate(resolve));
}

describe("requests", () => {
  test("are what the API server expects", async () => {
    await api.get(THINGS, REF);
    await api.create(THINGS, OBJECT, { fieldManager: "m", isDryRun: true });
    await api.replace(THINGS, OBJECT, { subresource: "status" });
    await api.patch(THINGS, REF, { type: "apply", object: OBJECT, fieldManager: "m", isForced: true });
    await api.patch(THINGS, REF, { type: "merge", object: { a: null } }, { subresource: "status", fieldManager: "n" });
    await api.patch(PODS, REF, { type: "strategic", object: {} });
    await api.delete(THINGS, REF, { uid: "u", propagation: "Foreground" });
    const { line, authorization } = seen[0] as Seen;
    expect([line, authorization]).toEqual(["GET /prefix/apis/x.io/v1/namespaces/a/things/one", "Bearer secret"]);
    const things = "/prefix/apis/x.io/v1/namespaces/a/things";
    expect(seen.slice(1).map((one) => [one.line, one.contentType, one.body])).toEqual([
      [`POST ${things}?fieldManager=m&dryRun=All`, "application/json", JSON.stringify(OBJECT)],
      [`PUT ${things}/one/status`, "application/json", JSON.stringify(OBJECT)],
      [`PATCH ${things}/one?fieldManager=m&force=true`, "application/apply-patch+yaml", JSON.stringify(OBJECT)],
      [`PATCH ${things}/one/status?fieldManager=n`, "application/merge-patch+json", '{"a":null}'],
      ["PATCH /prefix/api/v1/namespaces/a/pods/one", "application/strategic-merge-patch+json", "{}"],
      [`DELETE ${things}/one`, "application/json", expect.stringContaining('"propagationPolicy":"Foreground"')],
    ]);
    expect(seen.at(-1)?.body).toContain('"preconditions":{"uid":"u"}');
  });

  test("a list has its items' kind filled in, and its next page", async () => {
    refuse(200, { metadata: { resourceVersion: "7", continue: "next" }, items: [{ metadata: REF }] });
    const query = { namespace: "a", labelSelector: "a=b", limit: 1, continue: "this" };
    expect(await api.list(THINGS, query)).toEqual({ items: [OBJECT], resourceVersion: "7", continue: "next" });
    expect(seen[0]?.line).toBe(
      "GET /prefix/apis/x.io/v1/namespaces/a/things?labelSelector=a%3Db&limit=1&continue=this",
    );
    refuse(200, { metadata: { resourceVersion: "8", continue: "" }, items: null });
    expect(await api.list(THINGS)).toEqual({ items: [], resourceVersion: "8" });
    expect(seen[1]?.line).toBe("GET /prefix/apis/x.io/v1/things");
  });
});

describe("refusals", () => {
  test.each([
    [401, "KAAS_KUBERNETES_FORBIDDEN"],
    [403, "KAAS_KUBERNETES_FORBIDDEN"],
    [404, "KAAS_KUBERNETES_NOT_FOUND"],
    [409, "KAAS_KUBERNETES_CONFLICT"],
    [410, "KAAS_KUBERNETES_REFUSED"],
    [422, "KAAS_KUBERNETES_REFUSED"],
    [429, "KAAS_KUBERNETES_UNREACHABLE"],
    [500, "KAAS_KUBERNETES_UNREACHABLE"],
    [503, "KAAS_KUBERNETES_UNREACHABLE"],
  ])("%i is %s", async (status, code) => {
    refuse(status, { kind: "Status", reason: "Why", message: "because" });
    await expect(api.get(THINGS, REF)).rejects.toMatchObject({
      status,
      code,
      reason: "Why",
      message: "get things a/one: because",
    });
  });

  test("say how long to wait", async () => {
    refuse(429, "slow down", { "retry-after": "7" });
    await expect(api.get(THINGS, REF)).rejects.toMatchObject({ retryAfterMs: 7000, message: /HTTP 429 slow down/ });
    refuse(500, { kind: "Status", message: "m", details: { retryAfterSeconds: 2 } });
    await expect(api.get(THINGS, REF)).rejects.toMatchObject({ retryAfterMs: 2000 });
  });

  test("what is no API server is not taken for one", async () => {
    refuse(200, "<html>log in</html>");
    await expect(api.get(THINGS, REF)).rejects.toMatchObject({ code: "KAAS_KUBERNETES_UNREACHABLE" });
  });
});

describe("no answer", () => {
  test.each([
    ["none at all", (): void => {}],
    ["half of one", (response: ServerResponse): void => void response.write('{"half":')],
  ])("%s is waited for no longer than was said", async (_, half) => {
    answer = half;
    const outcome = expect(api.get(THINGS, REF, { timeoutMs: 500 })).rejects.toMatchObject({
      code: "KAAS_KUBERNETES_UNREACHABLE",
      message: expect.stringMatching(/within 500 ms/),
    });
    await requested();
    // The head of the answer may be under way yet.
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => void setImmediate(resolve));
    await clock.run(500);
    await outcome;
  });

  test("a connection that breaks says so", async () => {
    answer = (_, request) => void request.socket.destroy();
    await expect(api.create(THINGS, OBJECT)).rejects.toMatchObject({ code: "KAAS_KUBERNETES_UNREACHABLE", status: 0 });
    expect(seen).toHaveLength(1);
  });

  test("a kept connection that was closed meanwhile costs a read nothing", async () => {
    await api.get(THINGS, REF);
    answer = (response, request) => {
      if (seen.length === 2) request.socket.destroy();
      else response.end(JSON.stringify(OBJECT));
    };
    expect(await api.get(THINGS, REF)).toEqual(OBJECT);
    expect(seen).toHaveLength(3);
  });

  test("a call ends with its signal, for the signal's reason", async () => {
    answer = () => {};
    const stopping = new AbortController();
    const outcome = expect(api.get(THINGS, REF, { signal: stopping.signal })).rejects.toThrow("enough");
    await requested();
    stopping.abort(new Error("enough"));
    await outcome;
    await expect(api.get(THINGS, REF, { signal: stopping.signal })).rejects.toThrow("enough");
  });

  test("without credentials nothing is sent", async () => {
    credentials = () => Promise.reject(new Error("the token file is gone"));
    await expect(api.get(THINGS, REF)).rejects.toMatchObject({
      code: "KAAS_KUBERNETES_UNREACHABLE",
      message: expect.stringContaining("the token file is gone"),
    });
    expect(seen).toEqual([]);
  });

  test("close ends what is under way, and refuses what comes", async () => {
    answer = () => {};
    const outcome = expect(api.get(THINGS, REF)).rejects.toMatchObject({ code: "KAAS_KUBERNETES_UNREACHABLE" });
    await requested();
    api.close();
    await outcome;
    await expect(api.get(THINGS, REF)).rejects.toMatchObject({ code: "KAAS_KUBERNETES_UNREACHABLE" });
  });
});

describe("watches", () => {
  const QUERY = { namespace: "a", resourceVersion: "5", timeoutSeconds: 60 };
  const lines = (...events: object[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join("");

  test("give events as they come, however the bytes are cut", async () => {
    const text = lines(
      { type: "ADDED", object: { ...OBJECT, name: "ä€😀" } },
      { type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } },
      { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired", message: "too old" } },
    );
    answer = (response) => {
      for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
      response.end();
    };
    const events = [];
    for await (const event of api.watch(THINGS, QUERY)) events.push(event);
    expect(events).toEqual([
      { type: "BOOKMARK", resourceVersion: "5" },
      { type: "ADDED", object: { ...OBJECT, name: "ä€😀" } },
      { type: "BOOKMARK", resourceVersion: "9" },
      { type: "ERROR", status: { code: 410, reason: "Expired", message: "too old" } },
    ]);
    expect(seen[0]?.line).toBe(
      "GET /prefix/apis/x.io/v1/namespaces/a/things?watch=true&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=60",
    );
  });

  test("are refused as other calls", async () => {
    refuse(410, { kind: "Status", reason: "Gone", message: "too old" });
    await expect(api.watch(THINGS, QUERY)[Symbol.asyncIterator]().next()).rejects.toMatchObject({ status: 410 });
  });

  test.each([
    ["break with their connection", (response: ServerResponse): void => void response.destroy()],
    ["do not take junk for an event", (response: ServerResponse): void => void response.end("junk\n")],
    ["do not take another object for an event", (response: ServerResponse): void => void response.end("{}\n")],
  ])("%s", async (_, end) => {
    answer = (response) => {
      response.writeHead(200).flushHeaders();
      setImmediate(() => end(response));
    };
    const iterator = api.watch(THINGS, QUERY)[Symbol.asyncIterator]();
    await iterator.next();
    await expect(iterator.next()).rejects.toMatchObject({ code: "KAAS_KUBERNETES_UNREACHABLE" });
  });

  test("may be silent for as long as they like once they are accepted, and end with their signal", async () => {
    answer = (response) => response.writeHead(200).flushHeaders();
    const stopping = new AbortController();
    const iterator = api.watch(THINGS, QUERY, { signal: stopping.signal })[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual({ type: "BOOKMARK", resourceVersion: "5" });
    const outcome = expect(iterator.next()).rejects.toThrow("enough");
    await clock.run(1_000_000);
    stopping.abort(new Error("enough"));
    await outcome;
  });

  test("that nobody reads any more are closed", async () => {
    let isClosed = false;
    answer = (response) => {
      response.once("close", () => {
        isClosed = true;
      });
      response.write(lines({ type: "ADDED", object: OBJECT }));
    };
    for await (const event of api.watch(THINGS, QUERY)) if (event.type === "ADDED") break;
    while (!isClosed) await new Promise((resolve) => void setImmediate(resolve));
  });
});
