import { beforeEach, describe, expect, test } from "vitest";
import { FakePartitionLogs, FakeTopics } from "../../test/fakes/fake-topics.js";
import { type HandlerHarness, handlerHarness } from "../../test/fakes/handler-context.js";
import { ManualClock } from "../../test/fakes/manual-clock.js";
import { soleBroker } from "../../test/fakes/sole-broker.js";
import { TopicManager } from "../cluster/topic-manager.js";
import { TopicTable } from "../cluster/topic-table.js";
import { BrokerConfig } from "../config/broker-config.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  CreatePartitionsResponseInit,
  CreateTopicsRequestCreatableTopic,
  CreateTopicsResponseInit,
  DeleteTopicsResponseInit,
  MetadataRequest,
  MetadataResponseInit,
} from "../messages/generated/index.js";
import { silentLog } from "../ports/log.js";
import { ZERO_UUID } from "../wire/reader.js";
import { metadata } from "./03-metadata.js";
import { createTopics } from "./19-create-topics.js";
import { deleteTopics } from "./20-delete-topics.js";
import { createPartitions } from "./37-create-partitions.js";

let harness: HandlerHarness;
let fakeTopics: FakeTopics;
let topics: TopicTable;

beforeEach(async () => {
  fakeTopics = new FakeTopics();
  topics = new TopicTable();
  const config = new BrokerConfig({ "num.partitions": "2" });
  const manager = new TopicManager({
    catalog: fakeTopics,
    admin: fakeTopics,
    logs: new FakePartitionLogs(),
    table: topics,
    view: soleBroker(),
    config,
    clock: new ManualClock(),
    log: silentLog,
  });
  await manager.start();
  harness = handlerHarness({ topics, topicManager: manager, config });
});

type Asked = Partial<CreateTopicsRequestCreatableTopic> & { name: string };

async function create(asked: Asked[], rest: { validateOnly?: boolean; version?: number } = {}): Promise<string[]> {
  const response = await createRaw(asked, rest);
  return response.topics.map(({ name, errorCode, numPartitions }) => `${name}:${errorCode}:${numPartitions}`);
}

async function createRaw(
  asked: Asked[],
  { validateOnly = false, version = 7 }: { validateOnly?: boolean; version?: number } = {},
): Promise<CreateTopicsResponseInit> {
  const defaults = { numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] };
  const request = { topics: asked.map((topic) => ({ ...defaults, ...topic })), timeoutMs: 1000, validateOnly };
  return (await createTopics.handle(harness.context(19, version), request)) as CreateTopicsResponseInit;
}

