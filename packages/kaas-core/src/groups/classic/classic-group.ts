import { ErrorCode } from "../../errors/error-codes.js";
import { assert } from "../../errors/kaas-error.js";
import type { Clock, Random } from "../../ports/clock.js";
import type { Log } from "../../ports/log.js";
import type { Deadline } from "../deadline-queue.js";
import type { GroupSettings } from "../group-settings.js";
import type { ClassicMember } from "./classic-member.js";
import {
  type JoinedMember,
  type JoinReply,
  type JoinResult,
  joinError,
  type SyncReply,
  type SyncResult,
  syncError,
} from "./classic-requests.js";
import { ProtocolVotes } from "./protocol-votes.js";

/**
 * ```
 *            first member joins                 everybody joined, or time is up
 *   Empty ───────────────────▶ PreparingRebalance ──────────────▶ CompletingRebalance
 *     ▲                          │   ▲       ▲                       │        │
 *     └── nobody is left ────────┘   │       └── join, leave, loss ──┘        │ the leader's
 *                                    │                                        │ SyncGroup
 *                                    └────── join, leave, loss ── Stable ◀────┘
 * ```
 */
export type ClassicState = "Empty" | "PreparingRebalance" | "CompletingRebalance" | "Stable" | "Dead";

/** What a group needs from outside itself. */
export interface GroupEnvironment {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly settings: GroupSettings;
  deadline(expire: () => void): Deadline;
  /**
   * Makes durable what of the group outlives its members. Resolves with false when that failed; the group is then
   * dead, and everybody who waited has been answered.
   */
  persist(group: ClassicGroup): Promise<boolean>;
}

/** What is known of a group when it comes from the journal. */
export interface ClassicGroupRecord {
  readonly protocolType: string | null;
  readonly protocolName: string | null;
  readonly generation: number;
  readonly stateSince: number;
}

/**
 * A group of the classic protocol: its members, their votes and who waits for what. The rules by which it moves from
 * state to state are in the files beside this one, one a request; this class keeps its parts consistent.
 */
export class ClassicGroup {
  readonly type = "classic";
  readonly id: string;
  readonly environment: GroupEnvironment;
  /** In order of joining. */
  readonly members: Map<string, ClassicMember> = new Map();
  /** Member ids of static members by instance id. */
  readonly staticMembers: Map<string, string> = new Map();
  /** Ids that were given out and not yet used, and when they lapse (KIP-394). */
  readonly pendingJoins: Map<string, Deadline> = new Map();
  /** Members that know the new generation but have not asked for their assignment. */
  readonly pendingSyncs: Set<string> = new Set();
  readonly votes: ProtocolVotes = new ProtocolVotes();
  /** Ends the time in which members must join, or the initial delay. */
  readonly joinDeadline: Deadline;
  /** Ends the time in which members must ask for their assignment. */
  readonly syncDeadline: Deadline;
  onJoinDeadline: () => void = () => {};
  onSyncDeadline: () => void = () => {};
  generation: number;
  /** Null: offsets are kept for consumers that do not use membership (a simple group). */
  protocolType: string | null;
  protocolName: string | null;
  /** Chosen when a generation begins. */
  leaderId: string | null = null;
  /** Topics that consumers of the group subscribe to; null when that cannot be known. */
  subscribedTopics: ReadonlySet<string> | null = null;
  /** Somebody joined during the initial delay, which is a reason to prolong it. */
  newMemberAdded = false;
  /** Bytes of metadata and assignments of all members. */
  retainedBytes = 0;
  #state: ClassicState = "Empty";
  #previousState: ClassicState = "Empty";
  #stateSince: number;
  #joiningCount = 0;

  constructor(id: string, environment: GroupEnvironment, record?: ClassicGroupRecord) {
    this.id = id;
    this.environment = environment;
    this.generation = record?.generation ?? 0;
    this.protocolType = record?.protocolType ?? null;
    this.protocolName = record?.protocolName ?? null;
    this.#stateSince = record?.stateSince ?? environment.clock.now();
    this.joinDeadline = environment.deadline(() => this.onJoinDeadline());
    this.syncDeadline = environment.deadline(() => this.onSyncDeadline());
    if (this.protocolType === "consumer") this.subscribedTopics = new Set();
  }

  get state(): ClassicState {
    return this.#state;
  }

  get previousState(): ClassicState {
    return this.#previousState;
  }

  /** Wall-clock time of the last change of state. */
  get stateSince(): number {
    return this.#stateSince;
  }

  transitionTo(state: ClassicState): void {
    this.#previousState = this.#state;
    this.#state = state;
    this.#stateSince = this.environment.clock.now();
  }

  /** How many members wait for the answer to their JoinGroup. */
  get joiningCount(): number {
    return this.#joiningCount;
  }

