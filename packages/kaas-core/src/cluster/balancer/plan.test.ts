import { describe, expect, test } from "vitest";
import type { PlanBroker } from "./broker-table.js";
import { type Placement, type Plan, plan, type PlanRequest, type PlanTopic } from "./plan.js";

const ALL = 1_000_000;

function brokers(...nodeIds: number[]): PlanBroker[] {
  return nodeIds.map((nodeId) => ({ nodeId, rack: null, role: "leads" }));
}

function request(changes: Partial<PlanRequest>): PlanRequest {
  return { brokers: [], topics: [], slotCount: 0, movesMax: ALL, evensOut: true, ...changes };
}

function topic(partitionCount: number, changes: Partial<PlanTopic> = {}): PlanTopic {
  return { topicId: "t", partitionCount, ...changes };
}

/** What it would be for the next plan. */
function placementOf(topics: readonly PlanTopic[], made: Plan): Placement {
  return {
    topics: topics.map(({ topicId }, index) => ({ topicId, leaders: made.topics[index] ?? [] })),
    slots: made.slots,
  };
}

function led(...leaders: number[]): Placement {
  return { topics: [{ topicId: "t", leaders }], slots: { groups: [], transactions: [] } };
}

describe("a plan", () => {
  test("spreads new partitions and slots over all brokers", () => {
    const made = plan(undefined, request({ brokers: brokers(0, 1, 2), topics: [topic(7)], slotCount: 4 }));
    expect(made.topics).toEqual([[0, 1, 2, 0, 1, 2, 0]]);
    expect(made.slots).toEqual({ groups: [1, 0, 2, 1], transactions: [2, 0, 1, 2] });
    expect(made).toMatchObject({ moved: 0, postponed: 0 });
  });

  test("moves what a lost broker led, and nothing else", () => {
    const made = plan(led(0, 1, 2, 0, 1, 2), request({ brokers: brokers(0, 2), topics: [topic(6)] }));
    expect(made.topics).toEqual([[0, 0, 2, 0, 2, 2]]);
    expect(made.moved).toBe(0);
  });

  test("gives a new broker its share", () => {
    const made = plan(led(0, 0, 0, 1, 1, 1), request({ brokers: brokers(0, 1, 2), topics: [topic(6)] }));
    expect(made.topics).toEqual([[0, 0, 2, 1, 1, 2]]);
    expect(made.moved).toBe(2);
  });

  test("does so only if shares matter, but fills them up with what has no leader", () => {
    const grown = request({ brokers: brokers(0, 1, 2), topics: [topic(8)], evensOut: false });
    expect(plan(led(0, 0, 0, 1, 1, 1), grown)).toMatchObject({ topics: [[0, 0, 0, 1, 1, 1, 2, 2]], moved: 0 });
  });

  test("takes from the topic of which a broker has most", () => {
    const previous = {
      topics: [
        { topicId: "a", leaders: [0, 1] },
        { topicId: "b", leaders: [0, 0, 0] },
        { topicId: "c", leaders: [0, 1] },
      ],
      slots: { groups: [], transactions: [] },
    };
    const topics = previous.topics.map(({ topicId, leaders }) => ({ topicId, partitionCount: leaders.length }));
    expect(plan(previous, request({ brokers: brokers(0, 1), topics })).topics).toEqual([
      [0, 1],
      [0, 0, 1],
      [0, 1],
    ]);
  });

  test("empties a broker that drains, so many at a time", () => {
    const draining = [...brokers(0, 1), { nodeId: 2, rack: null, role: "drains" } as const];
    const made = plan(led(0, 1, 2, 2, 2), request({ brokers: draining, topics: [topic(6)], movesMax: 2 }));
    expect(made).toMatchObject({ topics: [[0, 1, 1, 0, 2, 0]], moved: 2, postponed: 1 });
    const next = plan(
      { ...made, topics: [{ topicId: "t", leaders: made.topics[0] ?? [] }] },
      request({ brokers: draining, topics: [topic(6)] }),
    );
    expect(next.topics).toEqual([[0, 1, 1, 0, 1, 0]]);
  });

  test("leaves everything to the last broker that drains, and nothing to nobody", () => {
    const draining = [{ nodeId: 2, rack: null, role: "drains" } as const];
    expect(plan(led(2, 1), request({ brokers: draining, topics: [topic(2)] })).topics).toEqual([[2, -1]]);
    expect(plan(led(2, 1), request({ topics: [topic(2)] })).topics).toEqual([[-1, -1]]);
  });

  test("puts partitions next to one another into different racks", () => {
    const racked: PlanBroker[] = ["a", "a", "b", "b"].map((rack, nodeId) => ({ nodeId, rack, role: "leads" }));
    const [leaders = []] = plan(undefined, request({ brokers: racked, topics: [topic(8)] })).topics;
    const racks = leaders.map((nodeId) => racked[nodeId]?.rack);
    for (let partition = 1; partition < racks.length; partition++)
      expect(racks[partition]).not.toBe(racks[partition - 1]);
  });

  test("grants wishes to those that can lead, and evens out the rest around them", () => {
    const wishes = [
      { partition: 0, brokers: [9, 2, 1] },
      { partition: 1, brokers: [2] },
      { partition: 2, brokers: [2] },
      { partition: 3, brokers: [9] },
    ];
    const made = plan(led(0, 0, 1, 1, 2, 2), request({ brokers: brokers(0, 1, 2), topics: [topic(6, { wishes })] }));
    expect(made.topics[0]?.slice(0, 3)).toEqual([2, 2, 2]);
    expect([...(made.topics[0] ?? [])].sort()).toEqual([0, 1, 1, 2, 2, 2].sort());
    expect(made.moved).toBe(5);
    expect(
      plan(placementOf([topic(6)], made), request({ brokers: brokers(0, 1, 2), topics: [topic(6, { wishes })] })).moved,
    ).toBe(0);
  });

  test("forgets partitions that are gone and knows those that came", () => {
    const topics = [topic(2), { topicId: "u", partitionCount: 1 }];
    expect(plan(led(0, 1, 0), request({ brokers: brokers(0, 1), topics })).topics).toEqual([[0, 1], [0]]);
  });

  test("is the very same arrays where nothing changed", () => {
    const topics = [topic(4)];
    const first = plan(undefined, request({ brokers: brokers(0, 1), topics, slotCount: 3 }));
    const second = plan(placementOf(topics, first), request({ brokers: brokers(1, 0), topics, slotCount: 3 }));
    expect(second.topics[0]).toBe(first.topics[0]);
    expect(second.slots.groups).toBe(first.slots.groups);
    expect(second.slots.transactions).toBe(first.slots.transactions);
  });
});

