import { once } from "node:events";
import { createServer, connect as connectPlain, type Socket } from "node:net";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Minted, type TestAuthority, testAuthority } from "../../../test/fakes/certificates.js";
import { RawClient, requestFrame } from "../../../test/fakes/raw-client.js";
import { type ServerHarness, served, startServer } from "../../../test/fakes/server-harness.js";
import { until } from "../../../test/fakes/until.js";
import { BrokerConfig } from "../../config/broker-config.js";
import { ListenerConfig } from "../../config/listener-config.js";
import { ServerCounter } from "../server-metrics.js";
import { tlsSettingsOf } from "./tls-settings.js";

const HEARTBEAT = 12;
const heartbeat = { groupId: "g", generationId: 0, memberId: "m" };

let authority: TestAuthority;
let foreign: TestAuthority;
let server: Minted;
let other: Minted;
let alice: Minted;
beforeAll(async () => {
  authority = await testAuthority();
  foreign = await testAuthority("CN=Foreign CA");
  server = await authority.issue("CN=broker");
  other = await authority.issue("CN=other broker");
  alice = await authority.issue("C=DE, O=Example\\, Inc., CN=alice");
});

let harness: ServerHarness;
let seen: string[];
let clients: (TLSSocket | Socket)[];
let files: Map<string, string>;

afterEach(async () => {
  for (const client of clients) client.destroy();
  await harness.close();
});

async function start(config: Record<string, string> = {}): Promise<void> {
  seen = [];
  clients = [];
  files = new Map([
    ["/keystore.pem", server.certificate + server.key],
    ["/truststore.pem", authority.certificate],
  ]);
  const brokerConfig = new BrokerConfig({
    "ssl.keystore.type": "PEM",
    "ssl.keystore.location": "/keystore.pem",
    "ssl.truststore.type": "PEM",
    "ssl.truststore.location": "/truststore.pem",
    ...config,
  });
  harness = await startServer({
    handlers: [
      served(HEARTBEAT, [0, 4], ({ connection }) => {
        seen.push(connection.principal.text);
        return { errorCode: 0 };
      }),
      served(3, [0, 12], () => ({
        brokers: Array.from({ length: 2_000 }, (_, nodeId) => ({ nodeId, host: "h".repeat(60), port: 1 })),
        topics: [],
      })),
    ],
    security: ({ name }) => ({ tls: tlsSettingsOf(new ListenerConfig(brokerConfig, name), false), sasl: undefined }),
    secretFiles: {
      read: (path) => {
        const content = files.get(path);
        return content === undefined ? Promise.reject(new Error(`no ${path}`)) : Promise.resolve(Buffer.from(content));
      },
    },
  });
}

async function secure(options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: "127.0.0.1", port: harness.port, ca: authority.certificate, ...options });
  clients.push(socket);
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  return socket;
}

async function principal(options: ConnectionOptions = {}): Promise<string | undefined> {
  const client = RawClient.over(await secure(options));
  client.request(HEARTBEAT, 0, 1, heartbeat);
  const answered = await client.frame();
  return answered === undefined ? undefined : seen.at(-1);
}

const credentials = ({ certificate, key }: Minted): ConnectionOptions => ({ cert: certificate, key });
const messages = (): string[] => harness.lines.map(({ message }) => message);
const peerName = (socket: TLSSocket): string => String(socket.getPeerCertificate().subject.CN);

