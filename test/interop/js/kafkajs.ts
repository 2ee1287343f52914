// kafkajs: check|leave|verify HOST:PORT …, as ../java/src/Main.java.
import assert from "node:assert/strict";
import kafkajs, {
  type Consumer,
  type ConsumerConfig,
  type KafkaMessage,
  type Message,
  type ProducerConfig,
} from "kafkajs";
import { bootstrap, type Codec, check, checkLeft, codecs, each, fresh, leftValue, main, until } from "./checks.js";
import { registerCodecs } from "./kafkajs-codecs.js";

const { CompressionTypes, ConfigResourceTypes, Kafka, logLevel, PartitionAssigners } = kafkajs;

const types: Record<Codec, number> = {
  none: CompressionTypes.None,
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD,
};
const kafka = new Kafka({
  brokers: [bootstrap],
  logLevel: logLevel.NOTHING,
  retry: { initialRetryTime: 100, retries: 8 },
});
const admin = kafka.admin();
type Received = KafkaMessage & { readonly partition: number };

async function createTopic(partitions: number, configs: Record<string, string> = {}): Promise<string> {
  const topic = fresh("kafkajs");
  const configEntries = Object.entries(configs).map(([name, value]) => ({ name, value }));
  await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: partitions, configEntries }] });
  return topic;
}

async function send(
  topic: string,
  messages: Message[],
  codec: Codec = "none",
  config: ProducerConfig = {},
): Promise<void> {
  const producer = kafka.producer({ allowAutoTopicCreation: true, ...config });
  await producer.connect();
  try {
    await producer.send({ topic, messages, compression: types[codec] });
  } finally {
    await producer.disconnect();
  }
}

function numbered(from: number, to: number, partitions: number): Message[] {
  return Array.from({ length: to - from }, (_, i) => ({
    key: `k${from + i}`,
    value: `v${from + i}`,
    partition: (from + i) % partitions,
  }));
}

async function join(topic: string, config: ConsumerConfig, into: Received[]): Promise<Consumer> {
  const consumer = kafka.consumer({ maxWaitTimeInMs: 200, heartbeatInterval: 300, ...config });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ partition, message }) => {
      into.push({ ...message, partition });
    },
  });
  return consumer;
}

async function readAll(topic: string, count: number, config: Partial<ConsumerConfig> = {}): Promise<Received[]> {
  const records: Received[] = [];
  const consumer = await join(topic, { groupId: fresh("read"), ...config }, records);
  try {
    await until(`${count} records, got ${records.length}`, () => records.length >= count);
  } finally {
    await consumer.disconnect();
  }
  assert.equal(records.length, count);
  return records;
}

async function codec(name: Codec): Promise<void> {
  const topic = await createTopic(3);
  await send(topic, numbered(0, 600, 3), name);
  for (const record of await readAll(topic, 600)) {
    assert.equal(String(record.value), `v${Number(record.offset) * 3 + record.partition}`);
  }
}

async function shapes(): Promise<void> {
  const topic = await createTopic(1);
  await send(topic, [
    { key: "k", value: "v", headers: { a: ["1", "2"], b: "3" } },
    { key: "tombstone", value: null },
    { value: "no key" },
  ]);
  const [first, second, third] = await readAll(topic, 3);
  assert.equal(String(first?.headers?.a), "1,2");
  assert.equal(String(first?.headers?.b), "3");
  assert.equal(second?.value, null);
  assert.equal(third?.key, null);
}

async function ordered(config: ProducerConfig): Promise<void> {
  const topic = await createTopic(1);
  const producer = kafka.producer(config);
  await producer.connect();
  for (let from = 0; from < 500; from += 50) await producer.send({ topic, messages: numbered(from, from + 50, 1) });
  await producer.disconnect();
  const records = await readAll(topic, 500);
  assert.deepEqual(
    records.map((r) => `${r.offset} ${r.value}`),
    records.map((_, i) => `${i} v${i}`),
  );
}

async function large(): Promise<void> {
  const topic = await createTopic(1, { "max.message.bytes": "12000000" });
  const value = Buffer.alloc(10 << 20, "0123456789abcdef");
  await send(topic, [{ value }]);
  const [record] = await readAll(topic, 1, { maxBytesPerPartition: 12_000_000 });
  assert.ok(record?.value?.equals(value));
}

async function group(): Promise<void> {
  const topic = await createTopic(6);
  await send(topic, numbered(0, 300, 6));
  const config: ConsumerConfig = { groupId: fresh("group"), partitionAssigners: [PartitionAssigners.roundRobin] };
  const [a, b]: [Received[], Received[]] = [[], []];
  const values = (): number => new Set([...a, ...b].map((r) => String(r.value))).size;
  const one = await join(topic, config, a);
  await until("one has all", () => a.length === 300);
  const two = await join(topic, config, b);
  await until("two members", async () => {
    const [described] = (await admin.describeGroups([config.groupId])).groups;
    return described?.state === "Stable" && described.members.length === 2;
  });
  await send(topic, numbered(300, 600, 6));
  await until("all read", () => values() === 600);
  assert.equal(b.filter((r) => Number(String(r.value).slice(1)) >= 300).length, 150, "half by the second");
  await two.disconnect();
  await send(topic, numbered(600, 660, 6));
  await until("the rest read", () => values() === 660);
  await one.disconnect();
}

