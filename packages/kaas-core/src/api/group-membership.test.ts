import { expect, test } from "vitest";
import { exchange, failures, versionsOf } from "../../test/fakes/api-exchange.js";
import { GroupHarness, type TestMember } from "../../test/fakes/group-harness.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { HeartbeatResponse, LeaveGroupResponse, SyncGroupResponse } from "../messages/generated/index.js";
import { heartbeat } from "./12-heartbeat.js";
import { leaveGroup } from "./13-leave-group.js";
import { syncGroup } from "./14-sync-group.js";
import type { AnyApiHandler } from "./api-handler.js";

async function stable(): Promise<{ harness: GroupHarness; member: TestMember }> {
  const harness = await new GroupHarness().start();
  const [member] = await harness.stableGroup({ groupInstanceId: "i" });
  if (member === undefined) throw new Error("a member was asked for");
  return { harness, member };
}

/** A static member's id is only known to versions that have a place for it. */
function ask<Response>(
  harness: GroupHarness,
  handler: AnyApiHandler,
  version: number,
  request: object,
): Promise<Response> {
  const { groupInstanceId, ...rest } = { groupId: "g", ...request } as { groupInstanceId?: string | null };
  const asked = version >= 3 ? { ...rest, groupInstanceId } : rest;
  return exchange<Response>({ groups: harness.coordinator }, handler, version, asked);
}

test.each(versionsOf(heartbeat))("Heartbeat version %i", async (version) => {
  const { harness, member } = await stable();
  const beat = (request: object) => ask<HeartbeatResponse>(harness, heartbeat, version, { ...member, ...request });
  expect(await beat({})).toEqual({ throttleTimeMs: 0, errorCode: 0 });
  expect((await beat({ generationId: 9 })).errorCode).toBe(ErrorCode.ILLEGAL_GENERATION);
  expect((await beat({ groupId: "" })).errorCode).toBe(ErrorCode.INVALID_GROUP_ID);
  const other = version >= 3 ? ErrorCode.FENCED_INSTANCE_ID : ErrorCode.UNKNOWN_MEMBER_ID;
  expect((await beat({ memberId: "x" })).errorCode).toBe(other);
});

test.each(versionsOf(syncGroup))("SyncGroup version %i", async (version) => {
  const { harness, member } = await stable();
  const named = { protocolType: "consumer", protocolName: "range" };
  const sync = (request: object) =>
    ask<SyncGroupResponse>(harness, syncGroup, version, { assignments: [], ...member, ...request });
  const result = await sync(named);
  expect(result).toMatchObject({
    errorCode: 0,
    ...(version >= 5 ? named : { protocolType: null, protocolName: null }),
  });
  expect(result.assignment.toString()).toBe(member.memberId);
  const inconsistent = version >= 5 ? ErrorCode.INCONSISTENT_GROUP_PROTOCOL : ErrorCode.NONE;
  expect((await sync({})).errorCode).toBe(inconsistent);
  expect((await sync({ ...named, protocolName: "sticky" })).errorCode).toBe(inconsistent);
  expect((await sync({ ...named, groupId: "" })).errorCode).toBe(ErrorCode.INVALID_GROUP_ID);
});

test.each([0, 1, 2])("LeaveGroup version %i: one member, one error", async (version) => {
  const { harness, member } = await stable();
  const leave = (groupId: string, memberId: string) =>
    exchange<LeaveGroupResponse>({ groups: harness.coordinator }, leaveGroup, version, { groupId, memberId });
  expect((await leave("g", "x")).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  expect((await leave("other", "x")).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  expect((await leave("", "x")).errorCode).toBe(ErrorCode.INVALID_GROUP_ID);
  expect(await leave("g", member.memberId)).toMatchObject({ errorCode: 0, members: [] });
  expect(harness.state()).toBe("Empty");
});

test.each([3, 4, 5])("LeaveGroup version %i: each member its error", async (version) => {
  const { harness, member } = await stable();
  const leave = (groupId: string, ...members: object[]) =>
    exchange<LeaveGroupResponse>({ groups: harness.coordinator }, leaveGroup, version, { groupId, members });
  const unknown = ErrorCode.UNKNOWN_MEMBER_ID;
  expect(await leave("g", { memberId: "x" }, { memberId: "", groupInstanceId: "i" })).toMatchObject({
    errorCode: 0,
    members: [
      { memberId: "x", groupInstanceId: null, errorCode: unknown },
      { memberId: "", groupInstanceId: "i", errorCode: 0 },
    ],
  });
  expect(await leave("other", { memberId: member.memberId })).toMatchObject({
    errorCode: 0,
    members: [{ errorCode: unknown }],
  });
  expect(await leave("", { memberId: "x" })).toMatchObject({ errorCode: ErrorCode.INVALID_GROUP_ID, members: [] });
  expect(await leave("g")).toMatchObject({ errorCode: 0, members: [] });
});

test("failures can be said in every version", () => {
  const request = { groupId: "g", generationId: 1, memberId: "m", assignments: [] };
  for (const handler of [heartbeat, syncGroup, leaveGroup] as AnyApiHandler[]) {
    const asked = handler === leaveGroup ? { groupId: "g" } : request;
    for (const answer of failures<HeartbeatResponse>(handler, asked, ErrorCode.UNKNOWN_SERVER_ERROR)) {
      expect(answer.errorCode).toBe(ErrorCode.UNKNOWN_SERVER_ERROR);
    }
  }
});
