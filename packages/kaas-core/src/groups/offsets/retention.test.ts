import { expect, test } from "vitest";
import { FakeSlotJournals } from "../../../test/fakes/fake-slot-journals.js";
import { GroupHarness, settle, subscription, type TestMember } from "../../../test/fakes/group-harness.js";
import { ErrorCode } from "../../errors/error-codes.js";

const MINUTE = 60_000;

async function started(): Promise<GroupHarness> {
  const harness = new GroupHarness({}, new FakeSlotJournals(1)); // keeps offsets for 60 minutes, looks every 10
  for (const topic of ["t", "u"]) harness.addTopic(topic, 4);
  return harness.start();
}

async function commit(
  harness: GroupHarness,
  member: TestMember | null,
  topic = "t",
  retentionMs: number | null = null,
  partition = 0,
): Promise<void> {
  const { memberId, generationId } = member ?? { memberId: "", generationId: -1 };
  const errorCode = await harness.commit(topic, [[partition, 5, -1, ""]], { memberId, generationId, retentionMs });
  expect(errorCode).toBe(ErrorCode.NONE);
}

/** Topics and partitions that still have an offset. */
async function kept(harness: GroupHarness): Promise<string[]> {
  await settle();
  const { topics } = await harness.coordinator.fetchOffsets({ groupId: "g", topics: null, byTopicId: false });
  return topics.flatMap(({ name, partitions }) => partitions.map(({ partitionIndex }) => `${name}${partitionIndex}`));
}

async function pass(harness: GroupHarness, minutes: number, member?: TestMember): Promise<void> {
  for (let second = 0; second < minutes * 60; second += 5) {
    harness.clock.advance(5_000);
    if (member !== undefined) expect(harness.heartbeat(member)).toBe(0);
  }
  await settle();
}

test("offsets without a group expire each on its own, and with the last of them the group", async () => {
  const harness = await started();
  await commit(harness, null);
  await pass(harness, 30);
  await commit(harness, null, "u");
  await pass(harness, 29);
  expect(await kept(harness)).toEqual(["t0", "u0"]);
  await pass(harness, 10);
  expect(await kept(harness)).toEqual(["u0"]);
  await pass(harness, 31);
  expect(await kept(harness)).toEqual([]);
  expect(harness.state()).toBe(`error ${ErrorCode.GROUP_ID_NOT_FOUND}`);
  await harness.crash();
  expect(harness.state()).toBe(`error ${ErrorCode.GROUP_ID_NOT_FOUND}`);
});

test("a group with members keeps the offsets of what it subscribes to, however old", async () => {
  const harness = await started();
  const [member] = await harness.stableGroup({ protocols: [{ name: "range", metadata: subscription("t") }] });
  if (member === undefined) throw new Error("a member was asked for");
  await commit(harness, member, "t");
  await commit(harness, member, "u");
  await pass(harness, 59, member);
  expect(await kept(harness)).toEqual(["t0", "u0"]);
  await pass(harness, 120, member);
  expect(await kept(harness)).toEqual(["t0"]); // nobody reads the other topic any more
});

test("once a group is empty its offsets expire together, by the time it became so", async () => {
  const harness = await started();
  const [member] = await harness.stableGroup({});
  await commit(harness, member ?? null);
  await pass(harness, 45, member);
  await pass(harness, 55); // empty soon after the first seconds of these
  expect(await kept(harness)).toEqual(["t0"]);
  await pass(harness, 15);
  expect(await kept(harness)).toEqual([]);
});

test("the time a group has been empty counts over a restart", async () => {
  const harness = await started();
  const [member] = await harness.stableGroup({});
  await commit(harness, member ?? null);
  await pass(harness, 40);
  await harness.crash();
  await pass(harness, 15);
  expect(await kept(harness)).toEqual(["t0"]);
  await pass(harness, 16);
  expect(await kept(harness)).toEqual([]);
});

test("a group that had members when the process died has been empty since it was loaded", async () => {
  const harness = await started();
  const [member] = await harness.stableGroup({});
  await commit(harness, member ?? null);
  await pass(harness, 40, member);
  await harness.crash();
  await pass(harness, 59);
  expect(await kept(harness)).toEqual(["t0"]);
  await harness.crash();
  await pass(harness, 11);
  expect(await kept(harness)).toEqual([]);
});

test("a group that speaks something else than the consumer protocol keeps its offsets while it has members", async () => {
  const harness = await started();
  const [member] = await harness.stableGroup({ protocolType: "other" });
  if (member === undefined) throw new Error("a member was asked for");
  await commit(harness, member);
  await pass(harness, 120, member);
  expect(await kept(harness)).toEqual(["t0"]);
});

test("older clients say themselves how long", async () => {
  const harness = await started();
  await commit(harness, null, "t", 15 * MINUTE, 0);
  await commit(harness, null, "t", 120 * MINUTE, 1);
  await pass(harness, 21);
  expect(await kept(harness)).toEqual(["t1"]);
  await pass(harness, 90);
  expect(await kept(harness)).toEqual(["t1"]);
  await pass(harness, 20);
  expect(await kept(harness)).toEqual([]);
});

test("a group without members and offsets goes with the next look, unless somebody is about to join", async () => {
  const harness = await started();
  await harness.stableGroup({});
  await pass(harness, 1);
  expect(harness.state()).toBe("Empty");
  await pass(harness, 8);
  await harness.join({ groupId: "h", memberIdRequired: true, sessionTimeoutMs: 60_000 });
  await pass(harness, 1);
  expect(harness.state()).toBe(`error ${ErrorCode.GROUP_ID_NOT_FOUND}`);
  expect(harness.state("h")).toBe("Empty");
  await pass(harness, 10);
  expect(harness.state("h")).toBe(`error ${ErrorCode.GROUP_ID_NOT_FOUND}`);
});
