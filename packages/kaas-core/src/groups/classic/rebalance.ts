import { ErrorCode } from "../../errors/error-codes.js";
import type { ClassicGroup } from "./classic-group.js";
import type { ClassicMember } from "./classic-member.js";
import { EMPTY_BYTES, type JoinResult, syncError } from "./classic-requests.js";
import { subscribedTopics } from "./subscribed-topics.js";

/** Begins a rebalance, or, while one is under way, ends its first phase if that was the last thing missing. */
export function rebalanceOrCompleteJoin(group: ClassicGroup, reason: string): void {
  if (group.state === "PreparingRebalance") completeJoinIfReady(group);
  else if (group.state !== "Dead") prepareRebalance(group, reason);
}

/** Asks everybody to join again. */
export function prepareRebalance(group: ClassicGroup, reason: string): void {
  if (group.state === "CompletingRebalance") {
    for (const member of group.members.values()) assign(group, member, EMPTY_BYTES);
    for (const member of group.members.values()) {
      if (group.replySync(member, syncError(ErrorCode.REBALANCE_IN_PROGRESS))) {
        member.session.schedule(member.sessionTimeoutMs);
      }
    }
  }
  group.pendingSyncs.clear();
  group.syncDeadline.cancel();
  const isInitial = group.state === "Empty";
  group.transitionTo("PreparingRebalance");
  group.environment.log.info(
    { group: group.id, generation: group.generation, members: group.members.size, reason },
    "group prepares to rebalance",
  );
  if (isInitial) beginInitialDelay(group);
  else if (group.everybodyJoined) completeJoin(group);
  else awaitJoins(group);
}

/** While the initial delay runs, the first phase ends with the delay and not before. */
export function completeJoinIfReady(group: ClassicGroup): void {
  if (group.state !== "PreparingRebalance" || group.previousState === "Empty") return;
  if (group.everybodyJoined) completeJoin(group);
}

/** After an id lapsed that was never used: also ends the initial delay when there is nobody else to wait for, as Kafka does. */
export function completeJoinAfterLapse(group: ClassicGroup): void {
  if (group.state === "PreparingRebalance" && group.everybodyJoined) completeJoin(group);
}

export function assign(group: ClassicGroup, member: ClassicMember, assignment: Buffer): void {
  group.retainedBytes += assignment.length - member.assignment.length;
  member.assignment = assignment;
}

function awaitJoins(group: ClassicGroup): void {
  group.onJoinDeadline = () => completeJoin(group);
  group.joinDeadline.schedule(group.rebalanceTimeoutMs);
}

/** A new group waits a moment, so that members which start together make one rebalance and not one each. */
function beginInitialDelay(group: ClassicGroup): void {
  const delayMs = group.environment.settings.initialRebalanceDelayMs;
  group.newMemberAdded = false;
  continueInitialDelay(group, delayMs, Math.max(group.rebalanceTimeoutMs - delayMs, 0));
}

/** Prolonged as long as members keep coming, up to the rebalance timeout. */
function continueInitialDelay(group: ClassicGroup, delayMs: number, remainingMs: number): void {
  group.onJoinDeadline = () => {
    if (!group.newMemberAdded || remainingMs === 0) {
      completeJoin(group);
      return;
    }
    group.newMemberAdded = false;
    const nextDelayMs = Math.min(group.environment.settings.initialRebalanceDelayMs, remainingMs);
    continueInitialDelay(group, nextDelayMs, Math.max(remainingMs - delayMs, 0));
  };
  group.joinDeadline.schedule(delayMs);
}

/** Ends the first phase: members that did not come are out, the others learn the new generation and their leader. */
function completeJoin(group: ClassicGroup): void {
  group.joinDeadline.cancel();
  for (const member of [...group.members.values()]) {
    // A static member keeps its place until its session ends (KIP-345).
    if (member.joinReply === null && member.groupInstanceId === null) group.remove(member);
  }
  if (group.members.size > 0 && !electJoinedLeader(group)) {
    // Only static members are left and none came: wait on, their sessions decide.
    awaitJoins(group);
    return;
  }
  group.generation++;
  group.pendingSyncs.clear();
  if (group.members.size === 0) becomeEmpty(group);
  else startGeneration(group);
}

/** The leader stays if it came; else the earliest member that came is it. */
function electJoinedLeader(group: ClassicGroup): boolean {
  const leader = group.leaderId === null ? undefined : group.members.get(group.leaderId);
  if (leader !== undefined && leader.joinReply !== null) return true;
  for (const member of group.members.values()) {
    if (member.joinReply === null) continue;
    group.leaderId = member.id;
    return true;
  }
  return false;
}

function becomeEmpty(group: ClassicGroup): void {
  group.protocolName = null;
  group.transitionTo("Empty");
  group.subscribedTopics = subscribedTopics(group);
  group.environment.log.info({ group: group.id, generation: group.generation }, "group is empty");
  // A failure is dealt with by the slot: it answers all who wait, and loads again what is durable.
  void group.environment.persist(group);
}

function startGeneration(group: ClassicGroup): void {
  group.protocolName = group.votes.select(group.members.values(), group.members.size);
  group.transitionTo("CompletingRebalance");
  group.subscribedTopics = subscribedTopics(group);
  const { generation, protocolName } = group;
  group.environment.log.info(
    { group: group.id, generation, members: group.members.size, protocol: protocolName, leader: group.leaderId },
    "group has a new generation",
  );
  for (const member of group.members.values()) {
    group.pendingSyncs.add(member.id);
    member.isNew = false;
    member.session.schedule(member.sessionTimeoutMs);
    group.replyJoin(member, joinResult(group, member.id));
  }
  group.onSyncDeadline = () => expirePendingSyncs(group);
  group.syncDeadline.schedule(group.rebalanceTimeoutMs);
}

/** What a member is told about the current generation. */
export function joinResult(group: ClassicGroup, memberId: string): JoinResult {
  return {
    errorCode: ErrorCode.NONE,
    generationId: group.generation,
    protocolType: group.protocolType,
    protocolName: group.protocolName,
    leader: group.leaderId ?? "",
    skipAssignment: false,
    memberId,
    members: group.isLeader(memberId) ? group.joinedMembers() : [],
  };
}

/** Members that joined but never asked for their assignment hold up nobody longer than the rebalance timeout. */
function expirePendingSyncs(group: ClassicGroup): void {
  if (group.pendingSyncs.size === 0) return;
  const late = [...group.pendingSyncs];
  for (const memberId of late) {
    const member = group.members.get(memberId);
    if (member !== undefined) group.remove(member);
  }
  prepareRebalance(group, `${late.length} members did not ask for their assignment in time`);
}
