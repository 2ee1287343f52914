import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "node:net";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Minted, type TestAuthority, testAuthority } from "../../../packages/kaas-core/test/fakes/certificates.js";
import { temporaryDirectory } from "./disk-volume.js";
import { type RunningBroker, startBroker } from "./running-broker.js";
import { answering, standIn } from "./stand-in-broker.js";
import { testSurroundings } from "./test-surroundings.js";
import { runKaasctl } from "../src/run.js";

const folder = temporaryDirectory();
let authority: TestAuthority;
let alice: Minted;
let secured: RunningBroker;

beforeAll(async () => {
  authority = await testAuthority();
  alice = await authority.issue("CN=alice");
  const { certificate, key } = await authority.issue("CN=broker");
  writeFileSync(join(folder.path, "ca.pem"), authority.certificate);
  writeFileSync(join(folder.path, "alice.pem"), `${alice.certificate}\n${alice.key}`);
  secured = await startBroker(
    {
      "ssl.keystore.type": "PEM",
      "ssl.keystore.certificate.chain": certificate,
      "ssl.keystore.key": key,
      "ssl.truststore.type": "PEM",
      "ssl.truststore.certificates": authority.certificate,
      "listener.name.mutual.ssl.client.auth": "required",
      "sasl.enabled.mechanisms": "SCRAM-SHA-256,SCRAM-SHA-512,PLAIN",
      "listener.name.login.plain.sasl.jaas.config":
        'org.apache.kafka.common.security.plain.PlainLoginModule required user_carl="simple";',
      "listener.name.clear.sasl.enabled.mechanisms": "SCRAM-SHA-512",
      "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
      "super.users": "User:admin;User:carl;User:CN=alice",
    },
    [
      { name: "LOGIN", host: "127.0.0.1", port: 0, protocol: "SASL_SSL" },
      { name: "ELSEWHERE", host: "127.0.0.2", port: 0, protocol: "SASL_SSL" },
      { name: "MUTUAL", host: "127.0.0.1", port: 0, protocol: "SSL" },
      { name: "CLEAR", host: "127.0.0.1", port: 0, protocol: "SASL_PLAINTEXT" },
    ],
  );
  await secured.addUser("admin", "secret", "SCRAM-SHA-256");
  await secured.addUser("limited", "little");
  await secured.volume.topics.create("orders", 2, {});
  await secured.volume.topics.create("payments", 1, {});
  const describe = { operation: "DESCRIBE", permission: "ALLOW", principal: "User:limited", host: "*" } as const;
  const added = [{ ...describe, resourceType: "TOPIC", patternType: "LITERAL", resourceName: "orders" } as const];
  await secured.volume.acls.changeAcls({ added, removed: [] }, 1_000);
}, 120_000);

afterAll(async () => {
  await secured.close();
  folder.remove();
});

interface Outcome {
  readonly code: number;
  readonly text: string;
  readonly errors: string;
}

async function run(args: readonly string[], address: string, config: readonly string[] = []): Promise<Outcome> {
  const path = join(folder.path, "client.properties");
  writeFileSync(path, config.join("\n"));
  const { surroundings, text, errors } = testSurroundings();
  const settings = config.length === 0 ? [] : ["--command-config", path];
  const code = await runKaasctl([...args, "--bootstrap-server", address, ...settings], surroundings);
  return { code, text: text(), errors: errors() };
}

const BROKERS = ["brokers", "-o", "json"];
const trust = (): string[] => ["ssl.truststore.type=PEM", `ssl.truststore.location=${join(folder.path, "ca.pem")}`];
const scram = (user: string, password: string, mechanism = "SCRAM-SHA-512"): string[] => [
  `sasl.mechanism=${mechanism}`,
  `sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="${user}" password="${password}";`,
];
const overTls = (...login: string[]): string[] => ["security.protocol=SASL_SSL", ...trust(), ...login];

