import type { Context, Scenario } from "../context.js";
import { awaitCoordinator, join, type JoinWish, stableGroup, sync } from "./group-requests.js";

/** An id that no broker gave. */
const STRANGER = "stranger-11111111";

/** One member's life in every version, and what is refused of it. */
export const groupMembership: Scenario = {
  name: "group membership",
  async run(context) {
    await awaitCoordinator(context, context.named("first"));
    for (let version = 0; version <= 9; version++) await life(context, version);
    await badJoins(context);
    await badMembers(context);
  },
};

/** Versions of the other requests beside one of JoinGroup. */
async function life(context: Context, version: number): Promise<void> {
  const group = context.named(`life-${version}`);
  const at = (max: number): number => Math.min(version, max);
  let answer = await context.call("join", "JoinGroup", version, join(group));
  if (answer.errorCode === 79)
    answer = await context.call("join with the id", "JoinGroup", version, join(group, { memberId: answer.memberId }));
  const { memberId, generationId } = answer;
  await context.call(`before sync, ${version}`, "Heartbeat", at(4), { groupId: group, generationId, memberId });
  await context.call(`sync, ${version}`, "SyncGroup", at(5), sync(group, generationId, memberId, [[memberId, "mine"]]));
  await context.call(`sync again, ${version}`, "SyncGroup", at(5), sync(group, generationId, memberId, []));
  await context.call(`heartbeat, ${version}`, "Heartbeat", at(4), { groupId: group, generationId, memberId });
  await context.call(`join again, ${version}`, "JoinGroup", version, join(group, { memberId }));
  await context.call(`old generation, ${version}`, "Heartbeat", at(4), { groupId: group, generationId, memberId });
  await context.call(
    `sync of the old generation, ${version}`,
    "SyncGroup",
    at(5),
    sync(group, generationId, memberId, []),
  );
  await context.call(`leave, ${version}`, "LeaveGroup", at(5), {
    groupId: group,
    memberId,
    members: [{ memberId, groupInstanceId: null, reason: "done" }],
  });
  await context.call(`leave again, ${version}`, "LeaveGroup", at(5), {
    groupId: group,
    memberId,
    members: [{ memberId, groupInstanceId: null }],
  });
  await context.call(`heartbeat afterwards, ${version}`, "Heartbeat", at(4), {
    groupId: group,
    generationId,
    memberId,
  });
  await context.call(`described afterwards, ${version}`, "DescribeGroups", at(6), {
    groups: [group],
    includeAuthorizedOperations: true,
  });
}

async function badJoins(context: Context): Promise<void> {
  const wishes: readonly (readonly [string, JoinWish])[] = [
    ["unknown member", { memberId: STRANGER }],
    ["session too short", { sessionTimeoutMs: 1 }],
    ["session too long", { sessionTimeoutMs: 999_999_999 }],
    ["session of 0", { sessionTimeoutMs: 0 }],
    ["negative session", { sessionTimeoutMs: -1 }],
    ["no protocols", { protocols: [] }],
    ["no protocol type", { protocolType: "" }],
    ["empty protocol name", { protocols: [["", ""]] }],
  ];
  for (const [label, wish] of wishes) {
    await context.eachVersion(label, "JoinGroup", (version: number) =>
      join(context.named(`${label.replaceAll(" ", "-")}-${version}`), wish),
    );
  }
  for (const groupId of ["", " ", "a b", "ü", "x".repeat(300)]) {
    await context.eachVersion(
      `group '${groupId.slice(0, 3)}' of ${groupId.length}`,
      "JoinGroup",
      join(groupId, { memberId: STRANGER }),
    );
  }
  const { memberId } = await stableGroup(context, context.named("consumers"));
  const other: readonly (readonly [string, JoinWish])[] = [
    ["another protocol", { protocols: [["sticky", "x"]] }],
    ["another protocol type", { protocolType: "connect" }],
    ["no protocol at all", { protocols: [] }],
  ];
  for (const [label, wish] of other)
    await context.eachVersion(`beside a member: ${label}`, "JoinGroup", join(context.named("consumers"), wish));
  for (const [label, wish] of other) {
    const own = join(context.named("consumers"), { memberId, ...wish });
    await context.call(`the member itself: ${label}`, "JoinGroup", 9, own);
  }
}

/** Requests of members that a group does not have, or not in that generation. */
async function badMembers(context: Context): Promise<void> {
  const group = context.named("one");
  const { memberId, generationId } = await stableGroup(context, group);
  const cases: readonly (readonly [string, string, number, string, string | null])[] = [
    ["unknown member", group, generationId, STRANGER, null],
    ["empty member", group, generationId, "", null],
    ["later generation", group, generationId + 1, memberId, null],
    ["generation before", group, generationId - 1, memberId, null],
    ["negative generation", group, -1, memberId, null],
    ["unknown group", context.named("nobody"), 1, STRANGER, null],
    ["empty group", "", 1, STRANGER, null],
    ["unknown instance", group, generationId, memberId, "instance"],
  ];
  for (const [label, groupId, generation, member, instance] of cases) {
    const who = { groupId, generationId: generation, memberId: member, groupInstanceId: instance };
    await context.eachVersion(`heartbeat: ${label}`, "Heartbeat", who);
    await context.eachVersion(`sync: ${label}`, "SyncGroup", {
      ...sync(groupId, generation, member, []),
      groupInstanceId: instance,
    });
    if (member === memberId && instance === null) continue;
    await context.eachVersion(`leave: ${label}`, "LeaveGroup", {
      groupId,
      memberId: member,
      members: [{ memberId: member, groupInstanceId: instance }],
    });
  }
  const wrong = [{ protocolType: "connect" }, { protocolName: "sticky" }, { protocolType: null, protocolName: null }];
  for (const [place, rest] of wrong.entries())
    await context.eachVersion(
      `sync with another protocol, ${place}`,
      "SyncGroup",
      sync(group, generationId, memberId, [], rest),
      { from: 5 },
    );
  await context.eachVersion("leave: nobody", "LeaveGroup", { groupId: group, members: [] }, { from: 3 });
  const several = [memberId, STRANGER].map((id) => ({ memberId: id, groupInstanceId: null }));
  await context.call("leave: one of two", "LeaveGroup", 5, { groupId: group, members: several });
}
