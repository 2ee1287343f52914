import { ErrorCode } from "../../errors/error-codes.js";
import { GROUP_METADATA_BYTES_MAX } from "../group-limits.js";
import type { ClassicGroup } from "./classic-group.js";
import type { ClassicMember } from "./classic-member.js";
import { EMPTY_BYTES, type SyncReply, type SyncRequest, type SyncResult, syncError } from "./classic-requests.js";
import { checkMember } from "./membership.js";
import { assign } from "./rebalance.js";

/** SyncGroup: the leader brings the assignment, everybody else waits for it. */
export function syncGroup(group: ClassicGroup, request: SyncRequest, reply: SyncReply): void {
  const error = checkSync(group, request);
  const member = group.members.get(request.memberId);
  if (error !== ErrorCode.NONE || member === undefined) {
    reply(syncError(error));
    return;
  }
  const isAssignment = group.state === "CompletingRebalance" && group.isLeader(member.id);
  if (isAssignment && group.retainedBytes + assignmentsSize(request) > GROUP_METADATA_BYTES_MAX) {
    reply(syncError(ErrorCode.MESSAGE_TOO_LARGE));
    return;
  }
  group.pendingSyncs.delete(member.id);
  if (group.pendingSyncs.size === 0) group.syncDeadline.cancel();
  if (group.state === "Stable") {
    reply(syncResult(group, member));
    return;
  }
  group.awaitSync(member, reply);
  if (isAssignment) acceptAssignment(group, request);
}

function checkSync(group: ClassicGroup, request: SyncRequest): ErrorCode {
  const error = checkMember(group, request.memberId, request.groupInstanceId);
  if (error !== ErrorCode.NONE) return error;
  if (request.generationId !== group.generation) return ErrorCode.ILLEGAL_GENERATION;
  if (differs(request.protocolType, group.protocolType) || differs(request.protocolName, group.protocolName)) {
    return ErrorCode.INCONSISTENT_GROUP_PROTOCOL;
  }
  return group.state === "PreparingRebalance" ? ErrorCode.REBALANCE_IN_PROGRESS : ErrorCode.NONE;
}

function differs(asked: string | null, actual: string | null): boolean {
  return asked !== null && actual !== null && asked !== actual;
}

function assignmentsSize(request: SyncRequest): number {
  return request.assignments.reduce((size, { assignment }) => size + assignment.length, 0);
}

/** The group is stable once it is durable that this generation was used. Until then, anything may still happen. */
function acceptAssignment(group: ClassicGroup, request: SyncRequest): void {
  const assignments = new Map<string, Buffer>();
  for (const { memberId, assignment } of request.assignments) {
    // Copies, for the request's bytes are views into a frame that is used again.
    if (group.members.has(memberId)) assignments.set(memberId, Buffer.from(assignment));
  }
  const { generation } = group;
  void group.environment.persist(group).then((durable) => {
    if (!durable || group.state !== "CompletingRebalance" || group.generation !== generation) return;
    for (const member of group.members.values()) assign(group, member, assignments.get(member.id) ?? EMPTY_BYTES);
    group.transitionTo("Stable");
    for (const member of group.members.values()) {
      // Sessions of members that wait are not watched; they begin again with the answer.
      if (group.replySync(member, syncResult(group, member))) member.session.schedule(member.sessionTimeoutMs);
    }
  });
}

function syncResult(group: ClassicGroup, member: ClassicMember): SyncResult {
  return {
    errorCode: ErrorCode.NONE,
    protocolType: group.protocolType,
    protocolName: group.protocolName,
    assignment: member.assignment,
  };
}
