import { ErrorCode } from "../../errors/error-codes.js";
import type { Election, LeaderWish, OngoingMove, WishedPartition, WishResult } from "../../ports/leadership-wishes.js";
import { NO_LEADER } from "../assignment.js";
import { leaderOf, type Term } from "./term.js";

const NONE: WishResult = { errorCode: ErrorCode.NONE, message: null };

export const NOT_CONTROLLER: WishResult = {
  errorCode: ErrorCode.NOT_CONTROLLER,
  message: "This broker is not the controller.",
};

/** Notes, or takes back, where one partition is wanted to be led. */
export function takeWish(term: Term, { topicId, partition, brokers }: LeaderWish): WishResult {
  if (!isKnown(term, topicId, partition)) return UNKNOWN;
  if (brokers === null) {
    if (term.wishes.remove(topicId, partition)) return NONE;
    return { errorCode: ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, message: null };
  }
  const unknown = brokers.find((nodeId) => term.registry.get(nodeId) === undefined);
  if (unknown !== undefined || brokers.length === 0) {
    const message = unknown === undefined ? "No broker is named." : `There is no broker ${unknown}.`;
    return { errorCode: ErrorCode.INVALID_REPLICA_ASSIGNMENT, message };
  }
  term.wishes.set(topicId, { partition, brokers });
  return NONE;
}

/**
 * What an election comes to. Leaders return to where they are wanted by themselves, so there is nothing to be done but
 * to say whether that is under way.
 */
export function elect(term: Term, election: Election, { topicId, partition }: WishedPartition): WishResult {
  if (!isKnown(term, topicId, partition)) return UNKNOWN;
  const leader = leaderOf(term.assignment, topicId, partition);
  const isLed = leader !== NO_LEADER && term.registry.get(leader)?.isLost === false;
  const wish = term.wishes.get(topicId, partition);
  if (election === "preferred" && wish !== undefined) {
    const wanted = wish.brokers.find((nodeId) => canLead(term, nodeId));
    if (wanted === undefined) return NOT_AVAILABLE;
    return wanted === leader ? NOT_NEEDED : NONE;
  }
  if (isLed) return NOT_NEEDED;
  if (term.registry.all().some(({ description }) => canLead(term, description.nodeId))) return NONE;
  return election === "preferred" ? NOT_AVAILABLE : NOBODY;
}

/** Leaders on their way, and those that wait for others to arrive before they are moved to where they are wanted. */
export function movesOf(term: Term): OngoingMove[] {
  const moves: OngoingMove[] = [];
  const underWay = new Map(term.moves.all().map((move) => [`${move.topicId}:${move.partition}`, move]));
  for (const { topicId, name: topic, leaders } of term.assignment?.topics ?? []) {
    const wanted = new Map(term.wishes.of(topicId)?.map(({ partition, brokers }) => [partition, brokers]));
    for (const [partition, leader] of leaders.entries()) {
      const move = underWay.get(`${topicId}:${partition}`);
      const to = wanted.get(partition)?.find((nodeId) => canLead(term, nodeId));
      if (to !== undefined && to !== leader) moves.push({ topic, topicId, partition, from: leader, to });
      else if (move !== undefined) moves.push({ topic, topicId, partition, from: move.from, to: move.to });
    }
  }
  return moves;
}

const UNKNOWN: WishResult = {
  errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
  message: "The controller does not know this partition.",
};
const NOT_NEEDED: WishResult = {
  errorCode: ErrorCode.ELECTION_NOT_NEEDED,
  message: "Leader election not needed for topic partition.",
};
const NOT_AVAILABLE: WishResult = {
  errorCode: ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
  message: "The preferred leader was not available.",
};
const NOBODY: WishResult = {
  errorCode: ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE,
  message: "No broker can lead at present.",
};

function isKnown(term: Term, topicId: string, partition: number): boolean {
  const topic = term.topics?.find((one) => one.topicId === topicId);
  return topic !== undefined && partition >= 0 && partition < topic.partitionCount;
}

function canLead(term: Term, nodeId: number): boolean {
  const broker = term.registry.get(nodeId);
  return broker !== undefined && term.registry.stateOf(broker) === "leading";
}