async function offsets(): Promise<void> {
  const topic = await createTopic(1, { "retention.ms": "-1" });
  for (const [i, message] of numbered(0, 20, 1).entries()) {
    await send(topic, [{ ...message, timestamp: String(1_700_000_000_000 + i * 1000) }]);
  }
  assert.deepEqual(await admin.fetchTopicOffsets(topic), [{ partition: 0, offset: "20", high: "20", low: "0" }]);
  const after = await admin.fetchTopicOffsetsByTimestamp(topic, 1_700_000_000_000 + 4500);
  assert.equal(after[0]?.offset, "5");
  const groupId = fresh("offsets");
  await admin.setOffsets({ groupId, topic, partitions: [{ partition: 0, offset: "7" }] });
  const [fetched] = await admin.fetchOffsets({ groupId, topics: [topic] });
  assert.equal(fetched?.partitions[0]?.offset, "7");
  const records = await readAll(topic, 13, { groupId });
  assert.equal(records[0]?.offset, "7");
  const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
  assert.equal(committed?.partitions[0]?.offset, "20", "committed by the consumer as it left");
  const described = await admin.listGroups();
  assert.ok(described.groups.some((g) => g.groupId === groupId));
  await admin.deleteGroups([groupId]);
}

async function topics(): Promise<void> {
  const topic = await createTopic(2);
  assert.equal(await admin.createTopics({ topics: [{ topic }] }), false, "created twice");
  await admin.createPartitions({ topicPartitions: [{ topic, count: 4 }] });
  const metadata = (): Promise<number> =>
    admin.fetchTopicMetadata({ topics: [topic] }).then((m) => m.topics[0]?.partitions.length ?? 0);
  await until("four partitions", async () => (await metadata()) === 4);
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      { type: ConfigResourceTypes.TOPIC, name: topic, configEntries: [{ name: "retention.ms", value: "1000" }] },
    ],
  });
  await until("altered", async () => {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configNames: ["retention.ms"] }],
    });
    return resources[0]?.configEntries[0]?.configValue === "1000";
  });
  await send(topic, numbered(0, 40, 4));
  await admin.fetchTopicOffsets(topic); // or this client does not know the leaders
  await admin.deleteTopicRecords({ topic, partitions: [{ partition: 1, offset: "4" }] });
  const low = (await admin.fetchTopicOffsets(topic)).find((p) => p.partition === 1)?.low;
  assert.equal(low, "4");
  const cluster = await admin.describeCluster();
  assert.equal(cluster.brokers.length, 1);
  await admin.deleteTopics({ topics: [topic] });
  await until("deleted", async () => !(await admin.listTopics()).includes(topic));
  // Others would try again and again, for half a minute.
  const once = new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING, retry: { retries: 0 } }).admin();
  await once.connect();
  await assert.rejects(once.deleteTopics({ topics: [topic] }), /does not host this topic-partition/);
  await once.disconnect();
}

async function leave(name: string): Promise<void> {
  const topic = `left-${name}`;
  for (const kind of codecs) {
    const messages = Array.from({ length: each }, (_, i) => ({
      key: `${kind}-${i}`,
      value: leftValue(i),
      headers: { codec: kind },
    }));
    await send(topic, messages, kind);
  }
  await admin.setOffsets({ groupId: topic, topic, partitions: [{ partition: 0, offset: "10" }] });
}

async function verify(name: string, count: number): Promise<void> {
  const topic = `left-${name}`;
  const records = await readAll(topic, count);
  const read = records.map((r) => ({
    offset: r.offset,
    key: String(r.key),
    value: String(r.value),
    codec: r.headers?.codec?.toString(),
  }));
  checkLeft(read, count);
  const [fetched] = await admin.fetchOffsets({ groupId: topic, topics: [topic] });
  assert.equal(fetched?.partitions[0]?.offset, "10");
}

await registerCodecs();
await admin.connect();
await main({
  check: async () => {
    for (const name of codecs) await check(`produce and consume, ${name}`, () => codec(name));
    await check("keys, headers, tombstones", shapes);
    await check("plain producer", () => ordered({}));
    await check("idempotent producer", () => ordered({ idempotent: true, maxInFlightRequests: 1 }));
    await check("10 MiB message with the limits raised", large);
    await check("group of two and of one", group);
    await check("offsets: fetch, for times, set, commit, resume; groups listed and deleted", offsets);
    await check("admin: topics, partitions, configs, records, cluster", topics);
  },
  leave,
  verify,
});
