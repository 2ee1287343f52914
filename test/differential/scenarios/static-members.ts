import type { Message, Scenario } from "../context.js";
import { awaitCoordinator, join, sync } from "./group-requests.js";

/** KIP-345. */
export const staticMembers: Scenario = {
  name: "static members",
  async run(context) {
    const group = context.named("g");
    await awaitCoordinator(context, group);
    const wish = { groupInstanceId: "i1" };
    await context.eachVersion("with an instance id", "JoinGroup", (version: number) =>
      join(context.named(`v${version}`), wish),
    );
    const first = await context.call("first", "JoinGroup", 9, join(group, wish));
    const { memberId, generationId } = first;
    await context.call("first syncs", "SyncGroup", 5, sync(group, generationId, memberId, [[memberId, "mine"]], wish));
    await context.call("described", "DescribeGroups", 6, { groups: [group] });
    const again = await context.call("comes again without its id", "JoinGroup", 9, join(group, wish));
    const who = { groupId: group, generationId: again.generationId, groupInstanceId: "i1" };
    await context.eachVersion("heartbeat with the old id", "Heartbeat", { ...who, memberId }, { from: 3 });
    await context.eachVersion(
      "heartbeat with the new id",
      "Heartbeat",
      { ...who, memberId: again.memberId },
      { from: 3 },
    );
    await context.eachVersion(
      "sync with the old id",
      "SyncGroup",
      sync(group, again.generationId, memberId, [], wish),
      { from: 3 },
    );
    await context.eachVersion(
      "sync with the new id",
      "SyncGroup",
      sync(group, again.generationId, again.memberId, [], wish),
      { from: 3 },
    );
    await context.eachVersion("join with the old id", "JoinGroup", join(group, { ...wish, memberId }), { from: 5 });
    await context.call("commit with the old id", "OffsetCommit", 9, commit(group, again.generationId, memberId));
    await context.call("leave with the old id", "LeaveGroup", 5, {
      groupId: group,
      members: [{ memberId, groupInstanceId: "i1" }],
    });
    await context.call(
      "comes again with other metadata",
      "JoinGroup",
      9,
      join(group, { ...wish, protocols: [["range", "other"]] }),
    );
    await context.call("leaves by its instance alone", "LeaveGroup", 5, {
      groupId: group,
      members: [{ memberId: "", groupInstanceId: "i1" }],
    });
    await context.call("leaves again", "LeaveGroup", 5, {
      groupId: group,
      members: [{ memberId: "", groupInstanceId: "i1" }],
    });
    await context.call("heartbeat after that", "Heartbeat", 4, { ...who, memberId: again.memberId });
    for (const groupInstanceId of ["", "a b", "x".repeat(200)])
      await context.call(
        `instance of ${groupInstanceId.length}`,
        "JoinGroup",
        9,
        join(context.named(`i${groupInstanceId.length}`), { groupInstanceId }),
      );
  },
};

function commit(groupId: string, generationIdOrMemberEpoch: number, memberId: string): Message {
  return { groupId, generationIdOrMemberEpoch, memberId, groupInstanceId: "i1", topics: [] };
}
