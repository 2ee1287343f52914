import { expect, test } from "vitest";
import { FakeSlotJournals } from "../../test/fakes/fake-slot-journals.js";
import { GroupHarness, settle } from "../../test/fakes/group-harness.js";
import type { Topic } from "../cluster/topic-table.js";
import { ErrorCode } from "../errors/error-codes.js";

const SLOTS = 4;

async function coordinator(journals = new FakeSlotJournals(SLOTS)): Promise<GroupHarness> {
  const harness = new GroupHarness({}, journals);
  await harness.coordinator.start([]);
  return harness;
}

test("leads the slots that it is told to, and follows when that changes", async () => {
  const { coordinator: groups, journals } = await coordinator();
  let changes = 0;
  groups.onSlotChange(() => changes++);
  await groups.lead((slot) => slot < 2);
  expect([groups.openSlots(), groups.slotCounts]).toEqual([[0, 1], { assigned: 2, releasing: 0 }]);
  expect(changes).toBeGreaterThan(0);
  await groups.lead((slot) => slot === 1 || slot === 3);
  expect([groups.openSlots(), journals.openCount]).toEqual([[1, 3], 2]);
  expect([0, 1, 2, 3].map((slot) => journals.epoch(slot))).toEqual([1, 1, 0, 1]);
  await groups.lead(() => false);
  expect([groups.openSlots(), groups.slotCounts, journals.openCount]).toEqual([[], { assigned: 0, releasing: 0 }, 0]);
});

test("there and back before a slot is loaded leaves one journal open, and asks nobody to hand over for nothing", async () => {
  const journals = new FakeSlotJournals(1);
  const signals: (AbortSignal | undefined)[] = [];
  const open = journals.open.bind(journals);
  journals.open = (kind, slot, unwanted?: AbortSignal) => {
    signals.push(unwanted);
    return open(kind, slot);
  };
  journals.holdOpening();
  const { coordinator: groups } = await coordinator(journals);
  const taking = groups.lead(() => true);
  await settle();
  const leaving = groups.lead(() => false);
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  const back = groups.lead(() => true);
  journals.finishOpening();
  await Promise.all([taking, leaving, back]);
  expect([groups.openSlots(), journals.openCount]).toEqual([[0], 1]);
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
});

test("a loading that ends because it is not wanted any more is no failure, and is not tried again", async () => {
  const journals = new FakeSlotJournals(1);
  const { coordinator: groups, clock } = await coordinator(journals);
  journals.open = (_kind, _slot, unwanted?: AbortSignal) =>
    new Promise((_resolve, reject) => {
      unwanted?.addEventListener("abort", () => reject(new Error("not wanted")));
    });
  const taking = groups.lead(() => true);
  await settle();
  const timers = clock.pending;
  await groups.lead(() => false);
  await taking;
  expect(clock.pending).toBe(timers);
});

test("offsets of a topic that was deleted while the slot was led elsewhere go when it comes", async () => {
  const journals = new FakeSlotJournals(1);
  const from = await coordinator(journals);
  const to = await coordinator(journals);
  for (const harness of [from, to]) harness.addTopic("t", 1);
  await from.coordinator.lead(() => true);
  expect(await from.commit("t", [[0, 7, 2, "m"]])).toBe(ErrorCode.NONE);
  to.topics.remove(to.topics.byName("t") as Topic); // of which `from` has not heard
  await from.coordinator.lead(() => false);
  await to.coordinator.lead(() => true);
  const fetched = await to.coordinator.fetchOffsets({ groupId: "g", byTopicId: false, topics: null });
  expect(fetched).toEqual({ errorCode: ErrorCode.NONE, topics: [] });
});
