import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeAcls } from "../../test/fakes/fake-acls.js";
import { FakeCredentials } from "../../test/fakes/fake-credentials.js";
import { framed, type RawClient } from "../../test/fakes/raw-client.js";
import { ScramClient } from "../../test/fakes/scram-client.js";
import { type ServerHarness, served, startServer } from "../../test/fakes/server-harness.js";
import { until } from "../../test/fakes/until.js";
import { saslHandshake } from "../api/17-sasl-handshake.js";
import { saslAuthenticate } from "../api/36-sasl-authenticate.js";
import { BrokerConfig } from "../config/broker-config.js";
import type { SaslAuthenticateResponse, SaslHandshakeResponse } from "../messages/generated/index.js";
import { SaslListeners } from "../security/sasl/sasl-listeners.js";
import { ServerCounter } from "./server-metrics.js";

const HANDSHAKE = 17;
const API_VERSIONS = 18;
const AUTHENTICATE = 36;
const HEARTBEAT = 12;
const METADATA = 3;
const heartbeat = { groupId: "g", generationId: 0, memberId: "m" };
const DELAY_MS = 100;

let harness: ServerHarness;
let credentials: FakeCredentials;
let acls: FakeAcls;
let seen: string[];
let client: RawClient;

/** A listener with SASL, whose only other API tells who asked. */
async function start(config: Record<string, string> = {}): Promise<void> {
  const brokerConfig = new BrokerConfig({ "sasl.enabled.mechanisms": "SCRAM-SHA-256,SCRAM-SHA-512", ...config });
  let nonces = 0;
  const random = { uuid: () => `nonce${++nonces}`, integer: () => 0 };
  const sasl = new SaslListeners(brokerConfig, credentials, acls, random);
  harness = await startServer({
    handlers: [
      saslHandshake,
      saslAuthenticate,
      served(HEARTBEAT, [0, 4], ({ connection }) => {
        seen.push(connection.principal.text);
        return { errorCode: 0 };
      }),
      served(METADATA, [0, 12], () => ({ brokers: [], topics: [] })),
    ],
    security: ({ name }) => ({ tls: undefined, sasl: sasl.listener(name, true) }),
  });
  client = await harness.connect();
}

beforeEach(async () => {
  seen = [];
  credentials = new FakeCredentials();
  acls = new FakeAcls();
  await credentials.set("alice", "secret");
  await credentials.set("bob", "secret");
});

afterEach(() => harness.close());

let correlationId = 0;

async function ask<Response>(apiKey: number, version: number, request: unknown): Promise<Response> {
  client.request(apiKey, version, ++correlationId, request);
  const { response, correlationId: answered } = await client.answer<Response>(apiKey, version);
  expect(answered).toBe(correlationId);
  return response;
}

const choose = (mechanism: string, version = 1): Promise<SaslHandshakeResponse> =>
  ask(HANDSHAKE, version, { mechanism });
const say = (authBytes: Buffer, version = 2): Promise<SaslAuthenticateResponse> =>
  ask(AUTHENTICATE, version, { authBytes });

async function logIn(user = "alice", password = "secret", mechanism = "SCRAM-SHA-512", version = 2) {
  expect(await choose(mechanism)).toMatchObject({ errorCode: 0 });
  const scram = new ScramClient(mechanism, user, password);
  const challenge = await say(scram.first(), version);
  expect(challenge).toMatchObject({ errorCode: 0, sessionLifetimeMs: 0 });
  const { message, signature } = scram.final(challenge.authBytes);
  const answer = client.frames.length;
  expect(answer).toBe(0);
  client.request(AUTHENTICATE, version, ++correlationId, { authBytes: message });
  return { signature, answer: () => client.answer<SaslAuthenticateResponse>(AUTHENTICATE, version) };
}

/** Lets the time pass after which a failure is answered. */
async function failureDelay(pending: number): Promise<void> {
  await until(() => harness.clock.pending > pending);
  expect(client.frames).toHaveLength(0);
  harness.clock.advance(DELAY_MS);
}

async function closedSaying(reason: RegExp): Promise<void> {
  await client.closed();
  expect(harness.lines.map(({ message }) => message)).toContainEqual(expect.stringMatching(reason));
}

