import type { Context, Scenario } from "../context.js";
import { awaitCoordinator, join, joined, stableGroup, sync } from "./group-requests.js";

/** Rebalances in which somebody is late, silent, gone or there twice. */
export const disturbedRebalances: Scenario = {
  name: "disturbed rebalances",
  async run(context) {
    await awaitCoordinator(context, context.named("first"));
    await lateMember(context);
    await neverReturns(context);
    await leavesWhileJoining(context);
    await joinsTwice(context);
    await leaderLeavesBeforeSync(context);
    await replacedWhileJoining(context);
    await replacedWhileSyncing(context);
    await oldVersions(context);
  },
};

/** Who does not join again within the rebalance timeout is out. */
async function lateMember(context: Context): Promise<void> {
  const group = context.named("late");
  const { memberId, generationId } = await stableGroup(context, group, { rebalanceTimeoutMs: 300 });
  const other = await context.connection();
  context.keep("late: the other has joined", await joined(context, group, { rebalanceTimeoutMs: 300 }, other));
  await context.call("late: heartbeat of the late one", "Heartbeat", 4, { groupId: group, generationId, memberId });
  await context.call("late: joins at last", "JoinGroup", 9, join(group, { memberId }));
  await context.call("late: described", "DescribeGroups", 6, { groups: [group] });
}

/** A member that was given an id and does not come back with it. */
async function neverReturns(context: Context): Promise<void> {
  const group = context.named("pending");
  await context.call("pending: gets its id", "JoinGroup", 9, join(group, { sessionTimeoutMs: 1000 }));
  await context.call("pending: described", "DescribeGroups", 6, { groups: [group] });
  await context.call("pending: deleted", "DeleteGroups", 2, { groupsNames: [group] });
}

async function leavesWhileJoining(context: Context): Promise<void> {
  const group = context.named("leaving");
  const { memberId: a } = await stableGroup(context, group);
  const other = await context.connection();
  const { memberId: b } = await context.quiet("JoinGroup", join(group), 9, other);
  const joining = context.quiet("JoinGroup", join(group, { memberId: b }), 9, other);
  await rebalancing(context, group);
  const members = [{ memberId: b, groupInstanceId: null }];
  await context.call("leaving: while it joins", "LeaveGroup", 5, { groupId: group, members });
  context.keep("leaving: its join is answered", await joining);
  await context.call("leaving: the first joins", "JoinGroup", 9, join(group, { memberId: a }));
}

async function rebalancing(context: Context, group: string): Promise<void> {
  await context.until(`${group} rebalances`, async () => {
    const { groups } = await context.quiet("DescribeGroups", { groups: [group] });
    return groups[0].groupState === "PreparingRebalance";
  });
}

/** The same member over two connections. */
async function joinsTwice(context: Context): Promise<void> {
  const group = context.named("twice");
  const { memberId: a, generationId } = await stableGroup(context, group);
  const [first, second] = [await context.connection(), await context.connection()];
  const { memberId: b } = await context.quiet("JoinGroup", join(group), 9, first);
  void context.quiet("JoinGroup", join(group, { memberId: b }), 9, first); // which Kafka never answers
  await rebalancing(context, group);
  const joining = context.quiet("JoinGroup", join(group, { memberId: b }), 9, second);
  await context.call("twice: heartbeat of the joining one", "Heartbeat", 4, {
    groupId: group,
    generationId,
    memberId: b,
  });
  await context.call("twice: the first joins", "JoinGroup", 9, join(group, { memberId: a }));
  context.keep("twice: the other join", await joining);
}

async function leaderLeavesBeforeSync(context: Context): Promise<void> {
  const group = context.named("leader");
  const { memberId: a, generationId } = await stableGroup(context, group);
  const other = await context.connection();
  const { memberId: b } = await context.quiet("JoinGroup", join(group), 9, other);
  const joining = context.quiet("JoinGroup", join(group, { memberId: b }), 9, other);
  await rebalancing(context, group);
  await context.quiet("JoinGroup", join(group, { memberId: a }), 9);
  await joining;
  const syncing = context.quiet("SyncGroup", sync(group, generationId + 1, b, []), 5, other);
  await context.call("leader: follower's heartbeat", "Heartbeat", 4, {
    groupId: group,
    generationId: generationId + 1,
    memberId: b,
  });
  const members = [{ memberId: a, groupInstanceId: null }];
  await context.call("leader: leaves before it syncs", "LeaveGroup", 5, { groupId: group, members });
  context.keep("leader: the follower's sync is answered", await syncing);
  await context.call("leader: the follower joins", "JoinGroup", 9, join(group, { memberId: b }));
}

