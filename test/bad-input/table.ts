import { readFileSync } from "node:fs";
import { ErrorCode } from "../../packages/kaas-core/src/errors/error-codes.js";
import type { ApiVersionsResponse, HeartbeatResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import { framed, RawClient, requestFrame } from "../../packages/kaas-core/test/fakes/raw-client.js";
import type { Report } from "./report.js";

const PRODUCE = 0;
const HEARTBEAT = 12;
const API_VERSIONS = 18;
const LOG_PATIENCE_MS = 60_000;

/** A request that any broker answers. */
const ping = (correlationId: number): Buffer => requestFrame(API_VERSIONS, 0, correlationId, {});

/** A request header of version 1 without a client id. */
function header(apiKey: number, apiVersion: number, correlationId = 7): Buffer {
  const bytes = Buffer.alloc(10);
  bytes.writeInt16BE(apiKey);
  bytes.writeInt16BE(apiVersion, 2);
  bytes.writeInt32BE(correlationId, 4);
  bytes.writeInt16BE(-1, 8);
  return bytes;
}

function length(size: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(size);
  return bytes;
}

function expect(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what} is ${String(actual)}, not ${String(expected)}`);
}

/** What closes a connection, and what the log then says of the address it came from. */
const CLOSING: readonly (readonly [name: string, bytes: Buffer, logged: string])[] = [
  ["a negative frame length", length(-1), "a frame length of -1"],
  ["a frame length over socket.request.max.bytes", length(104_857_601), "socket.request.max.bytes"],
  ["an HTTP request", Buffer.from("GET / HTTP/1.1\r\nHost: kafka\r\n\r\n"), "an HTTP request"],
  ["a TLS handshake", Buffer.from("16030100a5010000a10303", "hex"), "a TLS handshake"],
  ["an empty frame", length(0), "no request header"],
  ["an unknown API key", framed(header(999, 0)), "API key 999"],
  ["an API of the controller", framed(header(52, 0)), "API key 52"],
  ["a header that is cut off", framed(header(API_VERSIONS, 0).subarray(0, 9)), "header cannot be read"],
  ["a version without a schema", framed(header(HEARTBEAT, -2)), "no version -2"],
  ["a malformed request whose response has no place for an error", framed(header(PRODUCE, 3)), "Produce 3"],
];

/** The rows of bad input that concern frames and headers, each over a connection, and an address, of its own. */
export class Table {
  readonly #port: number;
  readonly #logFile: string;
  readonly #report: Report;
  #address = 0;

  constructor(port: number, logFile: string, report: Report) {
    this.#port = port;
    this.#logFile = logFile;
    this.#report = report;
  }

  async run(): Promise<void> {
    for (const [name, bytes, logged] of CLOSING) {
      await this.#report.attempt(`${name} closes the connection, and the log says why`, () =>
        this.#closes(bytes, logged),
      );
    }
    await this.#report.attempt("an address is logged once, however often it offends", () => this.#loggedOnce());
    for (const version of [99, -1]) {
      await this.#report.attempt(`ApiVersions ${version} is answered in version 0 with UNSUPPORTED_VERSION`, () =>
        this.#unsupportedApiVersions(version),
      );
    }
    await this.#report.attempt("a version that is known and not served is answered with UNSUPPORTED_VERSION", () =>
      this.#unsupportedVersion(),
    );
    const malformed = Buffer.concat([header(HEARTBEAT, 0), Buffer.from([0x7f, 0xff, 1])]);
    await this.#report.attempt("a malformed body is answered with INVALID_REQUEST", () =>
      this.#answered(malformed, ErrorCode.INVALID_REQUEST),
    );
    const trailing = { groupId: "g", generationId: 0, memberId: "m" };
    const tooLong = Buffer.concat([requestFrame(HEARTBEAT, 0, 7, trailing).subarray(4), Buffer.from([0])]);
    await this.#report.attempt("bytes behind a request are passed over, as librdkafka needs it", () =>
      this.#answered(tooLong, ErrorCode.UNKNOWN_MEMBER_ID),
    );
  }

  async #connect(): Promise<{ client: RawClient; address: string }> {
    const address = `127.0.9.${++this.#address}`; // all of 127/8 is this machine's
    return { client: await RawClient.connect(this.#port, "127.0.0.1", address), address };
  }

  /** What comes first is answered, then comes the end; others are served as before. */
  async #closes(bytes: Buffer, logged: string): Promise<void> {
    const { client, address } = await this.#connect();
    if (bytes[0] !== 0x16 && bytes[0] !== 0x47) {
      client.send(ping(1));
      expect("the answer before", (await client.answer(API_VERSIONS, 0)).correlationId, 1);
    }
    client.send(bytes, ping(2));
    await client.closed();
    expect("answers after", client.frames.length, 0);
    await this.#expectLogged(address, logged);
    const { client: other } = await this.#connect();
    other.send(ping(3));
    expect("another's answer", (await other.answer(API_VERSIONS, 0)).correlationId, 3);
    other.close();
  }

  async #loggedOnce(): Promise<void> {
    const { client: first, address } = await this.#connect();
    first.send(length(-1));
    await first.closed();
    for (let times = 0; times < 10; times++) {
      const client = await RawClient.connect(this.#port, "127.0.0.1", address);
      client.send(length(-1));
      await client.closed();
    }
    await this.#expectLogged(address, "a frame length of -1");
    expect("log lines", this.#logLines(address).length, 1);
  }

  async #unsupportedApiVersions(version: number): Promise<void> {
    const { client } = await this.#connect();
    client.send(framed(Buffer.concat([header(API_VERSIONS, version), Buffer.from([0, 1, 2])])));
    const { correlationId, response } = await client.answer<ApiVersionsResponse>(API_VERSIONS, 0);
    expect("the correlation id", correlationId, 7);
    expect("the error", response.errorCode, ErrorCode.UNSUPPORTED_VERSION);
    const own = response.apiKeys.find(({ apiKey }) => apiKey === API_VERSIONS);
    expect("the newest version", (own?.maxVersion ?? 0) >= 4, true);
    await this.#expectAlive(client);
  }

  async #unsupportedVersion(): Promise<void> {
    const { client } = await this.#connect();
    const topicData = [{ name: "t", partitionData: [{ index: 0, records: null }] }];
    client.request(PRODUCE, 2, 7, { acks: 1, timeoutMs: 1, topicData });
    const { response } = await client.answer<{ responses: { partitionResponses: { errorCode: number }[] }[] }>(
      PRODUCE,
      2,
    );
    expect("the error", response.responses[0]?.partitionResponses[0]?.errorCode, ErrorCode.UNSUPPORTED_VERSION);
    await this.#expectAlive(client);
  }

  async #answered(body: Buffer, errorCode: ErrorCode): Promise<void> {
    const { client } = await this.#connect();
    client.send(framed(body));
    const { correlationId, response } = await client.answer<HeartbeatResponse>(HEARTBEAT, 0);
    expect("the correlation id", correlationId, 7);
    expect("the error", response.errorCode, errorCode);
    await this.#expectAlive(client);
  }

  async #expectAlive(client: RawClient): Promise<void> {
    client.send(ping(8));
    expect("the answer after", (await client.answer(API_VERSIONS, 0)).correlationId, 8);
    client.close();
  }

  #logLines(address: string): string[] {
    return readFileSync(this.#logFile, "utf8")
      .split("\n")
      .filter((line) => line.includes(`${address}"`));
  }

  /** The log is written by another process, a little later. */
  async #expectLogged(address: string, text: string): Promise<void> {
    const until = performance.now() + LOG_PATIENCE_MS;
    while (!this.#logLines(address).some((line) => line.includes(text))) {
      if (performance.now() > until) throw new Error(`the log says nothing of "${text}" from ${address}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
