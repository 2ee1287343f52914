import { beforeEach, expect, test, vi } from "vitest";
import { FakePartitionLogs, FakeTopics } from "../../test/fakes/fake-topics.js";
import { ManualClock } from "../../test/fakes/manual-clock.js";
import { soleBroker } from "../../test/fakes/sole-broker.js";
import { BrokerConfig } from "../config/broker-config.js";
import { silentLog } from "../ports/log.js";
import type { TopicDescription } from "../ports/topics.js";
import { TopicManager } from "./topic-manager.js";
import { type Topic, TopicTable } from "./topic-table.js";

let clock: ManualClock;
let topics: FakeTopics;
let logs: FakePartitionLogs;
let table: TopicTable;
let manager: TopicManager;

beforeEach(() => {
  clock = new ManualClock();
  topics = new FakeTopics();
  logs = new FakePartitionLogs();
  table = new TopicTable();
  const config = new BrokerConfig({});
  manager = new TopicManager({
    catalog: topics,
    admin: topics,
    logs,
    table,
    view: soleBroker(),
    config,
    clock,
    log: silentLog,
  });
});

test("opens what is there at the start", async () => {
  await topics.create("a", 2, {});
  await manager.start();
  expect(table.byName("a")?.partitions.every((log) => log !== undefined)).toBe(true);
});

test("a created topic is served when create resolves, a deleted one is gone and its logs abandoned", async () => {
  await manager.start();
  const created = await manager.create("a", 2, { "retention.ms": "5" });
  const topic = table.byId(created.id) as Topic;
  expect(topic.partitionCount).toBe(2);
  expect(topic.config.retentionMs).toBe(5);
  await manager.delete(topic);
  expect(table.byName("a")).toBeUndefined();
  expect(logs.abandoned).toEqual(["a-0", "a-1"]);
});

test("a topic of the same name is another topic", async () => {
  await manager.start();
  const first = await manager.create("a", 1, {});
  await manager.delete(table.byId(first.id) as Topic);
  const second = await manager.create("a", 1, {});
  expect(second.id).not.toBe(first.id);
  expect(table.byId(first.id)).toBeUndefined();
  expect(table.byName("a")?.id).toBe(second.id);
});

test("grows, and hands configuration on to open logs", async () => {
  await manager.start();
  await manager.create("a", 1, {});
  const topic = table.byName("a") as Topic;
  await manager.createPartitions(topic, 3);
  expect(topic.partitionCount).toBe(3);
  await manager.configure(topic, { "segment.bytes": "1048576" });
  expect(topic.config.segmentBytes).toBe(1_048_576);
  expect(logs.opened.get("a-2")?.configured.at(-1)?.segmentBytes).toBe(1_048_576);
});

test("a partition that cannot be opened leaves its neighbours alone and is tried again", async () => {
  logs.broken.add("a-1");
  await manager.start();
  await manager.create("a", 2, {});
  const topic = table.byName("a") as Topic;
  expect(topic.partitions.map((log) => log !== undefined)).toEqual([true, false]);
  logs.broken.clear();
  clock.advance(1_000);
  await manager.configure(topic, {}); // queued behind the second attempt
  expect(topic.partitions.every((log) => log !== undefined)).toBe(true);
});

test("a topic that is deleted while it is opened is no failure", async () => {
  const errors: string[] = [];
  const gone: TopicDescription = { name: "a", id: "AAAAAAAAAAAAAAAAAAAAAQ", partitionCount: 2, overrides: {} };
  const vanishing = new FakePartitionLogs();
  vanishing.open = () => {
    noisy.topicDeleted(gone); // the files go while they are being opened
    return Promise.reject(new Error("no such file"));
  };
  const log = { ...silentLog, error: (_fields: unknown, message: string) => errors.push(message) };
  const options = {
    catalog: topics,
    admin: topics,
    logs: vanishing,
    table,
    view: soleBroker(),
    config: new BrokerConfig({}),
    clock,
    log,
  };
  const noisy = new TopicManager(options);
  noisy.topicChanged(gone);
  await vi.waitUntil(() => vanishing.abandoned.length > 0);
  expect(errors).toEqual([]);
  expect(clock.pending).toBe(0);
  expect(table.byName("a")).toBeUndefined();
});

test("after close nothing is tried again", async () => {
  logs.broken.add("a-0");
  await manager.start();
  await manager.create("a", 1, {});
  manager.close();
  expect(clock.pending).toBe(0);
});
