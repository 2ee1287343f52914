import type { ClusterBroker } from "../../ports/cluster-view.js";
import { type Assignment, NO_LEADER, type TopicAssignment } from "../assignment.js";
import type { Plan } from "../balancer/plan.js";
import type { TopicPartitions } from "../controller-api.js";
import type { BrokerRegistry } from "./broker-registry.js";
import type { WishList } from "./wish-list.js";

/** What an assignment says, apart from its number and time. */
export type Decision = Pick<Assignment, "controllerId" | "brokers" | "topics" | "slots">;

/**
 * Puts a plan, and what brokers report, into the form that is published. Whatever has not changed is the very object of
 * before, so that {@link isSameDecision} costs little.
 */
export function buildDecision(
  controllerId: number,
  before: Assignment | undefined,
  topics: readonly TopicPartitions[],
  plan: Pick<Plan, "topics" | "slots">,
  registry: BrokerRegistry,
  wishes: WishList,
): Decision {
  const topicsBefore = new Map(before?.topics.map((topic) => [topic.topicId, topic]));
  const assigned = topics.map(({ topicId, name }, index) => {
    const leaders = plan.topics[index] ?? [];
    const known = topicsBefore.get(topicId);
    return reuse(known, topicOf({ topicId, name }, leaders, known, registry, wishes));
  });
  const { slots } = plan;
  const leading = new Set([...assigned.flatMap(({ leaders }) => leaders), ...slots.groups, ...slots.transactions]);
  return { controllerId, brokers: brokersOf(registry, leading), topics: assigned, slots };
}

/** Whether nothing would be news to anybody. */
export function isSameDecision(one: Decision, other: Decision | undefined): boolean {
  return (
    other !== undefined &&
    one.controllerId === other.controllerId &&
    one.topics.length === other.topics.length &&
    one.topics.every((topic, index) => topic === other.topics[index]) &&
    isEqual(one.slots.groups, other.slots.groups) &&
    isEqual(one.slots.transactions, other.slots.transactions) &&
    JSON.stringify(one.brokers) === JSON.stringify(other.brokers)
  );
}

function topicOf(
  { topicId, name }: Pick<TopicAssignment, "topicId" | "name">,
  leaders: readonly number[],
  before: TopicAssignment | undefined,
  registry: BrokerRegistry,
  wishes: WishList,
): TopicAssignment {
  const leaderEpochs = leaders.map((leader, partition) => {
    const broker = registry.get(leader);
    // One that this controller has not heard yet had reported to the one before.
    if (broker?.isHeard === false && before?.leaders[partition] === leader) return before.leaderEpochs[partition] ?? -1;
    return broker?.leaderEpoch(topicId, partition) ?? -1;
  });
  const wished = wishes.of(topicId);
  return { topicId, name, leaders, leaderEpochs, ...(wished === undefined ? {} : { wishes: wished }) };
}

function reuse(before: TopicAssignment | undefined, topic: TopicAssignment): TopicAssignment {
  if (before === undefined) return topic;
  const isSame =
    before.name === topic.name &&
    before.wishes === topic.wishes &&
    isEqual(before.leaders, topic.leaders) &&
    isEqual(before.leaderEpochs, topic.leaderEpochs);
  return isSame ? before : topic;
}

/**
 * A broker that leads is shown to clients whatever its state, or they could not find the leader. All others are fenced
 * unless they may lead.
 */
function brokersOf(registry: BrokerRegistry, leading: ReadonlySet<number>): ClusterBroker[] {
  return registry.all().map((broker) => {
    const state = registry.stateOf(broker);
    return {
      ...broker.description,
      isFenced: state !== "leading" && !leading.has(broker.description.nodeId),
      isAlive: state === "leading" || state === "draining",
    };
  });
}

/** How many partitions and slots nobody leads. */
export function countLeaderless({ topics, slots }: Pick<Assignment, "topics" | "slots">): number {
  let count = 0;
  for (const { leaders } of topics) count += countNobody(leaders);
  return count + countNobody(slots.groups) + countNobody(slots.transactions);
}

function countNobody(leaders: readonly number[]): number {
  return leaders.reduce((sum, leader) => sum + (leader === NO_LEADER ? 1 : 0), 0);
}

function isEqual(one: readonly number[], other: readonly number[]): boolean {
  return one === other || (one.length === other.length && one.every((value, index) => value === other[index]));
}
