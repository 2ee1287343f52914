import { expect, test } from "vitest";
import { FakeSlotJournals } from "../../../test/fakes/fake-slot-journals.js";
import { GroupHarness, subscription, type TestMember } from "../../../test/fakes/group-harness.js";
import { ErrorCode } from "../../errors/error-codes.js";

const ADMIN: TestMember = { memberId: "", groupInstanceId: null, generationId: -1 };

async function started(): Promise<GroupHarness> {
  const harness = new GroupHarness({}, new FakeSlotJournals(1));
  for (const topic of ["t", "u"]) harness.addTopic(topic, 5_000);
  return harness.start();
}

function commit(
  harness: GroupHarness,
  member: TestMember,
  partitions: readonly number[] = [0],
  groupId = "g",
): Promise<number> {
  const all = partitions.map((partition) => [partition, partition + 100, 4, `m${partition}`] as const);
  return harness.commit("t", all, { ...member, groupId });
}

test("an administrator commits for a group without members, and makes it if need be", async () => {
  const harness = await started();
  expect(await commit(harness, ADMIN)).toBe(0);
  expect(harness.state()).toBe("Empty");
  expect(await commit(harness, { ...ADMIN, memberId: "said" })).toBe(0);
  expect(await commit(harness, { ...ADMIN, memberId: "said", generationId: 1 })).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
});

test("the empty group id is a group, as it was for old clients", async () => {
  const harness = await started();
  expect(await commit(harness, ADMIN, [0], "")).toBe(0);
  expect(harness.state("")).toBe("Empty");
});

test("a generation of a group that is not there", async () => {
  const harness = await started();
  expect(await commit(harness, { ...ADMIN, memberId: "m", generationId: 1 })).toBe(ErrorCode.GROUP_ID_NOT_FOUND);
  expect(harness.state()).toBe(`error ${ErrorCode.GROUP_ID_NOT_FOUND}`);
});

