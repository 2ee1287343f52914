import { type Arbitrary, array, assert, constantFrom, integer, property, record, uniqueArray } from "fast-check";
import { test } from "vitest";
import type { PlanBroker } from "./broker-table.js";
import { type Placement, plan, type PlanRequest, type PlanTopic } from "./plan.js";

const ALL = 1_000_000;

interface Situation {
  readonly brokers: readonly PlanBroker[];
  readonly topics: readonly (PlanTopic & { readonly before: readonly number[] })[];
  readonly slots: Placement["slots"];
  readonly slotCount: number;
}

/** Node ids 0 to 7, of which some are brokers. */
const nodeId = integer({ min: 0, max: 7 });
const leaders = array(integer({ min: -1, max: 7 }), { maxLength: 12 });

function situations(roles: Arbitrary<PlanBroker["role"]>, wishesMax: number): Arbitrary<Situation> {
  const broker = record({ nodeId, rack: constantFrom(null, "a", "b", "c"), role: roles });
  const wish = record({ partition: integer({ min: 0, max: 11 }), brokers: uniqueArray(nodeId, { maxLength: 3 }) });
  const topic = record({
    topicId: integer({ min: 0, max: 1_000_000 }).map(String),
    partitionCount: integer({ min: 0, max: 12 }),
    before: leaders,
    wishes: uniqueArray(wish, { selector: ({ partition }) => partition, maxLength: wishesMax }),
  });
  return record({
    brokers: uniqueArray(broker, { selector: (one) => one.nodeId, maxLength: 6 }),
    topics: uniqueArray(topic, { selector: ({ topicId }) => topicId, maxLength: 12 }),
    slots: record({ groups: leaders, transactions: leaders }),
    slotCount: integer({ min: 0, max: 12 }),
  });
}

const plain = situations(constantFrom("leads"), 0);
const any = situations(constantFrom("leads", "leads", "drains"), 4);

function requestOf({ brokers, topics, slotCount }: Situation, movesMax = ALL): PlanRequest {
  return { brokers, topics, slotCount, movesMax, evensOut: true };
}

function previousOf({ topics, slots }: Situation): Placement {
  return { topics: topics.map(({ topicId, before }) => ({ topicId, leaders: before })), slots };
}

function made(situation: Situation, previous: Placement, movesMax = ALL): { next: Placement; moved: number } {
  const { topics, slots, moved } = plan(previous, requestOf(situation, movesMax));
  const named = situation.topics.map(({ topicId }, index) => ({ topicId, leaders: topics[index] ?? [] }));
  return { next: { topics: named, slots }, moved };
}

/** Each kind by itself: what was led by whom, of what is still there, and by whom it is led. */
function kindsOf(situation: Situation, previous: Placement, next: Placement): { before: number[]; after: number[] }[] {
  const cut = (some: readonly number[], count: number): number[] =>
    Array.from({ length: count }, (_, index) => some[index] ?? -1);
  const partitions = situation.topics.map(({ partitionCount }, index) => ({
    before: cut(previous.topics[index]?.leaders ?? [], partitionCount),
    after: [...(next.topics[index]?.leaders ?? [])],
  }));
  return [
    { before: partitions.flatMap(({ before }) => before), after: partitions.flatMap(({ after }) => after) },
    ...(["groups", "transactions"] as const).map((kind) => ({
      before: cut(previous.slots[kind], situation.slotCount),
      after: [...next.slots[kind]],
    })),
  ];
}

function countsOf(brokers: readonly PlanBroker[], led: readonly number[]): number[] {
  return brokers.map((broker) => led.filter((one) => one === broker.nodeId).length);
}

function isEven(counts: readonly number[]): boolean {
  return counts.length === 0 || Math.max(...counts) - Math.min(...counts) <= 1;
}

/** The fewest that have to move so that all have as much, give or take one. */
function fewestMoves(held: readonly number[], total: number): number {
  const [each, odd] = [Math.floor(total / held.length), total % held.length];
  const descending = [...held].sort((one, other) => other - one);
  return descending.reduce((sum, has, rank) => sum + Math.max(0, has - each - (rank < odd ? 1 : 0)), 0);
}

test("brokers have equal shares, give or take one", () => {
  assert(
    property(plain, (situation) => {
      const previous = previousOf(situation);
      const { next } = made(situation, previous);
      return kindsOf(situation, previous, next).every(({ after }) => isEven(countsOf(situation.brokers, after)));
    }),
  );
});

