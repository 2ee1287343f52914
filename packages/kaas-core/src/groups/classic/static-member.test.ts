import { expect, test } from "vitest";
import { GroupHarness, settle, subscription } from "../../../test/fakes/group-harness.js";
import { ErrorCode } from "../../errors/error-codes.js";
import type { JoinResult } from "./classic-requests.js";

const A = { groupInstanceId: "A" };
const B = { groupInstanceId: "B" };

async function stableStaticGroup() {
  const harness = await new GroupHarness().start();
  const [a, b] = await harness.stableGroup(A, B);
  if (a === undefined || b === undefined) throw new Error("two members were asked for");
  return { harness, a, b };
}

test("a static member's id carries its instance id", async () => {
  const { a } = await stableStaticGroup();
  expect(a.memberId).toMatch(/^A-/);
});

test("a follower that comes back takes its place without a rebalance", async () => {
  const { harness, a, b } = await stableStaticGroup();
  const back = await harness.join(B);
  expect(back).toMatchObject({ errorCode: 0, generationId: 1, leader: a.memberId, skipAssignment: false, members: [] });
  expect(back.memberId).not.toBe(b.memberId);
  expect(harness.state()).toBe("Stable");
  const synced = await harness.sync({ ...back, ...B });
  expect(synced.assignment.toString()).toBe(b.memberId);
});

test("the old incarnation is fenced in everything it does", async () => {
  const { harness, b } = await stableStaticGroup();
  await harness.join(B);
  expect(harness.heartbeat(b)).toBe(ErrorCode.FENCED_INSTANCE_ID);
  expect((await harness.sync(b)).errorCode).toBe(ErrorCode.FENCED_INSTANCE_ID);
  expect(await harness.join({ ...B, memberId: b.memberId })).toMatchObject({ errorCode: ErrorCode.FENCED_INSTANCE_ID });
  expect(await harness.coordinator.leave("g", [{ ...b, reason: null }])).toMatchObject([
    { errorCode: ErrorCode.FENCED_INSTANCE_ID },
  ]);
  expect(harness.heartbeat({ ...b, groupInstanceId: null })).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
});

test("a leader that comes back is told to skip the assignment (KIP-814)", async () => {
  const { harness, a } = await stableStaticGroup();
  const back = await harness.join({ ...A, canSkipAssignment: true });
  expect(back).toMatchObject({ skipAssignment: true, leader: back.memberId });
  expect(back.members.map(({ groupInstanceId }) => groupInstanceId)).toEqual(["B", "A"]);
  expect((await harness.sync({ ...back, ...A })).assignment.toString()).toBe(a.memberId);
});

test("an older client is shown its old id as leader, so that it does not assign", async () => {
  const { harness, a } = await stableStaticGroup();
  const back = await harness.join({ ...A, canSkipAssignment: false });
  expect(back).toMatchObject({ skipAssignment: false, leader: a.memberId, members: [] });
});

test("it may subscribe to something else without anybody noticing, as long as the protocol stays", async () => {
  const { harness } = await stableStaticGroup();
  await harness.join({ ...B, protocols: [{ name: "range", metadata: subscription("other") }] });
  expect(harness.state()).toBe("Stable");
});

test("a change of protocol makes the group rebalance", async () => {
  const harness = await new GroupHarness().start();
  const both = (...names: string[]) => names.map((name) => ({ name, metadata: subscription("t") }));
  const [a, b] = await harness.stableGroup(
    { ...A, protocols: both("range", "sticky") },
    { ...B, protocols: both("range", "sticky") },
  );
  const back = harness.join({ ...B, protocols: both("sticky") });
  expect(harness.state()).toBe("PreparingRebalance");
  expect(harness.heartbeat(a ?? { memberId: "", groupInstanceId: null, generationId: 0 })).toBe(
    ErrorCode.REBALANCE_IN_PROGRESS,
  );
  void harness.join({ ...A, memberId: a?.memberId ?? "", protocols: both("range", "sticky") });
  expect(await back).toMatchObject({ generationId: 2, protocolName: "sticky" });
  expect(b).toBeDefined();
});

test("coming back before the assignment is there begins another rebalance", async () => {
  const harness = await new GroupHarness().start();
  const joins = [harness.join(A), harness.join(B)];
  await harness.advance(6_000);
  const [a, b] = await Promise.all(joins);
  const waiting = harness.sync({ memberId: b?.memberId ?? "", generationId: 1, ...B });
  const back = harness.join(B);
  expect((await waiting).errorCode).toBe(ErrorCode.FENCED_INSTANCE_ID);
  expect(harness.state()).toBe("PreparingRebalance");
  void harness.join({ ...A, memberId: a?.memberId ?? "" });
  expect((await back).generationId).toBe(2);
});