describe("CreateTopics", () => {
  test("creates, with defaults for -1, and tells what it made", async () => {
    const response = await createRaw([{ name: "a", numPartitions: -1, replicationFactor: -1 }]);
    expect(response.topics[0]).toMatchObject({ errorCode: 0, numPartitions: 2, replicationFactor: 1 });
    expect(response.topics[0]?.topicId).toBe(topics.byName("a")?.id);
    const names = response.topics[0]?.configs?.map(({ name }) => name);
    expect(names).toContain("retention.ms");
  });

  test("any replication factor is accepted and reported as 1", async () => {
    const response = await createRaw([{ name: "a", replicationFactor: 3 }]);
    expect(response.topics[0]).toMatchObject({ errorCode: 0, replicationFactor: 1 });
  });

  test("validateOnly creates nothing", async () => {
    expect(await create([{ name: "a" }], { validateOnly: true })).toEqual(["a:0:1"]);
    expect(topics.byName("a")).toBeUndefined();
  });

  test("each topic has its own error", async () => {
    await create([{ name: "there" }]);
    expect(
      await create([
        { name: "there" },
        { name: "bad name" },
        { name: "none", numPartitions: 0 },
        { name: "norf", replicationFactor: 0 },
        { name: "conf", configs: [{ name: "no.such.config", value: "1" }] },
        { name: "null", configs: [{ name: "retention.ms", value: null }] },
        { name: "__cluster" },
        { name: "fine" },
      ]),
    ).toEqual([
      `there:${ErrorCode.TOPIC_ALREADY_EXISTS}:-1`,
      `bad name:${ErrorCode.INVALID_TOPIC_EXCEPTION}:-1`,
      `none:${ErrorCode.INVALID_PARTITIONS}:-1`,
      `norf:${ErrorCode.INVALID_REPLICATION_FACTOR}:-1`,
      `conf:${ErrorCode.INVALID_CONFIG}:-1`,
      `null:${ErrorCode.INVALID_CONFIG}:-1`,
      `__cluster:${ErrorCode.INVALID_TOPIC_EXCEPTION}:-1`,
      "fine:0:1",
    ]);
  });

  test("names that differ in '.' and '_' only collide", async () => {
    await create([{ name: "a.b" }]);
    expect(await create([{ name: "a_b" }])).toEqual([`a_b:${ErrorCode.INVALID_TOPIC_EXCEPTION}:-1`]);
  });

  test("a name twice in one request is INVALID_REQUEST once", async () => {
    expect(await create([{ name: "a" }, { name: "a" }])).toEqual([`a:${ErrorCode.INVALID_REQUEST}:-1`]);
  });

  test("replicas chosen by hand", async () => {
    const byHand = (name: string, assignments: [number, number[]][], rest: Partial<Asked> = {}): Asked => ({
      name,
      numPartitions: -1,
      replicationFactor: -1,
      assignments: assignments.map(([partitionIndex, brokerIds]) => ({ partitionIndex, brokerIds })),
      ...rest,
    });
    expect(
      await create([
        byHand("ok", [
          [0, [1]],
          [1, [1]],
        ]),
        byHand("gap", [[1, [1]]]),
        byHand("other", [[0, [9]]]),
        byHand("twice", [[0, [1, 1]]]),
        byHand("both", [[0, [1]]], { numPartitions: 1 }),
      ]),
    ).toEqual([
      "ok:0:2",
      `gap:${ErrorCode.INVALID_REPLICA_ASSIGNMENT}:-1`,
      `other:${ErrorCode.INVALID_REPLICA_ASSIGNMENT}:-1`,
      `twice:${ErrorCode.INVALID_REPLICA_ASSIGNMENT}:-1`,
      `both:${ErrorCode.INVALID_REQUEST}:-1`,
    ]);
  });

  test("more partitions than a request may create", async () => {
    expect(
      await create(
        [
          { name: "a", numPartitions: 6000 },
          { name: "b", numPartitions: 6000 },
        ],
        { validateOnly: true },
      ),
    ).toEqual(["a:0:6000", `b:${ErrorCode.POLICY_VIOLATION}:-1`]);
  });

  test("a volume that fails or hangs is told, not waited for", async () => {
    fakeTopics.failing = true;
    expect(await create([{ name: "a" }])).toEqual([`a:${ErrorCode.KAFKA_STORAGE_ERROR}:-1`]);
    fakeTopics.failing = false;
    fakeTopics.hanging = true;
    const late = create([{ name: "b" }]);
    await Promise.resolve();
    harness.clock.advance(1100);
    expect(await late).toEqual([`b:${ErrorCode.REQUEST_TIMED_OUT}:-1`]);
  });
});

describe("DeleteTopics", () => {
  async function remove(asked: { name: string | null; topicId?: string }[]): Promise<string[]> {
    const request = {
      topics: asked.map(({ name, topicId = ZERO_UUID }) => ({ name, topicId })),
      topicNames: [],
      timeoutMs: 1000,
    };
    const response = (await deleteTopics.handle(harness.context(20, 6), request)) as DeleteTopicsResponseInit;
    return response.responses.map(({ name, errorCode }) => `${name}:${errorCode}`);
  }

  test("by name and by id; unknown, ambiguous and double ones are refused", async () => {
    await create([{ name: "a" }, { name: "b" }, { name: "c" }]);
    const id = (name: string): string => topics.byName(name)?.id as string;
    const unknownId = "_____________________w";
    expect(
      await remove([
        { name: "a" },
        { name: null, topicId: id("b") },
        { name: "nope" },
        { name: null, topicId: unknownId },
        { name: "c", topicId: id("c") },
        { name: null },
      ]),
    ).toEqual([
      "a:0",
      "b:0",
      `nope:${ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}`,
      `null:${ErrorCode.UNKNOWN_TOPIC_ID}`,
      `c:${ErrorCode.INVALID_REQUEST}`,
      `null:${ErrorCode.INVALID_REQUEST}`,
    ]);
    expect([...topics.all()].map(({ name }) => name)).toEqual(["c"]);
  });

  test("a topic that is named twice, in whichever way, is refused once", async () => {
    await create([{ name: "c" }]);
    const topicId = topics.byName("c")?.id as string;
    const refused = `c:${ErrorCode.INVALID_REQUEST}`;
    expect(await remove([{ name: "c" }, { name: null, topicId }])).toEqual([refused]);
    expect(await remove([{ name: null, topicId }, { name: "c" }])).toEqual([refused]);
    expect(
      await remove([
        { name: null, topicId },
        { name: null, topicId },
      ]),
    ).toEqual([`null:${ErrorCode.INVALID_REQUEST}`]);
    expect(await remove([{ name: "nope" }, { name: "nope" }])).toEqual([`nope:${ErrorCode.INVALID_REQUEST}`]);
    expect([...topics.all()].map(({ name }) => name)).toEqual(["c"]);
  });

  test("versions before 6 name topics by name", async () => {
    await create([{ name: "a" }]);
    const request = { topics: [], topicNames: ["a"], timeoutMs: 1000 };
    const response = (await deleteTopics.handle(harness.context(20, 4), request)) as DeleteTopicsResponseInit;
    expect(response.responses[0]?.errorCode).toBe(0);
  });
});