describe("a listener with TLS and logins", () => {
  test("lets in who knows the password, by SCRAM and by PLAIN", async () => {
    const address = secured.address("LOGIN");
    const bySha256 = await run(BROKERS, address, overTls(...scram("admin", "secret", "SCRAM-SHA-256")));
    expect(bySha256).toMatchObject({ code: 0, errors: "" });
    expect(JSON.parse(bySha256.text)).toMatchObject([{ nodeId: 7, partitions: 3 }]);
    const plain =
      'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="carl" password="simple";';
    expect(await run(["user", "ls"], address, overTls("sasl.mechanism=PLAIN", plain))).toMatchObject({
      code: 0,
      text: expect.stringMatching(/admin +SCRAM-SHA-256[^]*limited +SCRAM-SHA-512/),
    });
  });

  test("keeps others out, and it is said why", async () => {
    const wrong = await run(BROKERS, secured.address("LOGIN"), overTls(...scram("limited", "wrong")));
    expect(wrong).toMatchObject({ code: 1, text: "" });
    expect(wrong.errors).toMatch(/^kaasctl: 127\.0\.0\.1:\d+: it does not let limited in: .*; see sasl\.jaas\.config/);
    const clear = ["security.protocol=SASL_PLAINTEXT", ...scram("admin", "secret", "SCRAM-SHA-256")];
    expect((await run(BROKERS, secured.address("CLEAR"), clear)).errors).toMatch(
      /it takes no logins by SCRAM-SHA-256 \(UNSUPPORTED_SASL_MECHANISM\); it takes SCRAM-SHA-512\n/,
    );
    expect((await run(BROKERS, secured.address("CLEAR"))).errors).toMatch(/does that listener want a login\?/);
  });

  test("has to be trusted, and called by a name of its certificate", async () => {
    const address = secured.address("LOGIN");
    const login = scram("limited", "little");
    const untrusted = await run(BROKERS, address, ["security.protocol=SASL_SSL", ...login]);
    expect(untrusted).toMatchObject({ code: 1, errors: expect.stringContaining("comes from nobody who is trusted") });
    const elsewhere = secured.address("ELSEWHERE");
    const misnamed = await run(BROKERS, elsewhere, overTls(...login));
    expect(misnamed).toMatchObject({ code: 1, errors: expect.stringContaining("certificate is for other names") });
    const unchecked = overTls(...login, "ssl.endpoint.identification.algorithm=");
    expect((await run(BROKERS, elsewhere, unchecked)).code).toBe(0);
    expect((await run(BROKERS, address.replace("127.0.0.1", "localhost"), overTls(...login))).code).toBe(0);
  });

  test("knows a client by its certificate, and misses it where there is none", async () => {
    const address = secured.address("MUTUAL");
    const key = ["ssl.keystore.type=PEM", `ssl.keystore.location=${join(folder.path, "alice.pem")}`];
    expect(await run(BROKERS, address, ["security.protocol=SSL", ...trust(), ...key])).toMatchObject({ code: 0 });
    const without = await run(BROKERS, address, ["security.protocol=SSL", ...trust()]);
    expect([without.code, without.errors]).toEqual([
      1,
      expect.stringMatching(/certificate of this client|client's cert/),
    ]);
  });

  test("is told from one without TLS, both ways", async () => {
    expect((await run(BROKERS, secured.address("LOGIN"))).errors).toMatch(/it speaks TLS|does that listener want TLS/);
    const login = overTls(...scram("limited", "little"));
    expect((await run(BROKERS, secured.address("CLEAR"), login)).errors).toMatch(/TLS/);
  });

  test("a key that does not belong to its certificate is wrong usage", async () => {
    const other = await authority.issue("CN=other");
    writeFileSync(join(folder.path, "mixed.pem"), `${alice.certificate}\n${other.key}`);
    const key = ["ssl.keystore.type=PEM", `ssl.keystore.location=${join(folder.path, "mixed.pem")}`];
    expect(await run(BROKERS, secured.address("MUTUAL"), ["security.protocol=SSL", ...key])).toMatchObject({
      code: 2,
      errors: expect.stringContaining("certificates and keys of --command-config cannot be used"),
    });
  });
});

describe("a user with few rights", () => {
  const limited = (...args: string[]): Promise<Outcome> =>
    run(args, secured.address("CLEAR"), ["security.protocol=SASL_PLAINTEXT", ...scram("limited", "little")]);

  test("sees what it may, and is told what is left out", async () => {
    const { code, text, errors } = await limited("topic", "ls", "-o", "json");
    expect([code, JSON.parse(text)]).toEqual([
      0,
      [{ name: "orders", id: expect.any(String), partitions: 2, sizeBytes: null, overrides: null }],
    ]);
    expect(errors).toContain("kaasctl: sizes are not shown: CLUSTER_AUTHORIZATION_FAILED");
    expect(errors).toContain("kaasctl: configurations are not all shown: the user needs DESCRIBE_CONFIGS");
    expect((await limited("topic", "describe", "orders")).text).toMatch(/config +-\n/);
    expect((await limited("assignment", "show", "orders")).errors).toContain(
      "where partitions are moving to is not shown",
    );
  });

  test.for<[string, readonly string[]]>([
    ["topic payments is not shown: TOPIC_AUTHORIZATION_FAILED", ["topic", "describe", "payments"]],
    ["GROUP_AUTHORIZATION_FAILED", ["offsets", "show", "readers"]],
    ["users are not shown: CLUSTER_AUTHORIZATION_FAILED", ["user", "ls"]],
    ["ACLs are not shown: CLUSTER_AUTHORIZATION_FAILED", ["acl", "ls"]],
  ])("%s", async ([message, args]) => {
    expect(await limited(...args)).toMatchObject({ code: 1, text: "", errors: expect.stringContaining(message) });
  });
});

describe("what is no broker, or no good one", () => {
  /** Runs against a server that does this with every connection. */
  async function against(serve: Parameters<typeof standIn>[0], settings: string[] = []): Promise<Outcome> {
    const server = await standIn(serve);
    try {
      return await run(BROKERS, server.address, settings);
    } finally {
      await server.close();
    }
  }

  test("nobody there", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, "close");
    const { code, errors } = await run(BROKERS, `127.0.0.1:${port}`);
    expect([code, errors]).toEqual([
      1,
      `kaasctl: cannot reach 127.0.0.1:${port}: connection refused; does a broker listen there?\n`,
    ]);
    const both = await run(BROKERS, `127.0.0.1:${port},${secured.address("CLEAR")}`, [
      "security.protocol=SASL_PLAINTEXT",
      ...scram("limited", "little"),
    ]);
    expect(both).toMatchObject({ code: 0, errors: "" });
  });

  test("one that never answers", async () => {
    const { code, errors } = await against(() => undefined, ["request.timeout.ms=300"]);
    expect([code, errors]).toEqual([1, expect.stringMatching(/: it has not answered ApiVersions within 300 ms/)]);
  });

  test("one that never finishes the handshake of TLS", async () => {
    const server = await standIn(() => undefined);
    const settings = ["security.protocol=SSL", "socket.connection.setup.timeout.ms=200"];
    const { code, errors } = await run(BROKERS, server.address, settings);
    expect([code, errors]).toEqual([1, expect.stringContaining("no connection within 200 ms")]);
    await server.close();
  });

  test.for<[string, (request: Buffer) => Buffer]>([
    ["its answer is not Kafka's protocol: ", (request) => Buffer.concat([request.subarray(4, 8), Buffer.alloc(3)])],
    ["its answer is not Kafka's protocol: ", (request) => Buffer.concat([request.subarray(4, 8), Buffer.alloc(7)])],
    ["its answers do not belong to what it was asked", () => Buffer.alloc(10)],
    [
      "it does not say what it serves: UNSUPPORTED_VERSION",
      (request) => Buffer.concat([request.subarray(4, 8), Buffer.from([0, 35, 0, 0, 0, 0])]),
    ],
    [
      "it does not serve DescribeCluster as kaasctl knows it",
      (request) => Buffer.concat([request.subarray(4, 8), Buffer.alloc(6)]),
    ],
  ])("%s", async ([message, answer]) => {
    const { code, errors } = await against(answering(answer));
    expect([code, errors]).toEqual([1, expect.stringContaining(message)]);
  });

  test.for<[string, string]>([
    ["it speaks HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n"],
    ["what it answers is not Kafka's protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
  ])("%s", async ([message, text]) => {
    const { code, errors } = await against((socket) => socket.write(text));
    expect([code, errors]).toEqual([1, expect.stringContaining(message)]);
  });

  test("one that sends more than it was asked, and one that closes", async () => {
    const twice = (request: Buffer): Buffer => {
      const body = Buffer.concat([request.subarray(4, 8), Buffer.alloc(6)]);
      return Buffer.concat([body, Buffer.from([0, 0, 0, 10]), body]);
    };
    expect((await against(answering(twice))).code).toBe(1);
    const { code, errors } = await against((socket) => socket.end());
    expect([code, errors]).toEqual([1, expect.stringContaining("does that listener want TLS?")]);
  });

  test.for<[string, string[]]>([
    ["give one of them", ["--data-dir", "/data"]],
    ["give one of them", ["--cluster-dir", "/data"]],
    ["write HOST:PORT", ["--bootstrap-server", "nowhere"]],
  ])("wrong usage: %s", async ([message, args]) => {
    const { code, errors } = await run([...BROKERS, ...args], "127.0.0.1:1");
    expect([code, errors]).toEqual([2, expect.stringContaining(message)]);
  });

  test("--command-config is for brokers, and some commands are not", async () => {
    const { surroundings, errors } = testSurroundings();
    expect(await runKaasctl(["brokers", "--command-config", "/x"], surroundings)).toBe(2);
    expect(errors()).toContain("--command-config is for brokers: it needs --bootstrap-server");
    for (const args of [["drain", "kaas-1"], ["doctor"], ["assignment", "diff"], ["log", "dump", "orders", "0"]]) {
      const { code, errors: said } = await run(args, "127.0.0.1:1");
      const name = args[0] === "drain" ? "drain" : args.slice(0, 2).join(" ");
      expect([code, said]).toEqual([2, expect.stringContaining(`${name} does not work with --bootstrap-server: `)]);
      expect(said).toContain("kubectl kaas");
    }
  });
});
