import type { ClassicGroup } from "./classic-group.js";
import { ClassicMember } from "./classic-member.js";
import { because, type JoinReply, type JoinRequest, type JoinResult } from "./classic-requests.js";
import { completeJoinIfReady, joinResult, prepareRebalance } from "./rebalance.js";
import { expireSession } from "./session.js";

/**
 * A static member comes back under a new id (KIP-345). In a stable group it takes its old place and assignment, and
 * nobody else notices, unless its protocols make the group speak another one.
 */
export function replaceStaticMember(
  group: ClassicGroup,
  old: ClassicMember,
  memberId: string,
  request: JoinRequest,
  reply: JoinReply,
): void {
  const leaderBefore = group.leaderId;
  const session = group.environment.deadline(() => expireSession(group, memberId));
  const member = new ClassicMember(memberId, request, session);
  group.replace(old, member);
  session.schedule(member.sessionTimeoutMs);
  const fields = { group: group.id, groupInstanceId: request.groupInstanceId, member: memberId, replaces: old.id };
  group.environment.log.info(fields, "static member came back");

  if (
    group.state === "Stable" &&
    group.protocolName === group.votes.select(group.members.values(), group.members.size)
  ) {
    reply(sameGeneration(group, memberId, leaderBefore, request.canSkipAssignment));
    return;
  }
  group.awaitJoin(member, reply);
  if (group.state === "PreparingRebalance") {
    completeJoinIfReady(group);
  } else {
    // In CompletingRebalance the leader may be working with the old id; its assignment would miss the new one.
    prepareRebalance(group, because(request, `static member ${memberId} came back`));
  }
}

/**
 * A leader that comes back must not assign: the group keeps what it has. Clients since KIP-814 are told so; others are
 * shown the old leader's id, and take themselves for followers.
 */
function sameGeneration(
  group: ClassicGroup,
  memberId: string,
  leaderBefore: string | null,
  canSkipAssignment: boolean,
): JoinResult {
  const result = joinResult(group, memberId);
  if (canSkipAssignment) return { ...result, skipAssignment: group.isLeader(memberId) };
  return { ...result, leader: leaderBefore ?? "", members: [] };
}
