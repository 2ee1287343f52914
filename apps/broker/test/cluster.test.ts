import { setTimeout as sleep } from "node:timers/promises";
import { type Consumer, Kafka, logLevel, type Producer, type ProducerConfig } from "kafkajs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EmbeddedCluster } from "./embedded-cluster.js";

let cluster: EmbeddedCluster;
let kafka: Kafka;
const clients: { disconnect(): Promise<void> }[] = [];

beforeEach(async () => {
  cluster = await EmbeddedCluster.start(3);
  kafka = new Kafka({
    clientId: "test",
    brokers: cluster.bootstrap,
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 20, maxRetryTime: 200, retries: 50 },
  });
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.disconnect()));
  await cluster.close();
});

async function producer(options: ProducerConfig = {}): Promise<Producer> {
  const made = kafka.producer({ allowAutoTopicCreation: false, ...options });
  clients.push(made);
  await made.connect();
  return made;
}

/** Consumes a topic as a group, and keeps what comes by `partition:offset`. */
async function consumer(groupId: string, topic: string): Promise<{ received: Map<string, string>; it: Consumer }> {
  const received = new Map<string, string>();
  const it = kafka.consumer({
    groupId,
    sessionTimeout: 10_000,
    heartbeatInterval: 200,
    maxWaitTimeInMs: 50,
    retry: { retries: 50, initialRetryTime: 20, maxRetryTime: 200, restartOnFailure: async () => true },
  });
  clients.push(it);
  await it.connect();
  await it.subscribe({ topic, fromBeginning: true });
  await it.run({
    autoCommitInterval: 50,
    eachMessage: async ({ partition, message }) => {
      received.set(`${partition}:${message.offset}`, String(message.value));
    },
  });
  return { received, it };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

/** Sends numbered messages round the partitions until it is stopped; every one has to be acknowledged. */
function load(topic: string, partitions: number, sending: Producer) {
  const acknowledged = new Map<string, string>();
  let isOn = true;
  const work = async (partition: number): Promise<void> => {
    for (let n = 0; isOn; n++) {
      const value = `${partition}/${n}`;
      const [sent] = await sending.send({ topic, acks: -1, messages: [{ partition, value }] });
      acknowledged.set(`${partition}:${sent?.baseOffset}`, value);
    }
  };
  const running = Promise.all(Array.from({ length: partitions }, (_, partition) => work(partition)));
  return {
    acknowledged,
    async stop() {
      isOn = false;
      await running;
    },
  };
}

test("three brokers share the partitions and the groups of one volume", async () => {
  await cluster.createTopic("t", 6);
  const admin = kafka.admin();
  clients.push(admin);
  await admin.connect();
  const { topics } = await admin.fetchTopicMetadata({ topics: ["t"] });
  expect(topics[0]?.partitions.map(({ partitionId, leader }) => [partitionId, leader]).sort()).toEqual(
    [0, 1, 2, 3, 4, 5].map((partition) => [partition, partition % 3]),
  );
  const described = await admin.describeCluster();
  expect(described.brokers.map(({ nodeId, port }) => [nodeId, port])).toEqual(
    cluster.members.map(({ nodeId, broker }) => [nodeId, broker.endpoints[0]?.port]),
  );
  const sending = await producer();
  const groups = ["a", "b", "c", "d"];
  const consuming = await Promise.all(groups.map((group) => consumer(group, "t")));
  const messages = Array.from({ length: 60 }, (_, n) => ({ partition: n % 6, value: `${n}` }));
  await sending.send({ topic: "t", messages });
  for (const { received } of consuming) {
    await until(() => received.size === 60);
    expect([...received.values()].sort()).toEqual(messages.map(({ value }) => value).sort());
  }
});

/** Waits until so many more are acknowledged: whatever happened before has not stopped anybody. */
async function goOn({ acknowledged }: { acknowledged: ReadonlyMap<string, string> }, count = 20): Promise<void> {
  const before = acknowledged.size;
  await until(() => acknowledged.size >= before + count);
}

const sorted = (map: ReadonlyMap<string, string>) => new Map([...map].sort());

test("leaders move under load: no send fails, no record is lost or comes twice", async () => {
  await cluster.createTopic("t", 6);
  const sending = await producer();
  const { received } = await consumer("g", "t");
  const loading = load("t", 6, sending);
  for (let round = 1; round <= 9; round++) {
    await goOn(loading);
    await cluster.assign({ partition: (_topic, partition) => (partition + round) % 3 });
  }
  await goOn(loading);
  await loading.stop();
  await until(() => received.size >= loading.acknowledged.size);
  expect(sorted(received)).toEqual(sorted(loading.acknowledged));
  expect(cluster.fenced).toEqual([]);
});

test("slots of groups move under load: members come back, and what was committed stays", async () => {
  await cluster.createTopic("t", 3);
  const sending = await producer();
  const members = [await consumer("g", "t"), await consumer("g", "t")];
  const received = () => new Map(members.flatMap((member) => [...member.received]));
  const loading = load("t", 3, sending);
  for (let round = 1; round <= 6; round++) {
    await goOn(loading);
    await cluster.assign({ groupSlot: (slot) => (slot + round) % 3 });
    const before = received().size;
    await until(() => received().size > before);
  }
  await loading.stop();
  const { acknowledged } = loading;
  await until(() => received().size >= acknowledged.size);
  expect(sorted(received())).toEqual(sorted(acknowledged));
  const admin = kafka.admin();
  clients.push(admin);
  await admin.connect();
  const ends = (await admin.fetchTopicOffsets("t")).map(({ partition, offset }) => `${partition}:${offset}`).sort();
  const committed = async () => {
    const [topic] = await admin.fetchOffsets({ groupId: "g", topics: ["t"] });
    return topic?.partitions.map(({ partition, offset }) => `${partition}:${offset}`).sort();
  };
  while (JSON.stringify(await committed()) !== JSON.stringify(ends)) await sleep(20);
  await cluster.assign({ groupSlot: (slot) => slot % 3 });
  expect(await committed()).toEqual(ends);
});

test("a broker that drains leads nothing in the end, is shown to nobody, and no client notices", async () => {
  await cluster.createTopic("t", 6);
  const sending = await producer();
  const { received } = await consumer("g", "t");
  const loading = load("t", 6, sending);
  await goOn(loading);
  const leaving = cluster.member(0);
  leaving.isFenced = true;
  const drained = leaving.broker.drain(5_000);
  const elsewhere = (n: number) => 1 + (n % 2);
  cluster.publish({ partition: (_topic, partition) => elsewhere(partition), groupSlot: elsewhere });
  await drained;
  expect(leaving.broker.leadershipReport()).toEqual({
    led: [],
    slots: { groups: [], transactions: [] },
    assigned: 0,
    recovering: 0,
    releasing: 0,
  });
  await goOn(loading);
  await loading.stop();
  await until(() => received.size >= loading.acknowledged.size);
  expect(sorted(received)).toEqual(sorted(loading.acknowledged));
  const admin = new Kafka({ brokers: cluster.bootstrap.slice(0, 1), logLevel: logLevel.NOTHING }).admin();
  clients.push(admin);
  await admin.connect();
  expect((await admin.describeCluster()).brokers.map(({ nodeId }) => nodeId)).toEqual([1, 2]);
});

test("a broker that is taken for dead while it works is deposed: it acknowledges nothing that is lost", async () => {
  await cluster.createTopic("t", 6);
  const sending = await producer({ idempotent: true, maxInFlightRequests: 1 });
  const { received } = await consumer("g", "t");
  const loading = load("t", 6, sending);
  await goOn(loading);
  cluster.member(0).isLost = true; // it goes on, and hears of nothing
  const elsewhere = (n: number) => 1 + (n % 2);
  await cluster.assign({ partition: (_topic, partition) => elsewhere(partition), groupSlot: elsewhere });
  await until(() => cluster.fenced.includes("kaas-0"));
  await goOn(loading);
  await loading.stop();
  await until(() => received.size >= loading.acknowledged.size);
  expect(sorted(received)).toEqual(sorted(loading.acknowledged));
});

test("a topic that is deleted is gone from all brokers, and its offsets with it; one made anew is another", async () => {
  await cluster.createTopic("t", 3);
  const sending = await producer();
  await sending.send({ topic: "t", messages: [0, 1, 2].map((partition) => ({ partition, value: "old" })) });
  const admin = kafka.admin();
  clients.push(admin);
  await admin.connect();
  const offsets = (partitions: number[]) => partitions.map((partition) => ({ partition, offset: "1" }));
  await admin.setOffsets({ groupId: "g", topic: "t", partitions: offsets([0, 1, 2]) });
  const [first] = cluster.topics();
  if (first === undefined) throw new Error("there is no topic");
  await cluster.deleteTopic("t");
  for (const { volume } of cluster.members) expect([...volume.topics.topics()]).toEqual([]);
  await cluster.createTopic("t", 3);
  expect(cluster.topics()[0]?.id).not.toBe(first.id);
  const [fetched] = await admin.fetchOffsets({ groupId: "g", topics: ["t"] });
  expect(fetched?.partitions.map(({ offset }) => offset)).toEqual(["-1", "-1", "-1"]);
  expect((await admin.fetchTopicOffsets("t")).map(({ offset }) => offset)).toEqual(["0", "0", "0"]);
  expect(cluster.fenced).toEqual([]);
});
