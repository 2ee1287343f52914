import { NO_LEADER, type PartitionWish } from "../assignment.js";
import { type BrokerTable, createBrokerTable, type PlanBroker } from "./broker-table.js";
import { balance, type MoveBudget } from "./balance.js";

/** Who leads what; an assignment is one. */
export interface Placement {
  readonly topics: readonly { readonly topicId: string; readonly leaders: readonly number[] }[];
  readonly slots: { readonly groups: readonly number[]; readonly transactions: readonly number[] };
}

/** A topic whose partitions want leaders. */
export interface PlanTopic {
  readonly topicId: string;
  readonly partitionCount: number;
  readonly wishes?: readonly PartitionWish[] | undefined;
}

export interface PlanRequest {
  /** Those that are alive. What any other leads is given to one of them. */
  readonly brokers: readonly PlanBroker[];
  readonly topics: readonly PlanTopic[];
  /** How many coordinator slots there are of each kind. */
  readonly slotCount: number;
  /** How many leaders that are alive may be taken from what they lead. What has no leader is placed in any case. */
  readonly movesMax: number;
  /** Whether leaders move for the sake of equal shares alone. */
  readonly evensOut: boolean;
}

export interface Plan {
  /** Node ids by partition, one entry for each topic that was asked for; the very arrays of before where none changed. */
  readonly topics: readonly (readonly number[])[];
  readonly slots: { readonly groups: readonly number[]; readonly transactions: readonly number[] };
  /** How many leaders that are alive lose something. */
  readonly moved: number;
  /** How many more would have to, had `movesMax` allowed it. */
  readonly postponed: number;
}

/**
 * Says who should lead what. Leaders stay where they are, unless their broker is gone or drains, somebody wished for
 * another one, or brokers have unequal shares: then as few move as will do, those that drain first. Partitions, group
 * slots and transaction slots are shared out by the same rules, each for itself.
 *
 * A topic is spread over brokers, and of brokers that have equally little of it, over racks, so that partitions next to
 * one another are in different ones. The same input gives the same plan, and its own plan gives itself.
 */
export function plan(previous: Placement | undefined, request: PlanRequest): Plan {
  const table = createBrokerTable(request.brokers);
  const budget = { left: request.movesMax, postponed: 0, evensOut: request.evensOut };
  const before = new Map(previous?.topics.map(({ topicId, leaders }) => [topicId, leaders]));
  const topics = place(
    table,
    request.topics.map(({ topicId, partitionCount, wishes }) => ({
      leaders: resized(before.get(topicId) ?? [], partitionCount),
      wishes,
    })),
    budget,
  );
  const slots = (["groups", "transactions"] as const).map((kind) => {
    const leaders = resized(previous?.slots[kind] ?? [], request.slotCount);
    return place(table, [{ leaders, wishes: undefined }], budget)[0] ?? leaders;
  });
  const [groups = [], transactions = []] = slots;
  const moved = request.movesMax - budget.left;
  return { topics, slots: { groups, transactions }, moved, postponed: budget.postponed };
}

interface Group {
  readonly leaders: readonly number[];
  readonly wishes: readonly PartitionWish[] | undefined;
}

/** Shares one kind out. Answers the same array for a group of which nothing changed. */
function place(table: BrokerTable, groups: readonly Group[], budget: MoveBudget): (readonly number[])[] {
  const { changed } = balance(table, groups, budget);
  return groups.map(({ leaders }, group) => changed.get(group) ?? leaders);
}

function resized(leaders: readonly number[], count: number): readonly number[] {
  if (leaders.length === count) return leaders;
  return Array.from({ length: count }, (_, index) => leaders[index] ?? NO_LEADER);
}
