import type { Context, Scenario } from "../context.js";
import { join, stableGroup, sync } from "./group-requests.js";

/** An id that no broker gave. */
const STRANGER = "stranger-11111111";

/** Several members: who waits for whom, and what each is told. */
export const rebalances: Scenario = {
  name: "rebalances",
  async run(context) {
    const group = context.named("g");
    const { memberId: a, generationId } = await stableGroup(context, group, {
      protocols: [
        ["range", "a"],
        ["sticky", "a2"],
      ],
    });
    const [connectionA, connectionB] = [await context.connection(), await context.connection()];
    const first = await context.quiet("JoinGroup", join(group, { protocols: [["sticky", "b"]] }), 9, connectionB);
    context.keep("the second member's id", first);
    const b = first.memberId;
    await context.call("pending: described", "DescribeGroups", 6, { groups: [group] });
    await context.call("pending: heartbeat of the first", "Heartbeat", 4, {
      groupId: group,
      generationId,
      memberId: a,
    });
    await context.call("pending: heartbeat of the pending", "Heartbeat", 4, {
      groupId: group,
      generationId,
      memberId: b,
    });
    await context.call("pending: sync of the pending", "SyncGroup", 5, sync(group, generationId, b, []));
    const joinB = context.quiet(
      "JoinGroup",
      join(group, { memberId: b, protocols: [["sticky", "b"]] }),
      9,
      connectionB,
    );
    await context.until(
      "the group rebalances",
      async () => (await context.quiet("Heartbeat", { groupId: group, generationId, memberId: a })).errorCode === 27,
    );
    await context.call("rebalancing: described", "DescribeGroups", 6, { groups: [group] });
    await context.call("rebalancing: sync of the first", "SyncGroup", 5, sync(group, generationId, a, []));
    const rejoinA = context.quiet(
      "JoinGroup",
      join(group, {
        memberId: a,
        protocols: [
          ["range", "a"],
          ["sticky", "a2"],
        ],
      }),
      9,
      connectionA,
    );
    const [joinedA, joinedB] = await Promise.all([rejoinA, joinB]);
    context.keep("the first has joined", joinedA);
    context.keep("the second has joined", joinedB);
    const next = joinedA.generationId;
    await context.call("before sync: heartbeat", "Heartbeat", 4, { groupId: group, generationId: next, memberId: a });
    const followerSync = context.quiet(
      "SyncGroup",
      sync(group, next, b, [], { protocolName: "sticky" }),
      5,
      connectionB,
    );
    await context.call("before sync: described", "DescribeGroups", 6, { groups: [group] });
    const assignments = [
      [a, "for a"],
      [b, "for b"],
      [STRANGER, "x"],
    ] as const;
    const leaderSync = context.quiet(
      "SyncGroup",
      sync(group, next, a, assignments, { protocolName: "sticky" }),
      5,
      connectionA,
    );
    context.keep("the leader's assignment", await leaderSync);
    context.keep("the follower's assignment", await followerSync);
    await context.call("stable: described", "DescribeGroups", 6, { groups: [group] });
    await leaveAndRejoin(context, group, a, b, next);
    await expired(context);
  },
};

async function leaveAndRejoin(
  context: Context,
  group: string,
  a: string,
  b: string,
  generationId: number,
): Promise<void> {
  await context.call("the second leaves", "LeaveGroup", 5, {
    groupId: group,
    members: [{ memberId: b, groupInstanceId: null }],
  });
  await context.call("after that: heartbeat of the first", "Heartbeat", 4, {
    groupId: group,
    generationId,
    memberId: a,
  });
  await context.call("after that: heartbeat of the second", "Heartbeat", 4, {
    groupId: group,
    generationId,
    memberId: b,
  });
  await context.call(
    "the first joins alone",
    "JoinGroup",
    9,
    join(group, {
      memberId: a,
      protocols: [
        ["range", "a"],
        ["sticky", "a2"],
      ],
    }),
  );
  await context.call("the first syncs without assignments", "SyncGroup", 5, sync(group, generationId + 1, a, []));
  await context.call(
    "the first joins with nothing new",
    "JoinGroup",
    9,
    join(group, {
      memberId: a,
      protocols: [
        ["range", "a"],
        ["sticky", "a2"],
      ],
    }),
  );
  await context.call("described at the end", "DescribeGroups", 6, { groups: [group] });
}

/** A member that is silent for its session timeout is gone. */
async function expired(context: Context): Promise<void> {
  const group = context.named("silent");
  const { memberId, generationId } = await stableGroup(context, group, { sessionTimeoutMs: 1000 });
  await context.until("it is gone", async () => {
    const { groups } = await context.quiet("DescribeGroups", { groups: [group] });
    return groups[0].groupState === "Empty";
  });
  await context.call("silent: heartbeat", "Heartbeat", 4, { groupId: group, generationId, memberId });
  await context.call("silent: described", "DescribeGroups", 6, { groups: [group] });
  await context.call("silent: joins with its old id", "JoinGroup", 9, join(group, { memberId }));
}
