import { beforeEach, expect, test } from "vitest";
import { FakeSlotJournals } from "../test/fakes/fake-slot-journals.js";
import { FakePartitionLogs } from "../test/fakes/fake-topics.js";
import { GroupHarness, settle } from "../test/fakes/group-harness.js";
import { BrokerLeadership } from "./broker-leadership.js";
import { AssignmentView } from "./cluster/assignment-view.js";
import { PartitionLeads } from "./cluster/partition-leads.js";
import { Topic } from "./cluster/topic-table.js";
import type { TopicConfig } from "./config/topic-config.js";
import { silentLog } from "./ports/log.js";

const ID = "AAAAAAAAAAAAAAAAAAAAAQ";

let view: AssignmentView;
let groups: GroupHarness;
let logs: FakePartitionLogs;
let topic: Topic;
let partitions: PartitionLeads;
let leadership: BrokerLeadership;
let version = 0;

/** Who leads partitions 0 and 1, and slots 0 and 1. */
function assign(leaders: number[], slots: number[]): void {
  view.adopt({
    controllerEpoch: 1,
    version: ++version,
    controllerId: 1,
    createdMs: 0,
    brokers: [],
    topics: [{ topicId: ID, name: "t", leaders, leaderEpochs: [-1, -1] }],
    slots: { groups: slots, transactions: [] },
  });
}

beforeEach(async () => {
  view = new AssignmentView({ nodeId: 1, name: "kaas-1", incarnation: "i", rack: null });
  groups = new GroupHarness({}, new FakeSlotJournals(2));
  logs = new FakePartitionLogs();
  topic = new Topic("t", ID, {}, {} as TopicConfig);
  topic.partitions.push(undefined, undefined);
  const { clock, coordinator } = groups;
  partitions = new PartitionLeads({ view, logs, clock, log: silentLog });
  partitions.follow(topic);
  leadership = new BrokerLeadership({ view, partitions, groups: coordinator, clock });
  await coordinator.start([]);
  await leadership.start();
});

const NOTHING = { led: [], slots: { groups: [], transactions: [] }, assigned: 0, recovering: 0, releasing: 0 };

test("reports what it leads, what it is about to, and when that changes, once for many changes", async () => {
  let told = 0;
  leadership.onChange(() => told++);
  groups.journals.holdOpening();
  logs.broken.add("t-1");
  assign([1, 1], [2, 1]);
  expect(leadership.report()).toEqual({ ...NOTHING, assigned: 3, recovering: 3 });
  await settle();
  const led = [{ topicId: ID, partition: 0, leaderEpoch: 3 }];
  expect(leadership.report()).toEqual({ ...NOTHING, led, assigned: 3, recovering: 2 });
  groups.journals.finishOpening();
  await settle();
  const slots = { groups: [1], transactions: [] };
  expect(leadership.report()).toEqual({ led, slots, assigned: 3, recovering: 1, releasing: 0 });
  expect(told).toBeGreaterThan(1);
  expect(told).toBeLessThan(6);
});

test("drains as others are given what it leads, without a moment before that", async () => {
  assign([1, 1], [1, 1]);
  await settle();
  let isDrained = false;
  const draining = leadership.drain(5_000).then(() => {
    isDrained = true;
  });
  await settle();
  expect([leadership.report().recovering, leadership.report().assigned]).toEqual([0, 4]);
  assign([1, 2], [2, 2]);
  await settle();
  expect([leadership.report().led.length, isDrained]).toEqual([1, false]);
  assign([2, 2], [2, 2]);
  await draining;
  expect(leadership.report()).toEqual(NOTHING);
  expect(logs.opened.size).toBe(0);
});

test.each([
  ["when the time is up", 5_000],
  ["at once where nobody is waited for", 0],
])("hands over what nobody was given %s, and takes nothing back", async (_when, waitMs) => {
  assign([1, 1], [1, 1]);
  await settle();
  const draining = leadership.drain(waitMs);
  await groups.advance(waitMs);
  await draining;
  expect(leadership.report()).toEqual(NOTHING);
  assign([1, 2], [1, 2]);
  await settle();
  expect(leadership.report()).toEqual(NOTHING);
  expect([logs.opened.size, topic.partitions]).toEqual([0, [undefined, undefined]]);
});
