import { expect, test } from "vitest";
import { GroupHarness, settle } from "../../../test/fakes/group-harness.js";
import { ErrorCode } from "../../errors/error-codes.js";

async function joinedPair() {
  const harness = await new GroupHarness().start();
  const joins = [harness.join(), harness.join()];
  await harness.advance(6_000);
  const [leader, follower] = (await Promise.all(joins)).map(({ memberId, generationId }) => ({
    memberId,
    generationId,
    groupInstanceId: null,
  }));
  if (leader === undefined || follower === undefined) throw new Error("two members joined");
  return { harness, leader, follower };
}

test("everybody gets what the leader assigned, byte for byte, and nothing before that", async () => {
  const { harness, leader, follower } = await joinedPair();
  const waiting = harness.sync(follower);
  let answered = false;
  void waiting.then(() => {
    answered = true;
  });
  await settle();
  expect(answered).toBe(false);
  const bytes = Buffer.from([0, 1, 2, 255]);
  const own = await harness.sync(leader, {
    assignments: [
      { memberId: follower.memberId, assignment: bytes },
      { memberId: "nobody", assignment: Buffer.from("lost") },
    ],
  });
  expect(own).toMatchObject({ errorCode: 0, protocolType: "consumer", protocolName: "range" });
  expect(own.assignment).toHaveLength(0);
  expect((await waiting).assignment).toEqual(bytes);
  expect(harness.state()).toBe("Stable");
});

test("in a stable group a member may ask again, and a late one still gets its assignment", async () => {
  const { harness, leader, follower } = await joinedPair();
  await harness.sync(leader, { assignments: [{ memberId: follower.memberId, assignment: Buffer.from("f") }] });
  expect((await harness.sync(follower)).assignment.toString()).toBe("f");
  expect((await harness.sync(follower)).assignment.toString()).toBe("f");
});

test.each([
  ["an unknown member", { memberId: "x" }, ErrorCode.UNKNOWN_MEMBER_ID],
  ["an unknown instance", { groupInstanceId: "x" }, ErrorCode.UNKNOWN_MEMBER_ID],
  ["another generation", { generationId: 7 }, ErrorCode.ILLEGAL_GENERATION],
  ["another protocol", { protocolName: "sticky" }, ErrorCode.INCONSISTENT_GROUP_PROTOCOL],
  ["another protocol type", { protocolType: "connect" }, ErrorCode.INCONSISTENT_GROUP_PROTOCOL],
  ["an unknown group", { groupId: "other" }, ErrorCode.UNKNOWN_MEMBER_ID],
  ["no group", { groupId: "" }, ErrorCode.INVALID_GROUP_ID],
  [
    "a huge assignment",
    { assignments: [{ memberId: "x", assignment: Buffer.alloc(65 << 20) }] },
    ErrorCode.MESSAGE_TOO_LARGE,
  ],
])("refuses %s", async (_what, request, errorCode) => {
  const { harness, leader } = await joinedPair();
  expect(await harness.sync(leader, request)).toMatchObject({ errorCode, protocolType: null, protocolName: null });
  expect(harness.state()).toBe("CompletingRebalance");
});

test("protocol names may be left out by older clients", async () => {
  const { harness, leader } = await joinedPair();
  expect((await harness.sync(leader, { protocolType: null, protocolName: null })).errorCode).toBe(0);
});

