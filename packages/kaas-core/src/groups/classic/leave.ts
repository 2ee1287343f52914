import { ErrorCode } from "../../errors/error-codes.js";
import type { ClassicGroup } from "./classic-group.js";
import type { LeaveResult, LeavingMember } from "./classic-requests.js";
import { checkMember } from "./membership.js";
import { completeJoinIfReady, rebalanceOrCompleteJoin } from "./rebalance.js";

/** LeaveGroup: members go at once, several with one rebalance (KIP-345). */
export function leaveGroup(group: ClassicGroup, leaving: readonly LeavingMember[]): LeaveResult[] {
  const sizeBefore = group.members.size;
  const results = leaving.map((identity) => ({
    memberId: identity.memberId,
    groupInstanceId: identity.groupInstanceId,
    errorCode: leave(group, identity),
  }));
  if (group.members.size < sizeBefore) {
    rebalanceOrCompleteJoin(group, `${sizeBefore - group.members.size} members left`);
  } else {
    // Only ids that were never used went: the members there are need not be disturbed.
    completeJoinIfReady(group);
  }
  return results;
}

function leave(group: ClassicGroup, { memberId, groupInstanceId, reason }: LeavingMember): ErrorCode {
  if (memberId !== "" && group.dropPendingJoin(memberId)) return ErrorCode.NONE;
  const actualId = memberId === "" ? group.staticMembers.get(groupInstanceId ?? "") : memberId;
  if (actualId === undefined) return ErrorCode.UNKNOWN_MEMBER_ID;
  const error = checkMember(group, actualId, groupInstanceId);
  const member = group.members.get(actualId);
  if (error !== ErrorCode.NONE || member === undefined) return error;
  group.remove(member);
  const fields = { group: group.id, member: actualId, reason: reason?.slice(0, 255) ?? null };
  group.environment.log.info(fields, "member leaves the group");
  return ErrorCode.NONE;
}
