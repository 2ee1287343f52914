// @platformatic/kafka: check|leave|verify HOST:PORT …, as ../java/src/Main.java.
import assert from "node:assert/strict";
import {
  Admin,
  ConfigResourceTypes,
  Consumer,
  type ConsumerOptions,
  FetchIsolationLevels,
  IncrementalAlterConfigOperationTypes,
  type Message,
  type MessageToProduce,
  MessagesStreamModes,
  ProduceAcks,
  Producer,
  type ProducerOptions,
  stringDeserializers,
  stringSerializers,
} from "@platformatic/kafka";
import { bootstrap, type Codec, check, checkLeft, codecs, each, fresh, leftValue, main, until } from "./checks.js";

type Strings = Message<string, string, string, string>;
type Send = MessageToProduce<string, string, string, string>;

const base = { clientId: "interop", bootstrapBrokers: [bootstrap], retries: 5, retryDelay: 200 };
/**
 * This client's default is acks=1, which says nothing yet about what a reader sees. It heeds acks with each send only,
 * not where a producer is made.
 */
const acks = ProduceAcks.ALL;
const admin = new Admin(base);

async function createTopic(partitions: number, configs: Record<string, string> = {}): Promise<string> {
  const topic = fresh("platformatic");
  await admin.createTopics({
    topics: [topic],
    partitions,
    replicas: 1,
    configs: Object.entries(configs).map(([name, value]) => ({ name, value })),
  });
  await until("the topic's leaders", async () => {
    try {
      const listed = await admin.listOffsets({
        topics: [
          {
            name: topic,
            partitions: Array.from({ length: partitions }, (_, p) => ({ partitionIndex: p, timestamp: -1n })),
          },
        ],
      });
      return listed[0]?.partitions.length === partitions;
    } catch {
      return false;
    }
  });
  return topic;
}

type Config = Partial<ProducerOptions<string, string, string, string>>;

async function send(messages: Send[], config: Config = {}): Promise<void> {
  const producer = new Producer({ ...base, serializers: stringSerializers, autocreateTopics: true, ...config });
  try {
    await producer.send({ messages, acks });
  } finally {
    await producer.close();
  }
}

function numbered(topic: string, from: number, to: number, partitions: number): Send[] {
  return Array.from({ length: to - from }, (_, i) => ({
    topic,
    key: `k${from + i}`,
    value: `v${from + i}`,
    partition: (from + i) % partitions,
  }));
}

type Member = {
  readonly consumer: Consumer<string, string, string, string>;
  readonly records: Strings[];
  close: () => Promise<void>;
};

async function join(
  topic: string,
  config: Partial<ConsumerOptions<string, string, string, string>> = {},
  mode: "earliest" | "committed" = "committed",
): Promise<Member> {
  const consumer = new Consumer({
    ...base,
    groupId: fresh("read"),
    deserializers: stringDeserializers,
    isolationLevel: FetchIsolationLevels.READ_COMMITTED,
    heartbeatInterval: 300,
    maxWaitTime: 200,
    autocommit: 100,
    ...config,
  });
  const records: Strings[] = [];
  const stream = await consumer.consume({
    topics: [topic],
    ...(mode === "earliest"
      ? { mode: MessagesStreamModes.EARLIEST }
      : { mode: MessagesStreamModes.COMMITTED, fallbackMode: "earliest" }),
  });
  stream.on("data", (message) => records.push(message));
  stream.on("error", (error) => console.error(error));
  const close = async (): Promise<void> => {
    await stream.close();
    await consumer.close(true);
  };
  return { consumer, records, close };
}

async function readAll(topic: string, count: number, groupId = fresh("read")): Promise<Strings[]> {
  const member = await join(topic, { groupId });
  try {
    await until(`${count} records`, () => member.records.length >= count);
  } finally {
    await member.close();
  }
  assert.equal(member.records.length, count);
  return member.records;
}

async function codec(compression: Codec): Promise<void> {
  const topic = await createTopic(3);
  await send(numbered(topic, 0, 600, 3), { compression });
  for (const record of await readAll(topic, 600)) {
    assert.equal(record.value, `v${Number(record.offset) * 3 + record.partition}`);
  }
}

async function shapes(): Promise<void> {
  const topic = await createTopic(1);
  await send([
    { topic, key: "k", value: "v", headers: { a: "1", b: "2" } },
    { topic, key: "tombstone" },
    { topic, value: "no key" },
  ]);
  const [first, second, third] = await readAll(topic, 3);
  assert.deepEqual(Object.fromEntries(first?.headers ?? []), { a: "1", b: "2" });
  assert.ok(second?.value === undefined || second.value === null || second.value === "");
  assert.ok(third?.key === undefined || third.key === null || third.key === "");
}

async function ordered(config: Config): Promise<void> {
  const topic = await createTopic(1);
  const producer = new Producer({ ...base, serializers: stringSerializers, ...config });
  for (let from = 0; from < 500; from += 50)
    await producer.send({ messages: numbered(topic, from, from + 50, 1), acks });
  await producer.close();
  const records = await readAll(topic, 500);
  assert.deepEqual(
    records.map((r) => `${r.offset} ${r.value}`),
    records.map((_, i) => `${i} v${i}`),
  );
}

async function large(): Promise<void> {
  const topic = await createTopic(1, { "max.message.bytes": "12000000" });
  const value = "0123456789abcdef".repeat(10 << 16);
  await send([{ topic, value }]);
  const [record] = await readAll(topic, 1);
  assert.ok(record?.value === value);
}

