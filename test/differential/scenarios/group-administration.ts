import type { Context, Message, Scenario } from "../context.js";
import { join, joined, stableGroup } from "./group-requests.js";

/** Lists, descriptions and deletions. */
export const groupAdministration: Scenario = {
  name: "group administration",
  async run(context) {
    const group = context.named("stable");
    const { memberId, generationId } = await stableGroup(context, group);
    await context.eachVersion("described", "DescribeGroups", { groups: [group], includeAuthorizedOperations: true });
    await context.eachVersion("described: unknown", "DescribeGroups", { groups: [context.named("none"), group] });
    await context.eachVersion("described: empty name", "DescribeGroups", { groups: [""] });
    await context.eachVersion("described: none", "DescribeGroups", { groups: [] });
    await context.eachVersion("described: twice", "DescribeGroups", { groups: [group, group] });
    await context.eachVersion("deleted: in use", "DeleteGroups", { groupsNames: [group] });
    await context.eachVersion("deleted: unknown", "DeleteGroups", { groupsNames: [context.named("none")] });
    await context.eachVersion("deleted: empty name", "DeleteGroups", { groupsNames: [""] });
    await context.eachVersion("deleted: none", "DeleteGroups", { groupsNames: [] });
    await context.eachVersion("deleted: good and bad", "DeleteGroups", { groupsNames: [group, context.named("none")] });
    const pending = context.named("pending");
    await context.quiet("JoinGroup", join(pending), 9);
    await context.call("a pending member's group", "DescribeGroups", 6, { groups: [pending] });
    await lists(context, group);
    await context.quiet("LeaveGroup", { groupId: group, members: [{ memberId, groupInstanceId: null }] });
    await context.eachVersion("described: empty", "DescribeGroups", { groups: [group] });
    await context.call("heartbeat to the empty group", "Heartbeat", 4, { groupId: group, generationId, memberId });
    await context.call("deleted: empty group", "DeleteGroups", 2, { groupsNames: [group] });
    await context.call("deleted: again", "DeleteGroups", 3, { groupsNames: [group] });
    await context.eachVersion("described: deleted", "DescribeGroups", { groups: [group] });
    const rejoined = await joined(context, group);
    context.keep("generation after the deletion", { generationId: rejoined.generationId });
  },
};

/** Only this scenario's groups can be compared. */
async function lists(context: Context, group: string): Promise<void> {
  const filters: readonly (readonly [string, Message])[] = [
    ["all", {}],
    ["stable", { statesFilter: ["Stable"] }],
    ["lower case", { statesFilter: ["stable"] }],
    ["empty", { statesFilter: ["Empty", "Dead"] }],
    ["unknown state", { statesFilter: ["Sleepy"] }],
    ["classic", { typesFilter: ["classic"] }],
    ["classic, upper case", { typesFilter: ["CLASSIC"] }],
    ["consumer", { typesFilter: ["consumer"] }],
    ["unknown type", { typesFilter: ["odd"] }],
    ["both", { statesFilter: ["Stable"], typesFilter: ["classic"] }],
  ];
  context.asked.add("ListGroups");
  for (const [label, filter] of filters) {
    for (const version of [0, 1, 2, 3, 4, 5]) {
      const answer = await context.quiet("ListGroups", filter, version);
      const own = answer.groups.filter(({ groupId }: Message) => groupId === group);
      context.keep(`listed: ${label} v${version}`, { ...answer, groups: own });
    }
  }
}
