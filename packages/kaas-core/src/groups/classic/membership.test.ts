import { expect, test } from "vitest";
import { GroupHarness, settle } from "../../../test/fakes/group-harness.js";
import { ErrorCode } from "../../errors/error-codes.js";

const leaving = (memberId: string, groupInstanceId: string | null = null) => ({
  memberId,
  groupInstanceId,
  reason: "done",
});

async function stablePair() {
  const harness = await new GroupHarness().start();
  const [leader, follower] = await harness.stableGroup({}, {});
  if (leader === undefined || follower === undefined) throw new Error("two members were asked for");
  return { harness, leader, follower };
}

test("heartbeats keep a member, silence removes it", async () => {
  const { harness, leader, follower } = await stablePair();
  for (let second = 0; second < 9; second++) {
    await harness.advance(1_000);
    expect(harness.heartbeat(leader)).toBe(0);
  }
  await harness.advance(1_000);
  expect(harness.memberIds()).toEqual([leader.memberId]);
  expect(harness.heartbeat(follower)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  expect(harness.heartbeat(leader)).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
});

test("a group whose members all fall silent becomes empty, durably", async () => {
  const { harness } = await stablePair();
  await harness.advance(30_000);
  expect(harness.state()).toBe("Empty");
  expect(harness.journals.entries.at(-1)).toMatchObject({ type: "group", protocolType: "consumer", generation: 2 });
});

test.each([
  ["another generation", { generationId: 2 }, ErrorCode.ILLEGAL_GENERATION],
  ["an unknown member", { memberId: "x" }, ErrorCode.UNKNOWN_MEMBER_ID],
  ["an unknown instance", { groupInstanceId: "x" }, ErrorCode.UNKNOWN_MEMBER_ID],
])("heartbeat refuses %s", async (_what, changed, errorCode) => {
  const { harness, leader } = await stablePair();
  expect(harness.heartbeat({ ...leader, ...changed })).toBe(errorCode);
});

test("heartbeat of an unknown or unnamed group", async () => {
  const { harness, leader } = await stablePair();
  expect(harness.heartbeat(leader, "other")).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  expect(harness.heartbeat(leader, "")).toBe(ErrorCode.INVALID_GROUP_ID);
});

test("members that do not join again within the rebalance timeout are out", async () => {
  const { harness, leader, follower } = await stablePair();
  const joined = harness.join();
  void harness.join({ memberId: leader.memberId });
  for (let second = 0; second < 20; second++) {
    expect(harness.heartbeat(follower)).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    await harness.advance(1_000);
  }
  expect((await joined).generationId).toBe(2);
  expect(harness.memberIds()).toEqual([leader.memberId, (await joined).memberId]);
});

test("a leader that does not join again is replaced by one that did", async () => {
  const { harness, follower } = await stablePair();
  const joined = harness.join({
    memberId: follower.memberId,
    protocols: [{ name: "range", metadata: Buffer.from("new") }],
  });
  await harness.advance(20_000);
  expect(await joined).toMatchObject({ leader: follower.memberId, generationId: 2 });
});

test("who leaves is gone at once, and the others rebalance", async () => {
  const { harness, leader, follower } = await stablePair();
  expect(await harness.coordinator.leave("g", [leaving(follower.memberId)])).toMatchObject([{ errorCode: 0 }]);
  expect(harness.heartbeat(leader)).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  expect(harness.memberIds()).toEqual([leader.memberId]);
});

test("each member that leaves has an error of its own", async () => {
  const { harness, leader } = await stablePair();
  const results = await harness.coordinator.leave("g", [
    leaving("x"),
    leaving(leader.memberId),
    leaving(leader.memberId),
    leaving(""),
  ]);
  const unknown = ErrorCode.UNKNOWN_MEMBER_ID;
  expect(results).toMatchObject([
    { errorCode: unknown },
    { errorCode: 0 },
    { errorCode: unknown },
    { errorCode: unknown },
  ]);
  expect(await harness.coordinator.leave("other", [leaving("x")])).toMatchObject([{ errorCode: unknown }]);
  expect(await harness.coordinator.leave("", [leaving("x")])).toBe(ErrorCode.INVALID_GROUP_ID);
});

test("an id that was never used goes without disturbing a stable group, and without holding up a rebalance", async () => {
  const { harness, leader, follower } = await stablePair();
  const first = await harness.join({ memberIdRequired: true });
  await harness.coordinator.leave("g", [leaving(first.memberId)]);
  expect(harness.state()).toBe("Stable");
  const second = await harness.join({ memberIdRequired: true });
  const rejoins = [harness.join({ memberId: leader.memberId }), harness.join({ memberId: follower.memberId })];
  await settle();
  expect(harness.state()).toBe("PreparingRebalance");
  await harness.coordinator.leave("g", [leaving(second.memberId)]);
  expect((await Promise.all(rejoins)).map(({ generationId }) => generationId)).toEqual([2, 2]);
});

test("when the last one leaves, it is answered once the empty group is durable", async () => {
  const { harness, leader, follower } = await stablePair();
  harness.journals.holding = true;
  let answered = false;
  const leave = harness.coordinator
    .leave("g", [leaving(leader.memberId), leaving(follower.memberId)])
    .then((results) => {
      answered = true;
      return results;
    });
  await settle();
  expect([answered, harness.state()]).toEqual([false, "Empty"]);
  harness.journals.release();
  expect(await leave).toMatchObject([{ errorCode: 0 }, { errorCode: 0 }]);
});

test("a member that is removed while its requests wait is told so", async () => {
  const { harness, leader, follower } = await stablePair();
  const joining = harness.join({ memberId: leader.memberId });
  await harness.coordinator.leave("g", [leaving(leader.memberId)]);
  expect((await joining).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  const rejoined = await harness.join({ memberId: follower.memberId });
  const late = harness.join();
  await settle();
  const syncing = harness.sync({ ...follower, generationId: rejoined.generationId });
  expect((await syncing).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  void late;
});

test("a waiting SyncGroup of a member that is removed is answered", async () => {
  const harness = await new GroupHarness().start();
  const joins = [harness.join(), harness.join()];
  await harness.advance(6_000);
  const [, follower] = await Promise.all(joins);
  const syncing = harness.sync({ memberId: follower?.memberId ?? "", groupInstanceId: null, generationId: 1 });
  await harness.coordinator.leave("g", [leaving(follower?.memberId ?? "")]);
  expect((await syncing).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
});