test("two clients with one instance id: the later one waits, the earlier one is fenced", async () => {
  const { harness, a } = await stableStaticGroup();
  void harness.join({ ...A, memberId: a.memberId });
  const first = harness.join({ groupInstanceId: "C" });
  const second = harness.join({ groupInstanceId: "C" });
  expect((await first).errorCode).toBe(ErrorCode.FENCED_INSTANCE_ID);
  await settle();
  expect(harness.state()).toBe("PreparingRebalance");
  await harness.advance(20_000);
  expect((await second).errorCode).toBe(0);
});

test("a static member that does not come keeps its place until its session ends", async () => {
  const harness = await new GroupHarness().start();
  const soon = { rebalanceTimeoutMs: 2_000 };
  const [a] = await harness.stableGroup({ ...A, ...soon }, { ...B, ...soon });
  const joins = [harness.join({ ...A, ...soon, memberId: a?.memberId ?? "" }), harness.join(soon)];
  await harness.advance(2_000);
  const [leader] = await Promise.all(joins);
  expect(leader?.members.map(({ groupInstanceId }) => groupInstanceId)).toEqual(["A", "B", null]);
  await harness.advance(8_000);
  expect(harness.memberIds().some((memberId) => memberId.startsWith("B-"))).toBe(false);
});

test("a static leader that does not come is replaced by who did", async () => {
  const { harness, a, b } = await stableStaticGroup();
  const join = harness.join({
    ...B,
    memberId: b.memberId,
    protocols: [{ name: "range", metadata: subscription("u") }],
  });
  for (let second = 0; second < 20; second++) {
    harness.heartbeat(a);
    await harness.advance(1_000);
  }
  const joined = await join;
  expect(joined.leader).toBe(b.memberId);
  expect(joined.members.map(({ groupInstanceId }) => groupInstanceId)).toEqual(["A", "B"]);
});

test("static members that stay away but alive hold up the group one rebalance timeout at a time", async () => {
  const harness = await new GroupHarness().start();
  const [a, b, c] = await harness.stableGroup(A, B, { groupInstanceId: "C" });
  if (a === undefined || b === undefined || c === undefined) throw new Error("three members were asked for");
  await harness.coordinator.leave("g", [{ ...c, reason: null }]);
  let joined: Promise<JoinResult> | undefined;
  for (let second = 0; second < 39; second++) {
    if (second === 25) joined = harness.join({ ...A, memberId: a.memberId });
    expect(harness.heartbeat(a)).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    expect(harness.heartbeat(b)).toBe(ErrorCode.REBALANCE_IN_PROGRESS);
    await harness.advance(1_000);
  }
  harness.heartbeat(b);
  await harness.advance(1_000);
  expect((await joined)?.generationId).toBe(2);
});

test("when only static members are left and none comes, their sessions decide", async () => {
  const { harness } = await stableStaticGroup();
  const dynamic = harness.join({ rebalanceTimeoutMs: 20_000 });
  await harness.advance(60_000);
  expect((await dynamic).errorCode).toBe(0);
  expect(harness.memberIds()).toHaveLength(0);
  expect(harness.state()).toBe("Empty");
});

test("an administrator removes a member by its instance id", async () => {
  const { harness, a } = await stableStaticGroup();
  const leave = (memberId: string, groupInstanceId: string) => ({ memberId, groupInstanceId, reason: null });
  const results = await harness.coordinator.leave("g", [
    leave("", "B"),
    leave("", "B"),
    leave("", "none"),
    leave("x", "A"),
  ]);
  expect(results).toMatchObject([
    { errorCode: 0, groupInstanceId: "B" },
    { errorCode: ErrorCode.UNKNOWN_MEMBER_ID },
    { errorCode: ErrorCode.UNKNOWN_MEMBER_ID },
    { errorCode: ErrorCode.FENCED_INSTANCE_ID },
  ]);
  expect(harness.memberIds()).toEqual([a.memberId]);
});

test("a member that came back is watched from then on", async () => {
  const { harness, a } = await stableStaticGroup();
  await harness.join(B);
  for (let second = 0; second < 10; second++) {
    expect(harness.heartbeat(a)).toBe(0);
    await harness.advance(1_000);
  }
  expect(harness.memberIds()).toEqual([a.memberId]);
});
