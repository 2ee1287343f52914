import { Kafka, logLevel } from "kafkajs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commitOffsets } from "../../test/commit-offsets.js";
import { type RunningBroker, startBroker } from "../../test/running-broker.js";
import { testSurroundings } from "../../test/test-surroundings.js";
import { runKaasctl } from "../run.js";

const ACLS = { "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer" };

let running: RunningBroker;

beforeAll(async () => {
  running = await startBroker({ ...ACLS, "super.users": "User:ANONYMOUS" });
  const kafka = new Kafka({ brokers: [running.address()], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({
    topics: [
      { topic: "orders", numPartitions: 3, configEntries: [{ name: "retention.ms", value: "3600000" }] },
      { topic: "payments", numPartitions: 1 },
    ],
  });
  const producer = kafka.producer();
  await producer.connect();
  const messages = Array.from({ length: 10 }, (_, n) => ({ value: `value ${n}`, partition: 1 }));
  await producer.send({ topic: "orders", messages });
  await producer.disconnect();
  await admin.disconnect();
  await commitOffsets([running.address()], "readers", "orders", { 0: 0, 1: 4 });
  const { acls, credentials } = running.volume;
  const acl = { resourceType: "TOPIC", resourceName: "orders-", host: "*" } as const;
  const added = [
    { ...acl, patternType: "PREFIXED", principal: "User:alice", operation: "READ", permission: "ALLOW" },
    { ...acl, patternType: "LITERAL", principal: "User:*", operation: "WRITE", permission: "DENY" },
  ] as const;
  await acls.changeAcls({ added, removed: [] }, 1_000);
  await running.addUser("bob", "secret");
  await credentials.alterQuotas({ entity: { user: "carol" }, limits: { producer_byte_rate: 1_000 } });
}, 120_000);

afterAll(() => running.close());

interface Outcome {
  readonly code: number;
  readonly text: string;
  readonly errors: string;
}

async function run(...args: string[]): Promise<Outcome> {
  const { surroundings, text, errors } = testSurroundings({ environment: { KAAS_DATA_DIR: "/nowhere" } });
  const code = await runKaasctl([...args, "--bootstrap-server", running.address()], surroundings);
  return { code, text: text(), errors: errors() };
}

/** The JSON of a command that all is well for. */
async function json(...args: string[]): Promise<unknown> {
  const { code, text, errors } = await run(...args, "-o", "json");
  expect([code, errors]).toEqual([0, ""]);
  return JSON.parse(text);
}

describe("through the brokers", () => {
  test("topic ls shows topics, their sizes and what was set for them", async () => {
    expect(await json("topic", "ls")).toMatchObject([
      { name: "orders", partitions: 3, overrides: { "retention.ms": "3600000" }, sizeBytes: expect.any(Number) },
      { name: "payments", id: expect.stringMatching(/^[\w-]{22}$/), partitions: 1, overrides: {} },
    ]);
    const { text } = await run("topic", "ls");
    expect(text).toMatch(/^TOPIC +ID +PARTITIONS +SIZE +CONFIG\norders +\S+ +3 +\d.* retention\.ms=3600000\n/);
  });

  test("topic describe shows leaders and offsets", async () => {
    expect(await json("topic", "describe", "orders")).toMatchObject({
      name: "orders",
      partitionCount: 3,
      overrides: { "retention.ms": "3600000" },
      partitions: [
        { partition: 0, leader: 7, highWatermark: 0 },
        { partition: 1, leader: 7, epoch: 0, logStartOffset: 0, highWatermark: 10, sizeBytes: expect.any(Number) },
        { partition: 2, leader: 7 },
      ],
    });
    expect((await run("topic", "describe", "payments")).text).toMatch(/config +none of its own\n\nPARTITION +EPOCH/);
    expect(await run("topic", "describe", "none")).toMatchObject({
      code: 2,
      errors: expect.stringContaining("kaasctl: there is no topic none in the cluster\n"),
    });
  });

  test("brokers shows who there is", async () => {
    const [host, port] = running.address().split(":");
    expect(await json("brokers")).toEqual([
      {
        nodeId: 7,
        isFenced: false,
        isController: true,
        rack: null,
        partitions: 4,
        listeners: [{ host, port: Number(port) }],
      },
    ]);
    expect((await run("brokers")).text).toMatch(/\n +7 +alive +controller +- +4 +127\.0\.0\.1:\d+\n$/);
  });

  test("assignment show shows who leads what", async () => {
    expect(await json("assignment", "show")).toMatchObject({
      clusterId: running.broker.clusterId,
      controllerId: 7,
      topics: [{ name: "orders", leaders: [7, 7, 7], leaderEpochs: [0, 0, 0] }, { name: "payments" }],
    });
    expect((await run("assignment", "show")).text).toMatch(/topics +2, 4 partitions\nwithout a leader +0\n/);
    const row = { leader: 7, leaderEpoch: 0, wished: [] };
    expect(await json("assignment", "show", "orders")).toEqual([0, 1, 2].map((partition) => ({ partition, ...row })));
    expect((await run("assignment", "show", "none")).code).toBe(2);
  });

  test("offsets show shows what was committed, and how far behind that is", async () => {
    expect(await json("offsets", "show", "readers")).toMatchObject({
      group: "readers",
      type: "classic",
      state: "Empty",
      offsets: [
        { topic: "orders", partition: 0, offset: 0, highWatermark: 0, lag: 0 },
        { topic: "orders", partition: 1, offset: 4, highWatermark: 10, lag: 6, metadata: "here" },
      ],
    });
    expect((await run("offsets", "show", "readers")).text).toMatch(/orders +1 +4 +10 +6 +- +"here"\n/);
    expect(await run("offsets", "show", "none")).toMatchObject({
      code: 2,
      errors: expect.stringContaining("there is no group none in the cluster"),
    });
  });

  test("users and ACLs are shown as of a volume", async () => {
    expect(await json("user", "ls")).toEqual({
      users: [
        { name: "alice", mechanisms: [], quotas: [], acls: [expect.objectContaining({ operation: "READ" })] },
        { name: "bob", mechanisms: [{ mechanism: "SCRAM-SHA-512", iterations: 4_096 }], quotas: [], acls: [] },
        {
          name: "carol",
          mechanisms: [],
          quotas: [{ entity: { user: "carol" }, limits: { producer_byte_rate: 1_000 } }],
          acls: [],
        },
      ],
      findings: [],
    });
    expect((await run("user", "ls")).text).toMatch(/bob +SCRAM-SHA-512 +0 +0\n/);
    expect((await run("user", "describe", "carol")).text).toMatch(/quota +producer_byte_rate=1000\n/);
    expect(await run("user", "describe", "dora")).toMatchObject({ code: 2, text: "" });
    const all = await run("acl", "ls");
    expect(all.text).toMatch(/User:alice +ALLOW +READ +TOPIC +orders-… +\*\n/);
    expect(all.text).toMatch(/User:\* +DENY +WRITE +TOPIC +orders- +\*\n/);
    expect(await json("acl", "ls", "User:alice")).toMatchObject({ acls: [{ principal: "User:alice" }], findings: [] });
  });

  test("names are completed", async () => {
    const complete = async (...words: string[]): Promise<string> => {
      const { surroundings, text } = testSurroundings();
      const options = ["--bootstrap-server", running.address()];
      await runKaasctl(["--get-yargs-completions", "kaasctl", ...options, ...words], surroundings);
      return text();
    };
    expect(await complete("topic", "describe", "o")).toBe("orders\n");
    expect(await complete("assignment", "show", "")).toBe("orders\npayments\n");
    expect(await complete("offsets", "show", "")).toBe("readers\n");
    expect(await complete("user", "describe", "")).toBe("bob\n");
    expect(await complete("drain", "")).toBe("");
    expect(await complete("--command-config", "/none", "topic", "describe", "")).toBe("");
  });

  test("every format works", async () => {
    for (const args of [["topic", "ls"], ["brokers"], ["acl", "ls"], ["offsets", "show", "readers"]]) {
      expect(await run(...args, "-o", "yaml")).toMatchObject({
        code: 0,
        errors: "",
        text: expect.stringMatching(/: /),
      });
    }
  });
});

test("a broker without an authorizer tells no ACLs, and that is said", async () => {
  const open = await startBroker();
  try {
    const { surroundings, text, errors } = testSurroundings();
    const code = await runKaasctl(["acl", "ls", "-o", "json", "--bootstrap-server", open.address()], surroundings);
    expect([code, JSON.parse(text())]).toEqual([0, { acls: [], findings: [] }]);
    expect(errors()).toBe("kaasctl: brokers look at no ACLs, and tell none: authorizer.class.name is not set\n");
  } finally {
    await open.close();
  }
});
