import type { Assignment } from "@kaas/core";

/** One thing in which two assignments differ. */
export interface AssignmentChange {
  readonly kind: "broker" | "partition" | "group slot" | "transaction slot" | "controller";
  /** Which one, such as `orders-3`. */
  readonly what: string;
  /** What it was, and what it is; null where it was not there. */
  readonly from: string | null;
  readonly to: string | null;
}

/** Everything in which two assignments differ, apart from epochs that leaders have reported meanwhile. */
export function changesBetween(from: Assignment, to: Assignment): readonly AssignmentChange[] {
  const controller = { from: String(from.controllerId), to: String(to.controllerId) };
  return [
    ...changesOf("controller", new Map([["cluster", controller.from]]), new Map([["cluster", controller.to]])),
    ...changesOf("broker", brokersOf(from), brokersOf(to)),
    ...changesOf("partition", partitionsOf(from), partitionsOf(to)),
    ...changesOf("group slot", slotsOf(from.slots.groups), slotsOf(to.slots.groups)),
    ...changesOf("transaction slot", slotsOf(from.slots.transactions), slotsOf(to.slots.transactions)),
  ];
}

/** How many partitions and slots another broker leads, of those that both know. */
export function countMoves(from: Assignment, to: Assignment): number {
  const isMove = ({ kind, from: before, to: after }: AssignmentChange): boolean =>
    kind !== "broker" && kind !== "controller" && before !== null && after !== null;
  return changesBetween(from, to).filter(isMove).length;
}

function changesOf(
  kind: AssignmentChange["kind"],
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): AssignmentChange[] {
  const changes: AssignmentChange[] = [];
  for (const [what, from] of before) {
    const to = after.get(what) ?? null;
    if (from !== to) changes.push({ kind, what, from, to });
  }
  for (const [what, to] of after) if (!before.has(what)) changes.push({ kind, what, from: null, to });
  return changes;
}

function brokersOf({ brokers }: Assignment): Map<string, string> {
  return new Map(brokers.map((broker) => [broker.name, `${stateOf(broker)} ${broker.incarnation}`]));
}

/** What a broker is to the controller, in one word. */
export function stateOf({ isFenced, isAlive }: Pick<Assignment["brokers"][number], "isFenced" | "isAlive">): string {
  if (!isAlive) return "lost";
  return isFenced ? "drained" : "alive";
}

function partitionsOf({ topics }: Assignment): Map<string, string> {
  return new Map(
    topics.flatMap(({ name, leaders }) =>
      leaders.map((leader, partition): [string, string] => [`${name}-${partition}`, shownLeader(leader)]),
    ),
  );
}

function slotsOf(leaders: readonly number[]): Map<string, string> {
  return new Map(leaders.map((leader, slot) => [String(slot), shownLeader(leader)]));
}

function shownLeader(leader: number): string {
  return leader < 0 ? "nobody" : String(leader);
}