  get everybodyJoined(): boolean {
    return this.members.size === this.#joiningCount && this.pendingJoins.size === 0;
  }

  /** The longest of the members' rebalance timeouts. */
  get rebalanceTimeoutMs(): number {
    let longest = 0;
    for (const member of this.members.values()) longest = Math.max(longest, member.rebalanceTimeoutMs);
    return longest;
  }

  isLeader(memberId: string): boolean {
    return this.leaderId === memberId;
  }

  add(member: ClassicMember, protocolType: string): void {
    assert(!this.members.has(member.id), "a member is added once");
    this.dropPendingJoin(member.id);
    if (this.members.size === 0) this.protocolType = protocolType;
    this.members.set(member.id, member);
    if (member.groupInstanceId !== null) this.staticMembers.set(member.groupInstanceId, member.id);
    this.votes.add(member.protocols);
    this.retainedBytes += member.retainedBytes;
  }

  /** Forgets a member. Whoever waits on its behalf is told that it is unknown, so that a living client joins again. */
  remove(member: ClassicMember): void {
    this.replyJoin(member, joinError(ErrorCode.UNKNOWN_MEMBER_ID, ""));
    this.replySync(member, syncError(ErrorCode.UNKNOWN_MEMBER_ID));
    this.#detach(member);
    this.pendingSyncs.delete(member.id);
    if (member.groupInstanceId !== null) this.staticMembers.delete(member.groupInstanceId);
    if (this.isLeader(member.id)) this.leaderId = null;
  }

  /** Gives a static member's place to the same instance under a new id; the old one is fenced. */
  replace(old: ClassicMember, replacement: ClassicMember): void {
    this.replyJoin(old, joinError(ErrorCode.FENCED_INSTANCE_ID, old.id));
    this.replySync(old, syncError(ErrorCode.FENCED_INSTANCE_ID));
    this.#detach(old);
    replacement.assignment = old.assignment;
    replacement.isNew = false;
    this.members.set(replacement.id, replacement);
    this.staticMembers.set(replacement.groupInstanceId as string, replacement.id);
    this.votes.add(replacement.protocols);
    this.retainedBytes += replacement.retainedBytes;
    if (this.isLeader(old.id)) this.leaderId = replacement.id;
  }

  /** Changes what a member votes for or was assigned, and keeps the sums right. */
  change(member: ClassicMember, change: (member: ClassicMember) => void): void {
    this.votes.remove(member.protocols);
    this.retainedBytes -= member.retainedBytes;
    change(member);
    this.votes.add(member.protocols);
    this.retainedBytes += member.retainedBytes;
  }

  /** The member waits for the rebalance to complete. An older request of the same member is told to try again. */
  awaitJoin(member: ClassicMember, reply: JoinReply): void {
    this.replyJoin(member, joinError(ErrorCode.REBALANCE_IN_PROGRESS, member.id));
    member.joinReply = reply;
    this.#joiningCount++;
  }

  replyJoin(member: ClassicMember, result: JoinResult): void {
    const reply = member.joinReply;
    if (reply === null) return;
    member.joinReply = null;
    this.#joiningCount--;
    reply(result);
  }

  awaitSync(member: ClassicMember, reply: SyncReply): void {
    this.replySync(member, syncError(ErrorCode.REBALANCE_IN_PROGRESS));
    member.syncReply = reply;
  }

  /** Answers a waiting SyncGroup; false when there was none. */
  replySync(member: ClassicMember, result: SyncResult): boolean {
    const reply = member.syncReply;
    if (reply === null) return false;
    member.syncReply = null;
    reply(result);
    return true;
  }

  dropPendingJoin(memberId: string): boolean {
    this.pendingJoins.get(memberId)?.cancel();
    return this.pendingJoins.delete(memberId);
  }

  /** What the leader is told about everybody. */
  joinedMembers(): JoinedMember[] {
    return Array.from(this.members.values(), (member) => ({
      memberId: member.id,
      groupInstanceId: member.groupInstanceId,
      metadata: member.metadata(this.protocolName),
    }));
  }

  /** Ends the group: answers all who wait, and stops its timers. */
  kill(errorCode: ErrorCode): void {
    for (const member of this.members.values()) {
      this.replyJoin(member, joinError(errorCode, member.id));
      this.replySync(member, syncError(errorCode));
      member.session.cancel();
    }
    for (const deadline of this.pendingJoins.values()) deadline.cancel();
    this.joinDeadline.cancel();
    this.syncDeadline.cancel();
    this.transitionTo("Dead");
  }

  #detach(member: ClassicMember): void {
    member.session.cancel();
    this.members.delete(member.id);
    this.votes.remove(member.protocols);
    this.retainedBytes -= member.retainedBytes;
  }
}