async function group(): Promise<void> {
  const topic = await createTopic(6);
  await send(numbered(topic, 0, 300, 6));
  const groupId = fresh("group");
  const one = await join(topic, { groupId });
  await until("one has all", () => one.records.length === 300);
  const two = await join(topic, { groupId });
  await until("three each", () => {
    const counts = [one, two].map((m) => m.consumer.assignments?.[0]?.partitions.length);
    return counts[0] === 3 && counts[1] === 3;
  });
  await send(numbered(topic, 300, 600, 6));
  const values = (): number => new Set([...one.records, ...two.records].map((r) => r.value)).size;
  await until("all read", () => values() === 600);
  await two.close();
  await until("one has all again", () => one.consumer.assignments?.[0]?.partitions.length === 6);
  await one.close();
}

async function offsets(): Promise<void> {
  const topic = await createTopic(1, { "retention.ms": "-1" });
  const messages = numbered(topic, 0, 20, 1);
  for (const [i, message] of messages.entries()) {
    await send([{ ...message, timestamp: BigInt(1_700_000_000_000 + i * 1000) }]);
  }
  const groupId = fresh("offsets");
  const consumer = new Consumer({ ...base, groupId, deserializers: stringDeserializers });
  const at = async (timestamp: bigint): Promise<bigint | undefined> =>
    (await consumer.listOffsets({ topics: [topic], timestamp })).get(topic)?.[0];
  assert.equal(await at(-2n), 0n, "earliest");
  assert.equal(await at(-1n), 20n, "latest");
  assert.equal(await at(BigInt(1_700_000_000_000 + 4500)), 5n, "for a time");
  await consumer.close(true);
  await admin.alterConsumerGroupOffsets({
    groupId,
    topics: [{ name: topic, partitionOffsets: [{ partition: 0, offset: 7n }] }],
  });
  const records = await readAll(topic, 13, groupId);
  assert.equal(records[0]?.offset, 7n, "resumed at");
  assert.ok((await admin.listGroups()).has(groupId));
  await admin.deleteGroups({ groups: [groupId] });
}

async function topics(): Promise<void> {
  const topic = await createTopic(2);
  await assert.rejects(admin.createTopics({ topics: [topic], partitions: 1, replicas: 1 }));
  const [node = -1] = (await admin.metadata({ topics: [topic] })).brokers.keys();
  const assignments = [{ brokerIds: [node] }, { brokerIds: [node] }];
  await admin.createPartitions({ topics: [{ name: topic, count: 4, assignments }] });
  await until("four partitions", async () => {
    const metadata = await admin.metadata({ topics: [topic], forceUpdate: true });
    return metadata.topics.get(topic)?.partitionsCount === 4;
  });
  const resource = { resourceType: ConfigResourceTypes.TOPIC, resourceName: topic };
  await admin.incrementalAlterConfigs({
    resources: [
      {
        ...resource,
        configs: [{ name: "retention.ms", configOperation: IncrementalAlterConfigOperationTypes.SET, value: "1000" }],
      },
    ],
  });
  await until("altered", async () => {
    const [described] = await admin.describeConfigs({
      resources: [{ ...resource, configurationKeys: ["retention.ms"] }],
    });
    return described?.configs[0]?.value === "1000";
  });
  await send(numbered(topic, 0, 40, 4));
  const deleted = await admin.deleteRecords({ topics: [{ name: topic, partitions: [{ partition: 1, offset: 4n }] }] });
  assert.equal(deleted[0]?.partitions[0]?.lowWatermark, 4n);
  await admin.deleteTopics({ topics: [topic] });
  await until("deleted", async () => !(await admin.listTopics()).includes(topic));
}

async function leave(name: string): Promise<void> {
  const topic = `left-${name}`;
  for (const kind of codecs) {
    if (kind === "zstd" && !zstd) continue;
    const messages = Array.from({ length: each }, (_, i) => ({
      topic,
      key: `${kind}-${i}`,
      value: leftValue(i),
      headers: { codec: kind },
    }));
    await send(messages, { compression: kind });
  }
  await admin.alterConsumerGroupOffsets({
    groupId: topic,
    topics: [{ name: topic, partitionOffsets: [{ partition: 0, offset: 10n }] }],
  });
}

async function verify(name: string, count: number): Promise<void> {
  const topic = `left-${name}`;
  const member = await join(topic, {}, "earliest");
  await until(`${count} records`, () => member.records.length >= count);
  await member.close();
  const read = member.records.map((r) => ({
    offset: String(r.offset),
    key: r.key,
    value: r.value,
    codec: r.headers.get("codec"),
  }));
  checkLeft(read, count);
  const [fetched] = await admin.listConsumerGroupOffsets({ groups: [topic] });
  assert.equal(fetched?.topics[0]?.partitions[0]?.committedOffset, 10n);
}

/** This client has zstd only where Node itself has it. */
const zstd = "zstdCompressSync" in (await import("node:zlib"));

await main({
  check: async () => {
    for (const name of codecs) {
      if (name === "zstd" && !zstd)
        console.log("skip  produce and consume, zstd: this client needs a newer Node for it");
      else await check(`produce and consume, ${name}`, () => codec(name));
    }
    await check("keys, headers, tombstones", shapes);
    await check("plain producer", () => ordered({ idempotent: false }));
    await check("idempotent producer", () => ordered({ idempotent: true }));
    await check("10 MiB message with the limits raised", large);
    await check("group of two and of one", group);
    await check("offsets: list, for times, set, commit, resume; groups listed and deleted", offsets);
    await check("admin: topics, partitions, configs, records", topics);
  },
  leave,
  verify,
  cannotRead: (name) =>
    name === "platformatic"
      ? undefined
      : "this client reads snappy only as it writes it itself, and zstd only on a newer Node",
});
