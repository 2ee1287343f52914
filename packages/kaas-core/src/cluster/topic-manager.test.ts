import { beforeEach, describe, expect, test, vi } from "vitest";
import { FakePartitionLogs, FakeTopics } from "../../test/fakes/fake-topics.js";
import { ManualClock } from "../../test/fakes/manual-clock.js";
import { soleBroker } from "../../test/fakes/sole-broker.js";
import { BrokerConfig } from "../config/broker-config.js";
import { silentLog } from "../ports/log.js";
import type { TopicAdmin, TopicDescription } from "../ports/topics.js";
import type { TopicAssignment } from "./assignment.js";
import { AssignmentView } from "./assignment-view.js";
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
  await vi.waitUntil(() => vanishing.abandoned.length > 0, { timeout: 60_000 });
  expect(errors).toEqual([]);
  expect(clock.pending).toBe(0);
  expect(table.byName("a")).toBeUndefined();
});

describe("in a cluster", () => {
  /** Changes are carried out by somebody else, who is slow: here by the test itself. */
  const remote: TopicAdmin = {
    create: () => Promise.resolve(undefined),
    delete: () => Promise.resolve(),
    createPartitions: () => Promise.resolve(),
    configure: () => Promise.resolve(),
  };
  let view: AssignmentView;
  let version = 0;

  function assign(topics: readonly TopicAssignment[]): void {
    version++;
    const slots = { groups: [], transactions: [] };
    view.adopt({ controllerEpoch: 1, version, controllerId: 1, createdMs: 0, brokers: [], topics, slots });
  }

  beforeEach(async () => {
    view = new AssignmentView({ nodeId: 1, name: "kaas-1", incarnation: "i", rack: null });
    const config = new BrokerConfig({});
    manager = new TopicManager({ catalog: topics, admin: remote, logs, table, view, config, clock, log: silentLog });
    await manager.start();
  });

  test("a topic is known at once, whoever leads its partitions; those led here are opened, others released", async () => {
    const { id } = await topics.create("a", 3, {});
    const topic = table.byName("a") as Topic;
    expect([topic.partitionCount, logs.opened.size]).toEqual([3, 0]);
    assign([{ topicId: id, name: "a", leaders: [1, 2, -1], leaderEpochs: [-1, -1, -1] }]);
    await manager.leads.settled(id);
    expect([...logs.opened.keys()]).toEqual(["a-0"]);
    assign([{ topicId: id, name: "a", leaders: [2, 1, 1], leaderEpochs: [-1, -1, -1] }]);
    expect(topic.partitions[0]).toBeUndefined();
    await manager.leads.settled(id);
    expect([...logs.opened.keys()]).toEqual(["a-1", "a-2"]);
    expect(manager.leads.led()).toEqual([1, 2].map((partition) => ({ topicId: id, partition, leaderEpoch: 3 })));
  });

  test("changes resolve when the catalog shows them", async () => {
    const creating = manager.create("a", 1, {}, { timeoutMs: 100 });
    const { id } = await topics.create("a", 1, {});
    let isCreated = false;
    void creating.then(() => {
      isCreated = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isCreated).toBe(false);
    assign([{ topicId: id, name: "a", leaders: [2], leaderEpochs: [-1] }]);
    const topic = await creating;
    expect(topic).toBe(table.byId(id));
    const growing = manager.createPartitions(topic, 2, { timeoutMs: 100 });
    await topics.createPartitions(topic, 2);
    await growing;
    expect(topic.partitionCount).toBe(2);
    const configuring = manager.configure(topic, { "retention.ms": "5" }, { timeoutMs: 100 });
    await topics.configure(topic, { "retention.ms": "5" });
    await configuring;
    const adding = manager.configure(
      topic,
      { "retention.ms": "5", "segment.bytes": "1048576" },
      { timeoutMs: 100, names: ["segment.bytes"] },
    );
    // Somebody else has changed what is not named.
    await topics.configure(topic, { "segment.bytes": "1048576", "retention.bytes": "7" });
    await adding;
    const deleting = manager.delete(topic, { timeoutMs: 100 });
    await topics.delete(topic);
    await deleting;
    expect(table.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test("changes that are not seen in time are said to be late", async () => {
    const { id } = await topics.create("a", 1, {});
    const topic = table.byId(id) as Topic;
    const late = { code: "KAAS_TIMED_OUT" };
    const options = { timeoutMs: 100 };
    const waiting = [
      manager.create("b", 1, {}, options),
      manager.createPartitions(topic, 2, options),
      manager.configure(topic, { "retention.ms": "5" }, options),
      manager.delete(topic, options),
    ];
    const refused = Promise.all(waiting.map((change) => expect(change).rejects.toMatchObject(late)));
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(100);
    await refused;
  });

  test("a topic is created even if nobody is to lead it in time", async () => {
    const creating = manager.create("a", 1, {}, { timeoutMs: 100 });
    const { id } = await topics.create("a", 1, {});
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(100);
    expect((await creating).id).toBe(id);
  });

  test("an assignment that names a topic that nobody has told of has the catalog look for it", async () => {
    const looked: string[] = [];
    Object.assign(topics, {
      discover: () => Promise.resolve(void looked.push("all")),
      refresh: (name: string) => Promise.reject(new Error(`${looked.push(name)}`)),
    });
    const known = await topics.create("a", 1, {});
    const of = (topicId: string, name: string) => ({ topicId, name, leaders: [1], leaderEpochs: [-1] });
    assign([of(known.id, "a")]);
    expect(looked).toEqual([]);
    assign([of(known.id, "a"), of("b1", "b"), of("c1", "c")]);
    expect(looked).toEqual(["all"]);
    assign([of(known.id, "a"), of("a2", "a")]); // another topic of the name
    expect(looked).toEqual(["all", "a"]);
    assign([]); // it may be gone
    expect(looked).toEqual(["all", "a", "all"]);
  });

  test("a topic of the same name ends the one before, whose deletion nobody has told", async () => {
    const first = await topics.create("a", 1, {});
    const second = { ...first, id: "BBBBBBBBBBBBBBBBBBBBBQ" };
    manager.topicChanged(second);
    expect([table.byId(first.id), table.byName("a")?.id, table.size]).toEqual([undefined, second.id, 1]);
  });
});

test("after close nothing is tried again", async () => {
  logs.broken.add("a-0");
  await manager.start();
  await manager.create("a", 1, {});
  manager.close();
  expect(clock.pending).toBe(0);
});