describe("a login", () => {
  test("makes the client who it is, and everything else is served from then on", async () => {
    await start();
    expect(await ask(API_VERSIONS, 3, { clientSoftwareName: "x", clientSoftwareVersion: "1" })).toMatchObject({
      errorCode: 0,
    });
    const { signature, answer } = await logIn();
    const { response } = await answer();
    expect(response).toMatchObject({ errorCode: 0, errorMessage: "", sessionLifetimeMs: 0 });
    expect(String(response.authBytes)).toBe(signature);
    await ask(HEARTBEAT, 0, heartbeat);
    expect(seen).toEqual(["User:alice"]);
    expect(await say(Buffer.from("x"))).toMatchObject({
      errorCode: 34,
      errorMessage: "SaslAuthenticate request received after successful authentication",
    });
  });

  test("is of the users, and by the ACLs, that there are when it begins, whoever has written them", async () => {
    await start();
    credentials.changedElsewhere = () => credentials.set("carol", "new");
    const refreshed = vi.spyOn(acls, "refresh");
    const { answer } = await logIn("carol", "new");
    expect((await answer()).response).toMatchObject({ errorCode: 0 });
    expect(refreshed).toHaveBeenCalledTimes(1);
  });

  test.each([
    ["alice", "wrong"],
    ["nobody", "secret"],
  ])("of %s with the password %s fails late, in the same words, and ends the connection", async (user, password) => {
    await start();
    const pending = harness.clock.pending;
    const { answer } = await logIn(user, password);
    await failureDelay(pending);
    const { response } = await answer();
    expect(response).toMatchObject({
      errorCode: 58,
      errorMessage:
        "Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512",
      sessionLifetimeMs: 0,
    });
    expect(response.authBytes).toHaveLength(0);
    await closedSaying(/authentication by SCRAM-SHA-512 failed/);
    expect(harness.server.metrics.counters[ServerCounter.AUTHENTICATIONS_FAILED]).toBe(1);
  });

  test("by a mechanism that is not enabled is answered with those that are, late, and the connection ends", async () => {
    await start();
    const pending = harness.clock.pending;
    const answer = choose("PLAIN");
    await failureDelay(pending);
    expect(await answer).toEqual({ errorCode: 33, mechanisms: ["SCRAM-SHA-256", "SCRAM-SHA-512"] });
    await closedSaying(/"PLAIN" is not enabled/);
  });

  test("of an old client comes in frames without headers", async () => {
    await start();
    expect(await choose("SCRAM-SHA-256", 0)).toMatchObject({ errorCode: 0 });
    const scram = new ScramClient("SCRAM-SHA-256", "alice", "secret");
    client.send(framed(scram.first()));
    const { message, signature } = scram.final((await client.frame()) ?? Buffer.alloc(0));
    client.send(framed(message));
    expect(String(await client.frame())).toBe(signature);
    await ask(HEARTBEAT, 0, heartbeat);
    expect(seen).toEqual(["User:alice"]);
  });

  test("of an old client that fails ends without an answer", async () => {
    await start();
    await choose("SCRAM-SHA-256", 0);
    const pending = harness.clock.pending;
    client.send(framed(Buffer.from("n,,n=alice")));
    await failureDelay(pending);
    await closedSaying(/malformed/);
    expect(client.frames).toHaveLength(0);
  });

  test("by PLAIN of an old client, whose answer is empty", async () => {
    await start({ "sasl.enabled.mechanisms": "PLAIN" });
    await choose("PLAIN", 0);
    client.send(framed(Buffer.from("\0alice\0secret")));
    expect(await client.frame()).toHaveLength(0);
    await ask(HEARTBEAT, 0, heartbeat);
    expect(seen).toEqual(["User:alice"]);
  });

  test("may take a while, but not for ever", async () => {
    await start();
    await choose("SCRAM-SHA-256");
    harness.clock.advance(29_000);
    expect(client.isClosed).toBe(false);
    harness.clock.advance(2_000);
    await closedSaying(/no login within 30000 ms/);
  });
});