describe("ten thousand partitions on fifty brokers", () => {
  const topics = Array.from({ length: 200 }, (_, n) => ({ topicId: `${n}`, partitionCount: 50 }));
  const fifty: PlanBroker[] = Array.from({ length: 50 }, (_, nodeId) => ({
    nodeId,
    rack: `z${nodeId % 3}`,
    role: "leads",
  }));
  const first = plan(undefined, request({ brokers: fifty, topics, slotCount: 50 }));
  const placement = placementOf(topics, first);

  test("are 200 for each, each topic on each broker once, neighbours in different racks", () => {
    for (const { nodeId } of fifty) {
      expect(first.topics.flat().filter((leader) => leader === nodeId)).toHaveLength(200);
      expect(first.slots.groups.filter((leader) => leader === nodeId)).toHaveLength(1);
    }
    expect(first.topics.filter((leaders) => new Set(leaders).size < 50)).toEqual([]);
    const besides = first.topics.flatMap((leaders) =>
      leaders.filter((leader, partition) => partition > 0 && leader % 3 === (leaders[partition - 1] ?? 0) % 3),
    );
    expect(besides.length).toBeLessThan(200);
  });

  test("move as few as will do when a broker comes, is lost, or drains", () => {
    const joined = plan(placement, request({ brokers: [...fifty, ...brokers(50)], topics, slotCount: 50 }));
    expect(joined).toMatchObject({ moved: 196, postponed: 0 });
    const lost = plan(placement, request({ brokers: fifty.slice(1), topics, slotCount: 50 }));
    expect(lost.moved).toBe(0);
    const changed = lost.topics.flatMap((leaders, n) =>
      leaders.filter((leader, partition) => leader !== first.topics[n]?.[partition]),
    );
    expect(changed).toHaveLength(200);
    const draining = fifty.map((one) => (one.nodeId === 7 ? { ...one, role: "drains" as const } : one));
    expect(plan(placement, request({ brokers: draining, topics, slotCount: 50 })).moved).toBe(202);
  });
});
