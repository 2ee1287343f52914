import fc from "fast-check";
import { expect, test } from "vitest";
import { FakePartitionLog } from "../../test/fakes/fake-partition-log.js";
import { ManualClock } from "../../test/fakes/manual-clock.js";
import type { TopicConfig } from "../config/topic-config.js";
import { ErrorCode } from "../errors/error-codes.js";
import { KaasError } from "../errors/kaas-error.js";
import { silentLog } from "../ports/log.js";
import type { LogConfig, PartitionId, PartitionLog, PartitionLogs } from "../ports/partition-logs.js";
import { AssignmentView } from "./assignment-view.js";
import { PartitionLeads } from "./partition-leads.js";
import { Topic } from "./topic-table.js";

const TOPIC = "AAAAAAAAAAAAAAAAAAAAAQ";
const PARTITIONS = 3;
const BROKERS = 3;

/** A volume: who has which partition, and what the disk has not answered yet. */
class World {
  readonly holders = new Map<number, number>();
  /** Steps that can be taken, in any order; one that has to wait puts itself back. */
  readonly pending: (() => void)[] = [];
  readonly clock = new ManualClock();
  /** The next opening that could succeed fails. */
  failsNext = false;
  /** What should not have been asked of a volume: a throw would be taken for a failure of the volume. */
  readonly faults: string[] = [];
  readonly brokers: readonly Member[];
  #version = 0;

  constructor(partitionCount = PARTITIONS) {
    this.brokers = Array.from({ length: BROKERS }, (_, nodeId) => new Member(this, nodeId, partitionCount));
  }

  /** `leaders` by partition, told to one broker or to all: some hear late. */
  assign(leaders: readonly number[], told: number | undefined): void {
    const version = ++this.#version;
    for (const { view } of told === undefined ? this.brokers : [this.brokers[told] as Member]) {
      view.adopt({
        controllerEpoch: 1,
        version,
        controllerId: 0,
        createdMs: 0,
        brokers: [],
        topics: [{ topicId: TOPIC, name: "t", leaders, leaderEpochs: leaders.map(() => -1) }],
        slots: { groups: [], transactions: [] },
      });
    }
  }

  /** Takes a step; `meanwhile` happens some turns later, in the middle of what follows from it. */
  async step(index: number, turns = 0, meanwhile?: () => void): Promise<void> {
    const [take] = this.pending.splice(index % Math.max(1, this.pending.length), 1);
    take?.();
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    meanwhile?.();
    await settle();
  }

  /** Everything that can happen happens, and every retry comes. */
  async rest(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet++) {
      for (let left = 1_000; this.pending.length > 0 && left > 0; left--) await this.step(0);
      this.clock.advance(1_000);
      await settle();
    }
    expect([this.pending, this.faults]).toEqual([[], []]);
  }
}

class Member implements PartitionLogs {
  readonly view: AssignmentView;
  readonly topic = new Topic("t", TOPIC, {}, {} as TopicConfig);
  readonly leads: PartitionLeads;
  readonly #world: World;
  readonly #nodeId: number;

  constructor(world: World, nodeId: number, partitionCount: number) {
    this.#world = world;
    this.#nodeId = nodeId;
    this.view = new AssignmentView({ nodeId, name: `b${nodeId}`, incarnation: `i${nodeId}`, rack: null });
    this.leads = new PartitionLeads({ view: this.view, logs: this, clock: world.clock, log: silentLog });
    for (let partition = 0; partition < partitionCount; partition++) this.topic.partitions.push(undefined);
    this.leads.follow(this.topic);
    this.leads.watchDeposed();
  }