describe("before a login", () => {
  test.each([
    [METADATA, { topics: [] }],
    [HEARTBEAT, heartbeat],
    [AUTHENTICATE, { authBytes: Buffer.from("n,,n=alice,r=abc") }],
    [77, undefined],
  ])("a request of API key %i ends the connection unanswered", async (apiKey, request) => {
    await start();
    if (request === undefined) client.send(framed(Buffer.from([0, apiKey, 0, 0, 0, 0, 0, 1, 0xff, 0xff])));
    else client.request(apiKey, 0, 1, request);
    await closedSaying(/before the SASL handshake/);
    expect(client.frames).toHaveLength(0);
    expect(seen).toEqual([]);
  });

  test("and behind the handshake, it is answered with ILLEGAL_SASL_STATE", async () => {
    await start();
    await choose("SCRAM-SHA-512");
    expect(await ask(HEARTBEAT, 0, heartbeat)).toMatchObject({ errorCode: 34 });
    await closedSaying(/during SASL authentication/);
    expect(seen).toEqual([]);
  });

  test("what was sent along with a login that fails is not handled", async () => {
    await start();
    await choose("SCRAM-SHA-512");
    const pending = harness.clock.pending;
    client.request(AUTHENTICATE, 1, 1, { authBytes: Buffer.from("nonsense") });
    client.request(HEARTBEAT, 0, 2, heartbeat);
    await failureDelay(pending);
    expect((await client.answer<SaslAuthenticateResponse>(AUTHENTICATE, 1)).response.errorCode).toBe(58);
    await client.closed();
    expect(client.frames).toHaveLength(0);
    expect(seen).toEqual([]);
  });

  test("a frame is no larger than a login needs", async () => {
    await start();
    client.send(Buffer.from([0, 8, 0, 1]));
    await closedSaying(/a frame of 524289 bytes/);
  });

  test("without SASL, both APIs are out of place", async () => {
    harness = await startServer({ handlers: [saslHandshake, saslAuthenticate] });
    client = await harness.connect();
    expect(await choose("PLAIN")).toEqual({ errorCode: 34, mechanisms: [] });
    expect(await say(Buffer.from("x"))).toMatchObject({ errorCode: 34 });
  });
});

describe("a session", () => {
  const LIFETIME = { "connections.max.reauth.ms": "60000" };

  test("is renewed in place, by the same user and mechanism", async () => {
    await start(LIFETIME);
    const { answer } = await logIn();
    expect((await answer()).response.sessionLifetimeMs).toBe(60_000);
    harness.clock.jump(59_000);
    const renewal = await logIn();
    expect((await renewal.answer()).response).toMatchObject({ errorCode: 0, sessionLifetimeMs: 60_000 });
    harness.clock.jump(59_000);
    await ask(HEARTBEAT, 0, heartbeat);
    expect(seen).toEqual(["User:alice"]);
  });

  test("that has ended may still be renewed, and serves nothing else", async () => {
    await start(LIFETIME);
    await (await logIn()).answer();
    harness.clock.jump(61_000);
    await (await logIn()).answer();
    await ask(HEARTBEAT, 0, heartbeat);
    harness.clock.jump(61_000);
    client.request(HEARTBEAT, 0, 9, heartbeat);
    await closedSaying(/the session has ended/);
    expect(seen).toHaveLength(1);
  });

  test("is not renewed by somebody else", async () => {
    await start(LIFETIME);
    await (await logIn()).answer();
    harness.clock.jump(2_000);
    const pending = harness.clock.pending;
    const { answer } = await logIn("bob");
    await failureDelay(pending);
    expect((await answer()).response).toMatchObject({
      errorCode: 58,
      errorMessage: "Cannot change principals during re-authentication from User.alice: User.bob",
    });
    await closedSaying(/cannot be renewed by another user/);
  });

  test("is not renewed by another mechanism", async () => {
    await start(LIFETIME);
    await (await logIn()).answer();
    harness.clock.jump(2_000);
    const pending = harness.clock.pending;
    const answer = choose("SCRAM-SHA-256");
    await failureDelay(pending);
    expect(await answer).toMatchObject({ errorCode: 33 });
    await closedSaying(/cannot be renewed by SCRAM-SHA-256/);
  });

  test("is not renewed twice within a second", async () => {
    await start(LIFETIME);
    await (await logIn()).answer();
    await (await logIn()).answer();
    expect(await choose("SCRAM-SHA-512")).toEqual({ errorCode: 34, mechanisms: [] });
    await ask(HEARTBEAT, 0, heartbeat);
  });

  test("while it is being renewed, nothing else is served", async () => {
    await start(LIFETIME);
    await (await logIn()).answer();
    harness.clock.jump(2_000);
    await choose("SCRAM-SHA-512");
    expect(await ask(HEARTBEAT, 0, heartbeat)).toMatchObject({ errorCode: 34 });
    await client.closed();
    expect(seen).toEqual([]);
  });

  test("a listener's mechanism may have a lifetime of its own, and version 0 does not tell it", async () => {
    await start({ "listener.name.plaintext.scram-sha-512.connections.max.reauth.ms": "5000" });
    const { answer } = await logIn("alice", "secret", "SCRAM-SHA-512", 0);
    expect((await answer()).response.errorCode).toBe(0);
    harness.clock.jump(5_001);
    client.request(HEARTBEAT, 0, 9, heartbeat);
    await closedSaying(/the session has ended/);
  });
});