test("a rebalance that begins meanwhile sends those who wait back to join", async () => {
  const { harness, follower } = await joinedPair();
  const waiting = harness.sync(follower);
  void harness.join();
  expect(await waiting).toMatchObject({ errorCode: ErrorCode.REBALANCE_IN_PROGRESS });
  expect((await harness.sync(follower)).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
});

test("an assignment that becomes durable after the group moved on is not used", async () => {
  const { harness, leader, follower } = await joinedPair();
  harness.journals.holding = true;
  const leaderSync = harness.sync(leader, {
    assignments: [{ memberId: follower.memberId, assignment: Buffer.from("old") }],
  });
  void harness.join();
  expect((await leaderSync).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  harness.journals.release();
  await settle();
  expect(harness.state()).toBe("PreparingRebalance");
});

test("the group is stable when the generation is durable, not before", async () => {
  const { harness, leader } = await joinedPair();
  harness.journals.holding = true;
  const sync = harness.sync(leader);
  await settle();
  expect(harness.state()).toBe("CompletingRebalance");
  harness.journals.release();
  expect((await sync).errorCode).toBe(0);
  expect(harness.state()).toBe("Stable");
});

test("who does not ask for its assignment within the rebalance timeout is out", async () => {
  const { harness, leader, follower } = await joinedPair();
  await harness.sync(leader);
  for (let second = 0; second < 19; second++) {
    expect(harness.heartbeat(leader)).toBe(0);
    expect(harness.heartbeat(follower)).toBe(0);
    await harness.advance(1_000);
  }
  expect(harness.memberIds()).toHaveLength(2);
  await harness.advance(1_000);
  expect(harness.memberIds()).toEqual([leader.memberId]);
  expect(harness.heartbeat(leader)).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  expect(harness.heartbeat(follower)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
});

test("a leader that never assigns is replaced", async () => {
  const { harness, leader, follower } = await joinedPair();
  const waiting = harness.sync(follower);
  for (let second = 0; second < 20; second++) {
    harness.heartbeat(leader);
    await harness.advance(1_000);
  }
  expect((await waiting).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  const rejoined = await harness.join({ memberId: follower.memberId });
  expect(rejoined).toMatchObject({ leader: follower.memberId, generationId: 2 });
});

test("the second request of a member that waits takes the place of the first", async () => {
  const { harness, leader, follower } = await joinedPair();
  const first = harness.sync(follower);
  const second = harness.sync(follower);
  expect((await first).errorCode).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
  await harness.sync(leader);
  expect((await second).errorCode).toBe(0);
});

test("assignments are copied: what happens to their frame does not matter", async () => {
  const { harness, leader } = await joinedPair();
  const assignment = Buffer.from("mine");
  harness.journals.holding = true;
  const sync = harness.sync(leader, { assignments: [{ memberId: leader.memberId, assignment }] });
  await settle();
  assignment.fill(0);
  harness.journals.release();
  expect((await sync).assignment.toString()).toBe("mine");
});

test("an assignment that becomes durable in a later generation is not used in it", async () => {
  const { harness, leader, follower } = await joinedPair();
  harness.journals.holding = true;
  void harness.sync(leader, { assignments: [{ memberId: follower.memberId, assignment: Buffer.from("old") }] });
  const joins = [harness.join(), ...[leader, follower].map(({ memberId }) => harness.join({ memberId }))];
  expect((await Promise.all(joins)).map(({ generationId }) => generationId)).toEqual([2, 2, 2]);
  harness.journals.release();
  await settle();
  expect(harness.state()).toBe("CompletingRebalance");
});

test("a member that waited longer than its session is watched again once it is answered", async () => {
  const { harness, leader, follower } = await joinedPair();
  const waiting = harness.sync(follower);
  for (let second = 0; second < 15; second++) {
    expect(harness.heartbeat(leader)).toBe(0);
    await harness.advance(1_000);
  }
  await harness.sync(leader);
  expect((await waiting).errorCode).toBe(0);
  await harness.advance(9_000);
  expect(harness.memberIds()).toEqual([leader.memberId, follower.memberId]);
  await harness.advance(31_000);
  expect(harness.state()).toBe("Empty");
});

test("a rebalance gives everybody a new time to ask for the assignment", async () => {
  const { harness, leader, follower } = await joinedPair();
  const beat = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      for (const member of [leader, follower]) harness.heartbeat(member);
      await harness.advance(1_000);
    }
  };
  await beat(15);
  void harness.join();
  await beat(10);
  expect(harness.memberIds()).toHaveLength(3);
});
