import { ErrorCode } from "../../errors/error-codes.js";
import type { ClassicGroup } from "./classic-group.js";
import type { HeartbeatRequest } from "./classic-requests.js";

/** Whether a request comes from a member of the group, and from the current incarnation of a static one (KIP-345). */
export function checkMember(group: ClassicGroup, memberId: string, groupInstanceId: string | null): ErrorCode {
  if (groupInstanceId !== null) {
    const currentId = group.staticMembers.get(groupInstanceId);
    if (currentId === undefined) return ErrorCode.UNKNOWN_MEMBER_ID;
    if (currentId !== memberId) return ErrorCode.FENCED_INSTANCE_ID;
  }
  return group.members.has(memberId) ? ErrorCode.NONE : ErrorCode.UNKNOWN_MEMBER_ID;
}

/** Heartbeat: prolongs the member's session, and tells it when it should join again. */
export function heartbeat(group: ClassicGroup, request: HeartbeatRequest): ErrorCode {
  const error = checkMember(group, request.memberId, request.groupInstanceId);
  if (error !== ErrorCode.NONE) return error;
  if (request.generationId !== group.generation) return ErrorCode.ILLEGAL_GENERATION;
  prolongSession(group, request.memberId);
  return group.state === "PreparingRebalance" ? ErrorCode.REBALANCE_IN_PROGRESS : ErrorCode.NONE;
}

export function prolongSession(group: ClassicGroup, memberId: string): void {
  const member = group.members.get(memberId);
  member?.session.schedule(member.sessionTimeoutMs);
}

/**
 * Whether offsets may be committed. Generation −1 comes from an administrator or from a consumer without membership:
 * accepted while the group has no members.
 */
export function checkOffsetCommit(group: ClassicGroup, request: HeartbeatRequest): ErrorCode {
  const { memberId, groupInstanceId, generationId } = request;
  if (generationId < 0 && group.state === "Empty") return ErrorCode.NONE;
  if (generationId < 0 && memberId === "" && groupInstanceId === null) return ErrorCode.UNKNOWN_MEMBER_ID;
  const error = checkMember(group, memberId, groupInstanceId);
  if (error !== ErrorCode.NONE) return error;
  if (generationId !== group.generation) return ErrorCode.ILLEGAL_GENERATION;
  // The member knows its new generation but not yet what it owns: it must not commit for partitions of the old one.
  if (group.state === "CompletingRebalance") return ErrorCode.REBALANCE_IN_PROGRESS;
  prolongSession(group, memberId);
  return ErrorCode.NONE;
}
