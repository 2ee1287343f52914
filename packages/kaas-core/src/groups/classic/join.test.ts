import { expect, test } from "vitest";
import { GroupHarness, settle } from "../../../test/fakes/group-harness.js";
import { ErrorCode } from "../../errors/error-codes.js";

const rangeAnd = (name: string) => [
  { name: "range", metadata: Buffer.from("r") },
  { name, metadata: Buffer.from("n") },
];

test("the first members make one generation when the initial delay is over", async () => {
  const harness = await new GroupHarness().start();
  const joins = [harness.join(), harness.join()];
  await harness.advance(2_990);
  expect(harness.state()).toBe("PreparingRebalance");
  await harness.advance(10);
  expect(harness.state()).toBe("PreparingRebalance"); // the second member prolonged the delay
  await harness.advance(3_000);
  const [leader, follower] = await Promise.all(joins);
  expect(harness.state()).toBe("CompletingRebalance");
  expect(leader).toMatchObject({ errorCode: 0, generationId: 1, protocolType: "consumer", protocolName: "range" });
  expect(leader?.leader).toBe(leader?.memberId);
  expect(leader?.members.map(({ memberId }) => memberId)).toEqual([leader?.memberId, follower?.memberId]);
  expect(follower).toMatchObject({ leader: leader?.memberId, generationId: 1, members: [] });
});

test("members that keep coming prolong the delay up to the rebalance timeout", async () => {
  const harness = await new GroupHarness().start();
  let generation = 0;
  void harness.join({ rebalanceTimeoutMs: 10_000 }).then(({ generationId }) => {
    generation = generationId;
  });
  for (let second = 1; second < 10; second++) {
    await harness.advance(1_000);
    void harness.join({ rebalanceTimeoutMs: 10_000 });
    expect(generation).toBe(0);
  }
  await harness.advance(1_000);
  expect([generation, harness.memberIds().length]).toEqual([1, 10]);
});

test("without an initial delay a group starts at once", async () => {
  const harness = await new GroupHarness({ "group.initial.rebalance.delay.ms": 0 }).start();
  const join = harness.join();
  await harness.advance(0);
  expect((await join).generationId).toBe(1);
});

