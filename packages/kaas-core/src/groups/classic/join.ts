import { ErrorCode } from "../../errors/error-codes.js";
import { GROUP_METADATA_BYTES_MAX, NEW_MEMBER_JOIN_TIMEOUT_MS, PENDING_MEMBERS_MAX } from "../group-limits.js";
import type { ClassicGroup } from "./classic-group.js";
import { ClassicMember, newMemberId, protocolsSize } from "./classic-member.js";
import { because, type JoinReply, type JoinRequest, joinError } from "./classic-requests.js";
import { checkMember } from "./membership.js";
import { completeJoinAfterLapse, completeJoinIfReady, joinResult, rebalanceOrCompleteJoin } from "./rebalance.js";
import { expireSession } from "./session.js";
import { replaceStaticMember } from "./static-member.js";

/** JoinGroup: the member waits until the group has a new generation, unless there is nothing to wait for. */
export function joinGroup(group: ClassicGroup, request: JoinRequest, reply: JoinReply): void {
  const { memberId } = request;
  if (!hasRoom(group, memberId)) {
    removeForWantOfRoom(group, memberId);
    reply(joinError(ErrorCode.GROUP_MAX_SIZE_REACHED, ""));
  } else if (!speaksWithGroup(group, request)) {
    reply(joinError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, memberId));
  } else if (group.retainedBytes + protocolsSize(request.protocols) > GROUP_METADATA_BYTES_MAX) {
    reply(joinError(ErrorCode.MESSAGE_TOO_LARGE, memberId));
  } else if (memberId === "") {
    joinNew(group, request, reply);
  } else if (group.pendingJoins.has(memberId) && request.groupInstanceId === null) {
    addMember(group, memberId, request, reply);
  } else {
    joinAgain(group, request, reply);
  }
}

/**
 * In a rebalance those count that have come, so that a group which grew too large (the limit was lowered) sheds the
 * last to come; else the members count.
 */
function hasRoom(group: ClassicGroup, memberId: string): boolean {
  const { groupSizeMax } = group.environment.settings;
  if (memberId === "" && group.pendingJoins.size >= PENDING_MEMBERS_MAX) return false;
  if (group.state === "Empty") return true;
  const member = group.members.get(memberId);
  if (group.state !== "PreparingRebalance") return member !== undefined || group.members.size < groupSizeMax;
  return (member !== undefined && member.joinReply !== null) || group.joiningCount < groupSizeMax;
}

function removeForWantOfRoom(group: ClassicGroup, memberId: string): void {
  group.dropPendingJoin(memberId);
  const member = group.members.get(memberId);
  if (member !== undefined) group.remove(member);
  completeJoinIfReady(group);
}

/** Whether the group could still agree on a protocol with this member. */
function speaksWithGroup(group: ClassicGroup, request: JoinRequest): boolean {
  if (group.state === "Empty") return request.protocolType !== "" && request.protocols.length > 0;
  if (group.protocolType !== request.protocolType) return false;
  return group.votes.anySpokenByAll(request.protocols, group.members.size);
}

function joinNew(group: ClassicGroup, request: JoinRequest, reply: JoinReply): void {
  const memberId = newMemberId(request, group.environment.random);
  if (request.groupInstanceId !== null) {
    const current = group.members.get(group.staticMembers.get(request.groupInstanceId) ?? "");
    if (current === undefined) addMember(group, memberId, request, reply);
    else replaceStaticMember(group, current, memberId, request, reply);
  } else if (request.memberIdRequired) {
    const lapse = group.environment.deadline(() => {
      group.pendingJoins.delete(memberId);
      completeJoinAfterLapse(group);
    });
    group.pendingJoins.set(memberId, lapse);
    lapse.schedule(request.sessionTimeoutMs);
    reply(joinError(ErrorCode.MEMBER_ID_REQUIRED, memberId));
  } else {
    addMember(group, memberId, request, reply);
  }
}

function addMember(group: ClassicGroup, memberId: string, request: JoinRequest, reply: JoinReply): void {
  const session = group.environment.deadline(() => expireSession(group, memberId));
  const member = new ClassicMember(memberId, request, session);
  if (group.state === "PreparingRebalance" && group.previousState === "Empty") group.newMemberAdded = true;
  group.add(member, request.protocolType);
  group.awaitJoin(member, reply);
  // The client does not know its id and cannot heartbeat, and nobody notices when it is gone: without a bound,
  // clients that give up and try again would fill the group with members that do not exist.
  session.schedule(NEW_MEMBER_JOIN_TIMEOUT_MS);
  rebalanceOrCompleteJoin(group, because(request, `member ${memberId} joins`));
}

function joinAgain(group: ClassicGroup, request: JoinRequest, reply: JoinReply): void {
  const { memberId } = request;
  const error = checkMember(group, memberId, request.groupInstanceId);
  const member = group.members.get(memberId);
  if (error !== ErrorCode.NONE || member === undefined) {
    reply(joinError(error, memberId));
  } else if (mustRebalance(group, member, request)) {
    group.change(member, () => member.update(request));
    group.awaitJoin(member, reply);
    rebalanceOrCompleteJoin(group, because(request, `member ${memberId} joins again`));
  } else {
    // Most likely the answer to its first JoinGroup was lost.
    reply(joinResult(group, memberId));
  }
}

function mustRebalance(group: ClassicGroup, member: ClassicMember, request: JoinRequest): boolean {
  if (group.state === "PreparingRebalance" || !member.matches(request.protocols)) return true;
  // The leader joins when it saw something that changes the assignment, such as a topic with more partitions.
  return group.state === "Stable" && group.isLeader(member.id);
}