  open(id: PartitionId, _config: LogConfig, unwanted?: AbortSignal): Promise<PartitionLog> {
    const { holders, pending } = this.#world;
    if (holders.get(id.partition) === this.#nodeId) this.#world.faults.push("what is open is opened again");
    return new Promise((resolve, reject) => {
      const attempt = (): void => {
        const holder = holders.get(id.partition);
        if (unwanted?.aborted === true) return reject(new KaasError("KAAS_CLOSED", "unwanted"));
        if (holder !== undefined) return void pending.push(attempt);
        if (this.#world.failsNext) {
          this.#world.failsNext = false;
          return reject(new KaasError("KAAS_STORAGE_FAILED", "no"));
        }
        holders.set(id.partition, this.#nodeId);
        resolve(new FakePartitionLog(id));
      };
      pending.push(attempt);
    });
  }

  release(id: PartitionId): Promise<void> {
    const { holders, pending } = this.#world;
    if (holders.get(id.partition) !== this.#nodeId) this.#world.faults.push("what is not open is released");
    if (this.topic.partitions[id.partition] !== undefined) this.#world.faults.push("requests find what is released");
    return new Promise((resolve) => {
      pending.push(() => {
        holders.delete(id.partition);
        resolve();
      });
    });
  }

  abandon(): Promise<void> {
    return Promise.resolve();
  }

  describeLogDirs = () => Promise.resolve([]);
  enforceRetention = () => Promise.resolve();
  compact = () => Promise.resolve();
  close = () => Promise.resolve();
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function serving({ brokers }: World): (number | undefined)[][] {
  return brokers.map(({ topic }) =>
    topic.partitions.map((log, partition) => (log === undefined ? undefined : partition)),
  );
}

const leaders = fc.array(fc.integer({ min: -1, max: BROKERS - 1 }), { minLength: PARTITIONS, maxLength: PARTITIONS });
const change = fc.oneof(
  fc.record({ leaders, told: fc.option(fc.integer({ min: 0, max: BROKERS - 1 }), { nil: undefined }) }),
  fc.record({ step: fc.nat(20) }),
  fc.record({ step: fc.nat(20), turns: fc.nat(12), leaders }),
  fc.constant({ fails: true as const }),
);

test("however leaders are assigned there and back, in the end each partition is served by who is to lead it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 40 }), leaders, async (changes, final) => {
      const world = new World();
      for (const one of changes) {
        if ("turns" in one) await world.step(one.step, one.turns, () => world.assign(one.leaders, undefined));
        else if ("step" in one) await world.step(one.step);
        else if ("fails" in one) world.failsNext = true;
        else world.assign(one.leaders, one.told);
        for (const { topic, view } of world.brokers) {
          for (const [partition, log] of topic.partitions.entries()) {
            if (log === undefined) continue;
            expect(view.leadership(TOPIC, partition)?.leaderId).toBe(view.nodeId);
            expect(world.holders.get(partition)).toBe(view.nodeId);
          }
        }
      }
      world.assign(final, undefined);
      await world.rest();
      const expected = world.brokers.map(({ view }) =>
        final.map((leader, partition) => (leader === view.nodeId ? partition : undefined)),
      );
      expect(serving(world)).toEqual(expected);
      expect([...world.holders.keys()].sort()).toEqual(final.flatMap((leader, n) => (leader < 0 ? [] : [n])));
      for (const { leads } of world.brokers) {
        const { assigned, serving: open, releasing } = leads.counts;
        expect([open, releasing]).toEqual([assigned, 0]);
        leads.close();
      }
      expect(world.clock.pending).toBe(0);
    }),
    { numRuns: 150 },
  );
});

test("a partition that comes back before its hand-over has begun stays open; one whose has is opened again", async () => {
  const count = 40;
  const world = new World(count);
  const all = (leader: number) => Array.from({ length: count }, () => leader);
  world.assign(all(0), undefined);
  await world.rest();
  const { topic } = world.brokers[0] as Member;
  const before = [...topic.partitions];
  world.assign(all(-1), 0);
  expect(new Set(topic.partitions)).toEqual(new Set([undefined]));
  world.assign(all(0), 0);
  await world.rest();
  const stayed = topic.partitions.filter((log, partition) => log === before[partition]);
  expect([topic.partitions.includes(undefined), stayed.length]).toEqual([false, count - 32]);
});

test("what is not to be led any more when its turn to be opened comes is not opened", async () => {
  const count = 40;
  const world = new World(count);
  const all = (leader: number) => Array.from({ length: count }, () => leader);
  world.assign(all(1), 1);
  await world.rest();
  world.assign(all(0), 0); // the other one has not heard of it, and hands nothing over
  world.assign(all(1), 0);
  await world.rest();
  expect(new Set(world.holders.values())).toEqual(new Set([1]));
});

test("a log that another broker has taken is claimed again if it still is to be led here, and only then", async () => {
  const world = new World();
  world.assign([0, 0, -1], undefined);
  await world.rest();
  const { topic } = world.brokers[0] as Member;
  for (const partition of [0, 1]) {
    (topic.partitions[partition] as FakePartitionLog).health = ErrorCode.NOT_LEADER_OR_FOLLOWER;
  }
  expect(world.brokers[0]?.leads.counts).toEqual({ assigned: 2, serving: 0, releasing: 0 });
  world.clock.advance(1_000);
  expect(topic.partitions.slice(0, 2)).toEqual([undefined, undefined]);
  for (let step = 0; step < 5; step++) await world.step(0);
  expect(world.holders.size).toBe(0); // whoever knows better has some time to say so
  world.assign([0, 1, -1], undefined);
  await world.rest();
  expect(serving(world)).toEqual([
    [0, undefined, undefined],
    [undefined, 1, undefined],
    [undefined, undefined, undefined],
  ]);
});

test("a log that goes on at a new epoch by itself is told of", async () => {
  const world = new World(1);
  const [member] = world.brokers as readonly [Member];
  let told = 0;
  world.assign([0], undefined);
  await world.rest();
  member.leads.onChange(() => told++);
  const log = member.topic.partitions[0] as FakePartitionLog;
  const advance = (): void => {
    for (const listener of log.listeners) listener.logAdvanced(log);
  };
  advance();
  expect(told).toBe(0);
  log.leaderEpoch = 7;
  advance();
  advance();
  expect(told).toBe(1);
  expect(member.leads.led()).toMatchObject([{ partition: 0, leaderEpoch: 7 }]);
});
