import { expect, test } from "vitest";
import { exchange, failures, versionsOf } from "../../test/fakes/api-exchange.js";
import { GroupHarness, settle } from "../../test/fakes/group-harness.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { JoinGroupRequestInit, JoinGroupResponse } from "../messages/generated/index.js";
import { joinGroup } from "./11-join-group.js";

const started = (delayMs = 0) => new GroupHarness({ "group.initial.rebalance.delay.ms": delayMs }).start();

function join(
  harness: GroupHarness,
  version: number,
  request: Partial<JoinGroupRequestInit> = {},
  clientId: string | null = "app",
) {
  const asked = {
    groupId: "g",
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 20_000,
    memberId: "",
    protocolType: "consumer",
    protocols: [{ name: "range", metadata: Buffer.from("m") }],
    ...request,
  };
  return exchange<JoinGroupResponse>({ groups: harness.coordinator }, joinGroup, version, asked, clientId);
}

test.each(versionsOf(joinGroup))("version %i: a client becomes a member", async (version) => {
  const harness = await started();
  const first = version < 4 ? undefined : await join(harness, version);
  if (first !== undefined) {
    expect(first).toMatchObject({ errorCode: ErrorCode.MEMBER_ID_REQUIRED, protocolName: version < 7 ? "" : null });
    expect(first.memberId).toMatch(/^app-/);
  }
  const joining = join(harness, version, { memberId: first?.memberId ?? "" });
  await settle();
  await harness.advance(0);
  const joined = await joining;
  expect(joined).toMatchObject({
    errorCode: 0,
    generationId: 1,
    protocolType: version < 7 ? null : "consumer",
    protocolName: "range",
    leader: joined.memberId,
    members: [{ memberId: joined.memberId, groupInstanceId: null, metadata: Buffer.from("m") }],
  });
});

test.each(versionsOf(joinGroup))("version %i: refusals can be said", async (version) => {
  const harness = await started();
  expect(await join(harness, version, { groupId: "" })).toMatchObject({ errorCode: ErrorCode.INVALID_GROUP_ID });
  expect(await join(harness, version, { memberId: "x" })).toMatchObject({
    errorCode: ErrorCode.UNKNOWN_MEMBER_ID,
    memberId: "x",
    generationId: -1,
    protocolName: version < 7 ? "" : null,
  });
});

test("version 0 has no rebalance timeout of its own", async () => {
  const harness = await started();
  void join(harness, 0, { sessionTimeoutMs: 7_000 });
  await settle();
  await harness.advance(0);
  const [first] = harness.memberIds();
  expect(first).toBeDefined();
  void join(harness, 0, { sessionTimeoutMs: 7_000 });
  await settle();
  for (let second = 0; second < 7; second++) {
    expect(harness.state()).toBe("PreparingRebalance");
    harness.heartbeat({ memberId: first ?? "", groupInstanceId: null, generationId: 1 });
    await harness.advance(1_000);
  }
  expect(harness.state()).toBe("CompletingRebalance");
});

test("a static leader that comes back skips the assignment where its version can say so", async () => {
  for (const version of [8, 9]) {
    const harness = await new GroupHarness().start();
    const [leader] = await harness.stableGroup({ groupInstanceId: "i" });
    const back = await join(harness, version, { groupInstanceId: "i" });
    expect(back.skipAssignment).toBe(version === 9);
    expect(back.leader === back.memberId).toBe(version === 9);
    expect(back.memberId).not.toBe(leader?.memberId);
  }
});

test("who the client is, is shown to administrators; one without a name has an empty one", async () => {
  const harness = await started();
  void join(harness, 3, {}, null);
  await settle();
  expect(harness.coordinator.describe("g")).toMatchObject({ members: [{ clientId: "", clientHost: "/127.0.0.1" }] });
});

test("failures can be said in every version", () => {
  const request = { groupId: "g", sessionTimeoutMs: 1, memberId: "m", protocolType: "c", protocols: [] };
  for (const answer of failures<JoinGroupResponse>(joinGroup, request, ErrorCode.UNKNOWN_SERVER_ERROR)) {
    expect(answer).toMatchObject({ errorCode: ErrorCode.UNKNOWN_SERVER_ERROR, memberId: "m", generationId: -1 });
  }
});