/** A static member that comes back while its former self still waits. */
async function replacedWhileJoining(context: Context): Promise<void> {
  const group = context.named("replaced");
  await stableGroup(context, group);
  const [old, young] = [await context.connection(), await context.connection()];
  const wish = { groupInstanceId: "i" };
  const oldJoin = context.quiet("JoinGroup", join(group, wish), 9, old);
  await rebalancing(context, group);
  const youngJoin = context.quiet("JoinGroup", join(group, wish), 9, young);
  context.keep("replaced: the old join", await oldJoin);
  const { groups } = await context.quiet("DescribeGroups", { groups: [group] });
  const dynamic = groups[0].members.find(
    (member: { groupInstanceId: string | null }) => member.groupInstanceId === null,
  );
  await context.call("replaced: the first joins", "JoinGroup", 9, join(group, { memberId: dynamic.memberId }));
  context.keep("replaced: the young join", await youngJoin);
}

async function replacedWhileSyncing(context: Context): Promise<void> {
  const group = context.named("replaced-sync");
  const { memberId: a } = await stableGroup(context, group);
  const [old, young] = [await context.connection(), await context.connection()];
  const wish = { groupInstanceId: "i" };
  const oldJoin = context.quiet("JoinGroup", join(group, wish), 9, old);
  await rebalancing(context, group);
  const leader = await context.quiet("JoinGroup", join(group, { memberId: a }), 9);
  const { memberId, generationId } = await oldJoin;
  context.keep("replaced sync: the leader has joined", leader);
  const oldSync = context.quiet("SyncGroup", sync(group, generationId, memberId, [], wish), 5, old);
  await context.call("replaced sync: described", "DescribeGroups", 6, { groups: [group] });
  const youngJoin = context.quiet("JoinGroup", join(group, wish), 9, young);
  context.keep("replaced sync: the old sync", await oldSync);
  await context.call(
    "replaced sync: the leader syncs",
    "SyncGroup",
    5,
    sync(group, leader.generationId, a, [[a, "x"]]),
  );
  await context.call("replaced sync: the leader joins", "JoinGroup", 9, join(group, { memberId: a }));
  context.keep("replaced sync: the young join", await youngJoin);
}

/** Versions before 4 join without an id of their own. */
async function oldVersions(context: Context): Promise<void> {
  const group = context.named("old");
  const client = await context.connection();
  const first = await context.call("old: joins", "JoinGroup", 3, join(group));
  const second = context.quiet("JoinGroup", join(group), 0, client);
  await rebalancing(context, group);
  await context.call("old: the first joins again", "JoinGroup", 2, join(group, { memberId: first.memberId }));
  context.keep("old: the second has joined", await second);
}

/** With group.max.size=2. */
export const strictGroups: Scenario = {
  name: "strict groups",
  async run(context) {
    const group = context.named("full");
    await awaitCoordinator(context, group);
    const clients = [await context.connection(), await context.connection()];
    const joins = clients.map((client) =>
      context.quiet("JoinGroup", join(group, { rebalanceTimeoutMs: 1000 }), 3, client),
    );
    await Promise.all(joins);
    await context.eachVersion("a third member", "JoinGroup", join(group, { rebalanceTimeoutMs: 1000 }));
    await context.call("a third static member", "JoinGroup", 9, join(group, { groupInstanceId: "i" }));
    await context.call("a session too long", "JoinGroup", 9, join(context.named("long"), { sessionTimeoutMs: 31_000 }));
    await context.call("a session too short", "JoinGroup", 9, join(context.named("short"), { sessionTimeoutMs: 1999 }));
    const partitions = [{ partitionIndex: 0, committedOffset: 1, committedMetadata: "12345678901" }];
    const topic = await context.topic("t", { partitions: 3 });
    await context.eachVersion("too much metadata", "OffsetCommit", {
      groupId: context.named("g"),
      topics: [{ name: topic, topicId: context.topicId(topic), partitions }],
    });
  },
};