test("where deleting is off, versions before 3 have no error of their own for it", async () => {
  const { context } = handlerHarness({ topics, config: new BrokerConfig({ "delete.topic.enable": "false" }) });
  const codes: unknown[] = [];
  for (const version of [1, 2, 3]) {
    const request = { topics: [], topicNames: ["a"], timeoutMs: 1000 };
    const { responses } = (await deleteTopics.handle(context(20, version), request)) as DeleteTopicsResponseInit;
    codes.push(responses[0]?.errorCode);
  }
  const { INVALID_REQUEST, TOPIC_DELETION_DISABLED } = ErrorCode;
  expect(codes).toEqual([INVALID_REQUEST, INVALID_REQUEST, TOPIC_DELETION_DISABLED]);
});

describe("CreatePartitions", () => {
  async function grow(name: string, count: number, assignments: number[][] | null = null): Promise<number | undefined> {
    const request = {
      topics: [{ name, count, assignments: assignments?.map((brokerIds) => ({ brokerIds })) ?? null }],
      timeoutMs: 1000,
      validateOnly: false,
    };
    const response = (await createPartitions.handle(harness.context(37, 3), request)) as CreatePartitionsResponseInit;
    return response.results[0]?.errorCode;
  }

  test("only ever more, with as many assignments as new partitions", async () => {
    await create([{ name: "a" }]);
    expect(await grow("a", 1)).toBe(ErrorCode.INVALID_PARTITIONS);
    expect(await grow("a", 0)).toBe(ErrorCode.INVALID_PARTITIONS);
    expect(await grow("a", 20_000)).toBe(ErrorCode.POLICY_VIOLATION);
    expect(await grow("nope", 2)).toBe(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
    expect(await grow("a", 3, [[1]])).toBe(ErrorCode.INVALID_REPLICA_ASSIGNMENT);
    expect(await grow("a", 3, [[1], [1]])).toBe(ErrorCode.NONE);
    expect(topics.byName("a")?.partitionCount).toBe(3);
  });
});

describe("Metadata", () => {
  const ask = async (version: number, request: Partial<MetadataRequest>): Promise<MetadataResponseInit> => {
    const all = {
      topics: null,
      allowAutoTopicCreation: true,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: false,
      ...request,
    };
    return (await metadata.handle(harness.context(3, version), all)) as MetadataResponseInit;
  };
  const named = (...names: string[]): MetadataRequest["topics"] => names.map((name) => ({ name, topicId: ZERO_UUID }));
  const lines = (response: MetadataResponseInit): string[] =>
    response.topics.map(({ name, errorCode, partitions }) => `${name}:${errorCode}:${partitions.length}`);

  test("null asks for all topics, an empty list for none, except in version 0", async () => {
    await create([{ name: "a" }, { name: "b" }]);
    expect(lines(await ask(12, { topics: null }))).toEqual(["a:0:1", "b:0:1"]);
    expect(lines(await ask(12, { topics: [] }))).toEqual([]);
    expect(lines(await ask(0, { topics: [] }))).toEqual(["a:0:1", "b:0:1"]);
  });

  test("an unknown topic is created with the broker's defaults where the client allows it", async () => {
    expect(lines(await ask(12, { topics: named("x"), allowAutoTopicCreation: false }))).toEqual(["x:3:0"]);
    expect(lines(await ask(12, { topics: named("x", "bad name") }))).toEqual(["x:0:2", "bad name:17:0"]);
  });

  test("by id from version 12; before, a name is needed", async () => {
    await create([{ name: "a" }]);
    const topicId = topics.byName("a")?.id as string;
    expect(lines(await ask(12, { topics: [{ name: null, topicId }] }))).toEqual(["a:0:1"]);
    expect(lines(await ask(12, { topics: [{ name: null, topicId: "_____________________w" }] }))).toEqual([
      "null:100:0",
    ]);
    expect(lines(await ask(10, { topics: [{ name: "a", topicId }] }))).toEqual(["a:42:0"]);
  });

  test("names the broker by the listener that the client used", async () => {
    expect((await ask(12, {})).brokers).toEqual([{ nodeId: 1, host: "127.0.0.1", port: 9092, rack: null }]);
  });
});