test("a group with members takes offsets from its members only, in their generation", async () => {
  const harness = await started();
  const [member] = await harness.stableGroup({ groupInstanceId: "i" });
  if (member === undefined) throw new Error("a member was asked for");
  expect(await commit(harness, member)).toBe(0);
  expect(await commit(harness, ADMIN)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  expect(await commit(harness, { ...member, memberId: "x", groupInstanceId: null })).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  expect(await commit(harness, { ...member, memberId: "x" })).toBe(ErrorCode.FENCED_INSTANCE_ID);
  expect(await commit(harness, { ...member, generationId: 9 })).toBe(ErrorCode.ILLEGAL_GENERATION);
  expect(await commit(harness, { ...member, generationId: -1 })).toBe(ErrorCode.ILLEGAL_GENERATION);
});

test("members may commit what they finished while the group prepares to rebalance, not between join and sync", async () => {
  const harness = await started();
  const [member] = await harness.stableGroup({});
  if (member === undefined) throw new Error("a member was asked for");
  void harness.join();
  expect(await commit(harness, member)).toBe(0);
  const joined = await harness.join({ memberId: member.memberId });
  const next = { ...member, generationId: joined.generationId };
  expect(await commit(harness, next)).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
});

test("a commit is a sign of life", async () => {
  const harness = await started();
  const [member] = await harness.stableGroup({});
  if (member === undefined) throw new Error("a member was asked for");
  for (let second = 0; second < 30; second += 5) {
    await harness.advance(5_000);
    expect(await commit(harness, member)).toBe(0);
  }
});

test("a very large commit is cut into entries of bounded size", async () => {
  const harness = await started();
  const all = Array.from({ length: 2_500 }, (_, partition) => partition);
  expect(await commit(harness, ADMIN, all)).toBe(0);
  expect(harness.journals.entries).toHaveLength(3);
  const { topics } = await harness.coordinator.fetchOffsets({ groupId: "g", topics: null, byTopicId: false });
  expect(topics[0]?.partitions).toHaveLength(2_500);
});

test("a commit is one entry that holds nothing but itself", async () => {
  const harness = await started();
  await commit(harness, ADMIN, [0, 1, 2]);
  await commit(harness, ADMIN, [7]);
  expect(harness.journals.entries.at(-1)).toEqual({
    type: "commit",
    group: "g",
    committedAt: harness.clock.now(),
    expiresAt: null,
    topics: [{ topic: "t", topicId: harness.topics.byName("t")?.id, partitions: [[7, 107, 4, "m7"]] }],
  });
});

test("what has no offset is answered with −1, whatever the reason", async () => {
  const harness = await started();
  await commit(harness, ADMIN);
  const topics = ["t", "nope"].map((name) => ({ name, topicId: "", partitionIndexes: [0, 9_999] }));
  const none = { committedOffset: -1, committedLeaderEpoch: -1, metadata: "", errorCode: 0 };
  const known = await harness.coordinator.fetchOffsets({ groupId: "g", byTopicId: false, topics });
  expect(known.topics).toMatchObject([
    { partitions: [{ committedOffset: 100, committedLeaderEpoch: 4, metadata: "m0", errorCode: 0 }, none] },
    { partitions: [none, none] },
  ]);
  const unknown = await harness.coordinator.fetchOffsets({ groupId: "other", byTopicId: false, topics });
  expect(unknown).toMatchObject({ errorCode: 0, topics: [{ partitions: [none, none] }, { partitions: [none, none] }] });
});

test("by topic id, an unknown id is an error", async () => {
  const harness = await started();
  await commit(harness, ADMIN);
  const topicId = harness.topics.byName("t")?.id ?? "";
  const lost = Buffer.alloc(16, 99).toString("base64url");
  const topics = [lost, topicId].map((id) => ({ name: "", topicId: id, partitionIndexes: [0] }));
  const result = await harness.coordinator.fetchOffsets({ groupId: "g", byTopicId: true, topics });
  expect(result.topics).toMatchObject([
    { topicId, partitions: [{ committedOffset: 100, errorCode: 0 }] },
    { topicId: lost, partitions: [{ committedOffset: -1, errorCode: ErrorCode.UNKNOWN_TOPIC_ID }] },
  ]);
});

test("only offsets are deleted that nobody uses", async () => {
  const harness = await started();
  await commit(harness, ADMIN, [0, 1, 2]);
  const remove = (topic: string, ...partitions: number[]) =>
    harness.coordinator.deleteOffsets("g", [{ topic, partitions }]);
  expect(await remove("t", 1, 4)).toEqual({ errorCode: 0, topicErrors: [0] });
  const fetch = { groupId: "g", topics: null, byTopicId: false };
  const left = (await harness.coordinator.fetchOffsets(fetch)).topics[0]?.partitions.map((at) => at.partitionIndex);
  expect(left).toEqual([0, 2]);
  const [member] = await harness.stableGroup({ protocols: [{ name: "range", metadata: subscription("t") }] });
  expect(member).toBeDefined();
  expect(await remove("t", 0)).toEqual({ errorCode: 0, topicErrors: [ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC] });
  expect(await remove("u", 0)).toEqual({ errorCode: 0, topicErrors: [0] });
});

test("offsets of a group that is not there, not named, or in use by something else than consumers", async () => {
  const harness = await started();
  const remove = (group: string) => harness.coordinator.deleteOffsets(group, [{ topic: "t", partitions: [0] }]);
  expect((await remove("other")).errorCode).toBe(ErrorCode.GROUP_ID_NOT_FOUND);
  expect((await remove("")).errorCode).toBe(ErrorCode.INVALID_GROUP_ID);
  await harness.stableGroup({ protocolType: "connect" });
  expect((await remove("g")).errorCode).toBe(ErrorCode.NON_EMPTY_GROUP);
});

test("deletions that do not become durable are not confirmed", async () => {
  const harness = await started();
  await commit(harness, ADMIN);
  harness.journals.failing = true;
  const result = await harness.coordinator.deleteOffsets("g", [{ topic: "t", partitions: [0] }]);
  expect(result.errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
});