test("a new member that must know its id first is pending until it comes back (KIP-394)", async () => {
  const harness = await new GroupHarness({ "group.initial.rebalance.delay.ms": 0 }).start();
  const first = await harness.join({ memberIdRequired: true, clientId: "app" });
  expect(first).toMatchObject({ errorCode: ErrorCode.MEMBER_ID_REQUIRED, generationId: -1 });
  expect(first.memberId).toMatch(/^app-[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
  expect(harness.state()).toBe("Empty");
  const second = harness.join({ memberIdRequired: true, memberId: first.memberId });
  await harness.advance(0);
  expect(await second).toMatchObject({ errorCode: 0, memberId: first.memberId, generationId: 1 });
});

test("a pending id lapses with the session timeout, and holds up the others no longer", async () => {
  const harness = await new GroupHarness().start();
  const [leader] = await harness.stableGroup({});
  const pending = await harness.join({ memberIdRequired: true, sessionTimeoutMs: 5_000 });
  const rejoin = harness.join({ memberId: leader?.memberId ?? "" });
  await harness.advance(4_000);
  expect(harness.state()).toBe("PreparingRebalance");
  await harness.advance(1_000);
  expect((await rejoin).generationId).toBe(2);
  expect((await harness.join({ memberId: pending.memberId })).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
});

test("an id that was not given out is unknown, and makes no group", async () => {
  const harness = await new GroupHarness().start();
  expect(await harness.join({ memberId: "invented" })).toMatchObject({ errorCode: ErrorCode.UNKNOWN_MEMBER_ID });
  expect(harness.state()).toBe(`error ${ErrorCode.GROUP_ID_NOT_FOUND}`);
  await harness.stableGroup({});
  const asStatic = { memberId: "invented", groupInstanceId: "i" };
  expect((await harness.join(asStatic)).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
});

test("a pending id is of a dynamic member, not of a static one", async () => {
  const harness = await new GroupHarness().start();
  const { memberId } = await harness.join({ memberIdRequired: true });
  expect((await harness.join({ memberId, groupInstanceId: "i" })).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
});

test.each([
  ["no group id", { groupId: "" }, ErrorCode.INVALID_GROUP_ID],
  ["a short session", { sessionTimeoutMs: 999 }, ErrorCode.INVALID_SESSION_TIMEOUT],
  ["a long session", { sessionTimeoutMs: 60_001 }, ErrorCode.INVALID_SESSION_TIMEOUT],
  ["no protocol type", { protocolType: "" }, ErrorCode.INCONSISTENT_GROUP_PROTOCOL],
  ["no protocols", { protocols: [] }, ErrorCode.INCONSISTENT_GROUP_PROTOCOL],
  ["huge metadata", { protocols: [{ name: "a", metadata: Buffer.alloc(5 << 20) }] }, ErrorCode.MESSAGE_TOO_LARGE],
])("refuses %s", async (_what, request, errorCode) => {
  const harness = await new GroupHarness().start();
  expect(await harness.join(request)).toMatchObject({ errorCode, memberId: "" });
});

test("refuses who speaks no protocol that the group speaks", async () => {
  const harness = await new GroupHarness().start();
  await harness.stableGroup({ protocols: rangeAnd("roundrobin") }, { protocols: rangeAnd("sticky") });
  const refused = ErrorCode.INCONSISTENT_GROUP_PROTOCOL;
  expect((await harness.join({ protocolType: "connect" })).errorCode).toBe(refused);
  expect((await harness.join({ protocols: rangeAnd("x").slice(1) })).errorCode).toBe(refused);
  expect((await harness.join({ protocols: [{ name: "sticky", metadata: Buffer.from("") }] })).errorCode).toBe(refused);
  expect(harness.state()).toBe("Stable");
});

test("a member that joins again as it was is told the generation it is in", async () => {
  const harness = await new GroupHarness().start();
  const [leader, follower] = await harness.stableGroup({}, {});
  expect(await harness.join({ memberId: follower?.memberId ?? "" })).toMatchObject({ generationId: 1, members: [] });
  expect(harness.state()).toBe("Stable");
  void harness.join({ memberId: leader?.memberId ?? "" });
  expect(harness.state()).toBe("PreparingRebalance"); // the leader saw something that changes the assignment
});

test("before the assignment is there even the leader may ask again", async () => {
  const harness = await new GroupHarness({ "group.initial.rebalance.delay.ms": 0 }).start();
  const join = harness.join();
  await harness.advance(0);
  const first = await join;
  const again = await harness.join({ memberId: first.memberId });
  expect(again).toEqual(first);
  void harness.join({ memberId: first.memberId, protocols: rangeAnd("sticky") });
  await settle();
  expect(harness.coordinator.describe("g")).toMatchObject({ groupState: "CompletingRebalance" });
  expect((await harness.join({ memberId: first.memberId, protocols: rangeAnd("sticky") })).generationId).toBe(2);
});

test("a member that says something new makes the group rebalance", async () => {
  const harness = await new GroupHarness().start();
  const [, follower] = await harness.stableGroup({}, {});
  void harness.join({ memberId: follower?.memberId ?? "", protocols: rangeAnd("sticky") });
  expect(harness.state()).toBe("PreparingRebalance");
});

test("the second request of a member that waits takes the place of the first", async () => {
  const harness = await new GroupHarness().start();
  const [leader, follower] = await harness.stableGroup({}, {});
  const first = harness.join({ memberId: leader?.memberId ?? "" });
  const second = harness.join({ memberId: leader?.memberId ?? "" });
  expect((await first).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  void harness.join({ memberId: follower?.memberId ?? "" });
  expect((await second).generationId).toBe(2);
});

test("a full group takes no new member, but its own again", async () => {
  const harness = await new GroupHarness({ "group.max.size": 2 }).start();
  const [, follower] = await harness.stableGroup({}, {});
  expect(await harness.join()).toMatchObject({ errorCode: ErrorCode.GROUP_MAX_SIZE_REACHED, memberId: "" });
  expect((await harness.join({ memberId: follower?.memberId ?? "" })).errorCode).toBe(0);
});

test("a group that is larger than a lowered limit sheds the last to come", async () => {
  const harness = await new GroupHarness().start();
  const members = await harness.stableGroup({}, {}, {});
  harness.config["group.max.size"] = 2;
  const [leader, second] = members.map(({ memberId }) => harness.join({ memberId, protocols: rangeAnd("x") }));
  const third = await harness.join({ memberId: members[2]?.memberId ?? "" });
  expect(third.errorCode).toBe(ErrorCode.GROUP_MAX_SIZE_REACHED);
  expect((await leader)?.members).toHaveLength(2);
  expect((await second)?.generationId).toBe(2);
});

test("a new member whose client is gone does not stay for ever", async () => {
  const harness = await new GroupHarness().start();
  await harness.stableGroup({ sessionTimeoutMs: 60_000, rebalanceTimeoutMs: 900_000 });
  const lost = harness.join();
  for (let minute = 0; minute < 5; minute++) {
    expect(harness.memberIds()).toHaveLength(2);
    expect(harness.heartbeat({ memberId: harness.memberIds()[0] ?? "", groupInstanceId: null, generationId: 1 })).toBe(
      ErrorCode.REBALANCE_IN_PROGRESS,
    );
    await harness.advance(59_900);
    harness.heartbeat({ memberId: harness.memberIds()[0] ?? "", groupInstanceId: null, generationId: 1 });
    await harness.advance(100);
  }
  expect((await lost).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  expect(harness.memberIds()).toHaveLength(1);
});

test("requests are copied: what happens to their frame does not matter", async () => {
  const harness = await new GroupHarness({ "group.initial.rebalance.delay.ms": 0 }).start();
  const metadata = Buffer.from("hello");
  const join = harness.join({ protocols: [{ name: "range", metadata }] });
  metadata.fill(0);
  await harness.advance(0);
  expect((await join).members[0]?.metadata.toString()).toBe("hello");
});

test("each start of a group has an initial delay of its own", async () => {
  const harness = await new GroupHarness().start();
  const leaveAll = () =>
    harness.coordinator.leave(
      "g",
      harness.memberIds().map((memberId) => ({ memberId, groupInstanceId: null, reason: null })),
    );
  void harness.join({ rebalanceTimeoutMs: 3_000 });
  void harness.join({ rebalanceTimeoutMs: 3_000 });
  await harness.advance(3_000);
  await leaveAll();
  const join = harness.join();
  await harness.advance(3_000);
  expect((await join).generationId).toBe(3);
});

test("ids that are given out and not used are bounded", async () => {
  const harness = await new GroupHarness().start();
  for (let count = 0; count < 10_000; count++) void harness.join({ memberIdRequired: true });
  expect((await harness.join({ memberIdRequired: true })).errorCode).toBe(ErrorCode.GROUP_MAX_SIZE_REACHED);
  await harness.advance(10_000);
  expect((await harness.join({ memberIdRequired: true })).errorCode).toBe(ErrorCode.MEMBER_ID_REQUIRED);
});

test("what a group remembers for its members is bounded", async () => {
  const harness = await new GroupHarness().start();
  const protocols = [{ name: "range", metadata: Buffer.alloc(4_000_000) }];
  const joins = Array.from({ length: 17 }, () => harness.join({ protocols }));
  expect((await joins[16])?.errorCode).toBe(ErrorCode.MESSAGE_TOO_LARGE);
  await harness.coordinator.leave("g", [
    { memberId: harness.memberIds()[0] ?? "", groupInstanceId: null, reason: null },
  ]);
  const next = harness.join({ protocols });
  await harness.advance(300_000);
  expect((await next).errorCode).not.toBe(ErrorCode.MESSAGE_TOO_LARGE);
});

test("an id that was used does not lapse", async () => {
  const harness = await new GroupHarness().start();
  const { memberId } = await harness.join({ memberIdRequired: true, sessionTimeoutMs: 1_000 });
  const join = harness.join({ memberId, sessionTimeoutMs: 1_000 });
  await harness.advance(2_000);
  expect(harness.state()).toBe("PreparingRebalance"); // a lapse would have ended the initial delay
  await harness.advance(1_000);
  expect((await join).errorCode).toBe(0);
});