describe("a TLS listener", () => {
  test("serves, by TLS 1.3 and 1.2, and knows nobody without a certificate", async () => {
    await start();
    expect(await principal()).toBe("User:ANONYMOUS");
    expect(await principal({ maxVersion: "TLSv1.2" })).toBe("User:ANONYMOUS");
    await expect(secure({ maxVersion: "TLSv1.1", minVersion: "TLSv1" })).rejects.toThrow();
  });

  test("takes the versions and ciphers that it is told to", async () => {
    await start({ "ssl.enabled.protocols": "TLSv1.2", "ssl.cipher.suites": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384" });
    const socket = await secure();
    expect(socket.getProtocol()).toBe("TLSv1.2");
    expect(socket.getCipher().standardName).toBe("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384");
    await expect(secure({ minVersion: "TLSv1.3" })).rejects.toThrow();
  });

  test("knows clients by their certificates, as Java writes the subject", async () => {
    await start({ "ssl.client.auth": "required" });
    expect(await principal(credentials(alice))).toBe("User:CN=alice,O=Example\\, Inc.,C=DE");
    expect(await principal()).toBeUndefined();
    expect(await principal(credentials(await foreign.issue("CN=mallory")))).toBeUndefined();
    expect(await principal(credentials(await authority.issue("CN=old", { expired: true })))).toBeUndefined();
    await until(() => harness.server.metrics.counters[ServerCounter.TLS_HANDSHAKES_FAILED] === 3);
    expect(messages()).toContainEqual(expect.stringMatching(/a TLS handshake failed/));
    expect(harness.server.metrics.openConnections).toBeLessThanOrEqual(1);
  });

  test("lets in who shows no certificate where one is requested, but not who shows a bad one", async () => {
    await start({ "ssl.client.auth": "requested", "ssl.principal.mapping.rules": "RULE:^CN=(.*?),O=.*$/$1/U" });
    expect(await principal()).toBe("User:ANONYMOUS");
    expect(await principal(credentials(alice))).toBe("User:ALICE");
    expect(await principal(credentials(await foreign.issue("CN=mallory,O=x")))).toBeUndefined();
    expect(await principal(credentials(await authority.issue("CN=nobody")))).toBeUndefined();
  });

  test("takes no plaintext", async () => {
    await start();
    const socket = connectPlain(harness.port, "127.0.0.1");
    clients.push(socket);
    const client = RawClient.over(socket);
    client.request(HEARTBEAT, 0, 1, heartbeat);
    await client.closed();
    expect(seen).toEqual([]);
    await until(() => messages().some((message) => /its bytes are no TLS/.test(message)));
  });

  test("shuts out who connects and says nothing, and does not wait for it at the end", async () => {
    await start();
    const socket = connectPlain(harness.port, "127.0.0.1");
    clients.push(socket);
    await once(socket, "connect");
    await until(() => harness.server.metrics.openConnections === 1);
    await harness.server.close(0);
    await until(() => harness.server.metrics.openConnections === 0);
  });

  test("ends handshakes that come to no end, silent ones and those that drip", async () => {
    await start();
    const silent = connectPlain(harness.port, "127.0.0.1");
    const dripping = connectPlain(harness.port, "127.0.0.1");
    clients.push(silent, dripping);
    for (const socket of [silent, dripping]) socket.on("error", () => undefined);
    dripping.write(Buffer.from("16030102000100", "hex"));
    await until(() => harness.server.metrics.openConnections === 2);
    for (let second = 0; second < 9; second++) {
      harness.clock.advance(1_000);
      dripping.write(Buffer.from([0]));
    }
    expect(harness.server.metrics.openConnections).toBe(2);
    harness.clock.advance(2_000);
    await until(() => harness.server.metrics.openConnections === 0);
    expect(messages()).toEqual(["a TLS handshake failed: it was not over within 10000 ms"]);
  });

  test("survives resets and rubbish at any moment", async () => {
    await start();
    const hello = Buffer.from("160301020001000001fc0303", "hex");
    for (let round = 0; round < 60; round++) {
      const socket = connectPlain(harness.port, "127.0.0.1");
      clients.push(socket);
      socket.on("error", () => undefined);
      await once(socket, "connect");
      const rubbish = Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 31 + round * 17) & 0xff));
      socket.write(round % 3 === 0 ? hello : round % 3 === 1 ? rubbish : Buffer.concat([hello, rubbish]));
      if (round % 2 === 0) socket.resetAndDestroy();
    }
    for (let round = 0; round < 10; round++) {
      const socket = await secure();
      socket.write(requestFrame(HEARTBEAT, 0, round, heartbeat).subarray(0, round * 3));
      if (round % 2 === 0) socket.destroy();
      else socket.end();
    }
    expect(await principal()).toBe("User:ANONYMOUS");
    for (const client of clients) client.destroy();
    await until(() => harness.server.metrics.openConnections === 0);
    expect(harness.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("a request in pieces, and one behind the end of what the client sends", async () => {
    await start();
    const socket = await secure({ allowHalfOpen: true } as ConnectionOptions);
    const client = RawClient.over(socket);
    const frame = requestFrame(HEARTBEAT, 0, 1, heartbeat);
    for (const byte of frame) {
      socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await client.frame()).toBeDefined();
    socket.end(frame);
    await until(() => seen.length === 2);
    await client.closed();
  });

  test("sends few large records, however many pieces an answer has", async () => {
    await start();
    const { port, records, close } = await recordCounter(harness.port);
    const socket = connect({ host: "127.0.0.1", port, ca: authority.certificate });
    clients.push(socket);
    await once(socket, "secureConnect");
    const client = RawClient.over(socket);
    client.request(HEARTBEAT, 0, 0, heartbeat);
    await client.frame();
    const before = records.length;
    for (let id = 1; id <= 4; id++) client.request(3, 1, id, { topics: [] });
    let bytes = 0;
    for (let id = 1; id <= 4; id++) bytes += ((await client.frame())?.length ?? 0) + 4;
    const sent = records.slice(before);
    expect(bytes).toBeGreaterThan(500_000);
    expect(sent.length).toBeLessThanOrEqual(Math.ceil(bytes / 16_384) + 8);
    await close();
  });
});

/** A proxy that notes the lengths of the TLS records which come from the server. */
async function recordCounter(target: number) {
  const records: number[] = [];
  const sockets: Socket[] = [];
  const proxy = createServer((client) => {
    const upstream = connectPlain(target, "127.0.0.1");
    sockets.push(client, upstream);
    let rest = Buffer.alloc(0);
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
    upstream.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 5 && rest.length >= 5 + rest.readUInt16BE(3)) {
        records.push(rest.readUInt16BE(3));
        rest = rest.subarray(5 + rest.readUInt16BE(3));
      }
      client.write(chunk);
    });
    client.on("data", (chunk: Buffer) => upstream.write(chunk));
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address() as { port: number };
  return {
    port: address.port,
    records,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

describe("certificates", () => {
  const reloaded = async (): Promise<void> => {
    harness.clock.advance(5_000);
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
  };

  test("are taken anew when their files change; connections go on", async () => {
    await start();
    const old = await secure();
    expect(peerName(old)).toBe("broker");
    files.set("/keystore.pem", other.certificate + other.key);
    await reloaded();
    expect(peerName(await secure())).toBe("other broker");
    const client = RawClient.over(old);
    client.request(HEARTBEAT, 0, 1, heartbeat);
    expect(await client.frame()).toBeDefined();
    expect(messages()).toEqual(["certificates have changed; new connections are made with the new ones"]);
  });

  test("that cannot be used are named once, without their keys, and change nothing", async () => {
    await start();
    for (const broken of [
      "rubbish",
      server.certificate,
      server.certificate + other.key,
      server.certificate.replace(/\n.{20}/, "\nAAAAAAAAAAAAAAAAAAAA") + server.key,
    ]) {
      files.set("/keystore.pem", broken);
      await reloaded();
      await reloaded();
      expect(peerName(await secure())).toBe("broker");
    }
    files.delete("/keystore.pem");
    await reloaded();
    expect(messages()).toEqual(Array(5).fill("new certificates cannot be used; those from before stay in use"));
    expect(JSON.stringify(harness.lines)).not.toContain("PRIVATE KEY");
    files.set("/keystore.pem", other.certificate + other.key);
    await reloaded();
    expect(peerName(await secure())).toBe("other broker");
  });

  test("of clients are judged by the authorities of the moment, whatever session they bring", async () => {
    await start({ "ssl.client.auth": "required" });
    const socket = await secure(credentials(alice));
    const session = once(socket, "session");
    const client = RawClient.over(socket);
    client.request(HEARTBEAT, 0, 1, heartbeat);
    await client.frame();
    const [ticket] = (await session) as [Buffer];
    files.set("/truststore.pem", foreign.certificate);
    await reloaded();
    expect(await principal({ ...credentials(alice), session: ticket })).toBeUndefined();
    expect(await principal(credentials(await foreign.issue("CN=alice")))).toBe("User:CN=alice");
  });

  test("may stand in the configuration itself, on one line", async () => {
    const inline = (pem: string): string => pem.trim().replaceAll("\n", " ");
    seen = [];
    clients = [];
    const brokerConfig = new BrokerConfig({
      "listener.name.plaintext.ssl.keystore.type": "PEM",
      "listener.name.plaintext.ssl.keystore.certificate.chain": inline(server.certificate),
      "listener.name.plaintext.ssl.keystore.key": inline(server.key),
    });
    const settings = tlsSettingsOf(new ListenerConfig(brokerConfig, "PLAINTEXT"), false);
    harness = await startServer({ security: () => ({ tls: settings, sasl: undefined }) });
    expect(peerName(await secure())).toBe("broker");
  });

  test("that are wrong stop the start", async () => {
    await start();
    const settings = tlsSettingsOf(
      new ListenerConfig(new BrokerConfig({ "ssl.keystore.type": "PEM", "ssl.keystore.location": "/none" }), "X"),
      false,
    );
    const security = () => ({ tls: settings, sasl: undefined });
    const secretFiles = { read: () => Promise.reject(new Error("no such file")) };
    await expect(startServer({ security, secretFiles })).rejects.toMatchObject({
      code: "KAAS_CONFIG_INVALID",
      message: "listener PLAINTEXT: a certificate or key cannot be read: no such file",
    });
  });
});