test("no more move than must", () => {
  assert(
    property(plain, (situation) => {
      const previous = previousOf(situation);
      const { next, moved } = made(situation, previous);
      if (situation.brokers.length === 0) return moved === 0;
      const alive = new Set(situation.brokers.map((broker) => broker.nodeId));
      let [fewest, seen] = [0, 0];
      for (const { before, after } of kindsOf(situation, previous, next)) {
        fewest += fewestMoves(countsOf(situation.brokers, before), before.length);
        seen += before.filter((leader, item) => alive.has(leader) && after[item] !== leader).length;
      }
      return moved === fewest && seen === fewest;
    }),
    { numRuns: 500 },
  );
});

test("everything is led by somebody who may, if there is anybody", () => {
  assert(
    property(any, (situation) => {
      const previous = previousOf(situation);
      const leading = situation.brokers.filter(({ role }) => role === "leads").map((broker) => broker.nodeId);
      const alive = situation.brokers.map((broker) => broker.nodeId);
      const { next } = made(situation, previous);
      return kindsOf(situation, previous, next).every(({ before, after }) =>
        after.every((leader, item) => {
          if (leading.length > 0) return leading.includes(leader);
          return leader === (alive.includes(before[item] ?? -1) ? before[item] : -1);
        }),
      );
    }),
  );
});

test("wishes that can be granted are, and the others are shared out evenly around them", () => {
  assert(
    property(any, (situation) => {
      const previous = previousOf(situation);
      const leading = situation.brokers.filter(({ role }) => role === "leads");
      const { next } = made(situation, previous);
      const pinned = new Map<number, number>();
      for (const [index, { partitionCount, wishes = [] }] of situation.topics.entries()) {
        for (const { partition, brokers } of wishes) {
          const wished = brokers.find((one) => leading.some((broker) => broker.nodeId === one));
          if (wished === undefined || partition >= partitionCount) continue;
          if (next.topics[index]?.leaders[partition] !== wished) return false;
          pinned.set(wished, (pinned.get(wished) ?? 0) + 1);
        }
      }
      const [partitions] = kindsOf(situation, previous, next);
      const counts = countsOf(leading, partitions?.after ?? []);
      const fewest = Math.min(...counts);
      return leading.every(
        (broker, index) => (counts[index] ?? 0) <= Math.max(fewest + 1, pinned.get(broker.nodeId) ?? 0),
      );
    }),
    { numRuns: 500 },
  );
});

test("nothing moves while nothing changes", () => {
  assert(
    property(any, (situation) => {
      const { next } = made(situation, previousOf(situation));
      const again = made(situation, next);
      const isSame = again.next.topics.every(({ leaders: led }, index) => led === next.topics[index]?.leaders);
      return again.moved === 0 && isSame && again.next.slots.groups === next.slots.groups;
    }),
  );
});

test("the order in which brokers are named does not matter", () => {
  assert(
    property(any, (situation) => {
      const one = made(situation, previousOf(situation));
      const other = made({ ...situation, brokers: [...situation.brokers].reverse() }, previousOf(situation));
      return JSON.stringify(one) === JSON.stringify(other);
    }),
  );
});

test("a few moves at a time come to the same end, and never more than were allowed", () => {
  assert(
    property(any, integer({ min: 1, max: 5 }), (situation, movesMax) => {
      let placement = previousOf(situation);
      const whole = made(situation, placement);
      let total = 0;
      for (let step = 0; step < 300; step++) {
        const { next, moved } = made(situation, placement, movesMax);
        if (moved > movesMax) return false;
        total += moved;
        placement = next;
        if (moved === 0) break;
      }
      const counts = (where: Placement): string =>
        JSON.stringify(kindsOf(situation, where, where).map(({ after }) => countsOf(situation.brokers, after).sort()));
      return total === whole.moved && counts(placement) === counts(whole.next);
    }),
  );
});

test("without moves only what has no leader gets one", () => {
  assert(
    property(any, (situation) => {
      const previous = previousOf(situation);
      const alive = new Set(situation.brokers.map((broker) => broker.nodeId));
      const { next, moved } = made(situation, previous, 0);
      return (
        moved === 0 &&
        kindsOf(situation, previous, next).every(({ before, after }) =>
          before.every((leader, item) => !alive.has(leader) || after[item] === leader),
        )
      );
    }),
  );
});
