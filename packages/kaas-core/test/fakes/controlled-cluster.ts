import { type Assignment, NO_LEADER } from "../../src/cluster/assignment.js";
import { Controller } from "../../src/cluster/controller/controller.js";
import type { ControllerTiming, TopicPartitions } from "../../src/cluster/controller-api.js";
import type { HeartbeatAnswer, HeartbeatReport } from "../../src/cluster/heartbeat.js";
import { LedChanges } from "../../src/cluster/led-changes.js";
import { silentLog } from "../../src/ports/log.js";
import { FakeAssignmentStore } from "./fake-assignment-store.js";
import { ManualClock } from "./manual-clock.js";

/** A broker that claims at once what it is assigned, and reports twice a second. */
export class ReportingBroker {
  readonly nodeId: number;
  incarnation: string;
  startedMs = 0;
  isRunning = true;
  isHealthy = true;
  isDraining = false;
  /** Whether it claims what it is assigned. */
  isClaiming = true;
  rack: string | null = null;
  answer: HeartbeatAnswer | undefined;
  #changes = new LedChanges();
  #leading = new Set<string>();

  constructor(nodeId: number) {
    this.nodeId = nodeId;
    this.incarnation = `first-${nodeId}`;
  }

  restart(incarnation: string): void {
    this.incarnation = incarnation;
    this.startedMs++;
    this.#changes = new LedChanges();
    this.#leading = new Set();
  }

  follow(assignment: Assignment | undefined): void {
    if (!this.isClaiming || assignment === undefined) return;
    const { controllerEpoch, version } = assignment;
    const leading = new Set<string>();
    for (const { topicId, leaders } of assignment.topics) {
      for (const [partition, leader] of leaders.entries()) {
        if (leader !== this.nodeId) continue;
        const key = `${topicId}:${partition}`;
        leading.add(key);
        if (!this.#leading.has(key)) this.#changes.opened(topicId, partition, controllerEpoch * 1_000 + version);
      }
    }
    for (const key of this.#leading) {
      const [topicId = "", partition] = key.split(":");
      if (!leading.has(key)) this.#changes.closed(topicId, Number(partition));
    }
    this.#leading = leading;
  }

  reportTo(controller: Controller): void {
    this.answer = controller.hear(this.report());
    if (this.answer.verdict === "resync") this.#changes.restart();
    if (this.answer.verdict === "not-controller") this.#changes.restart();
  }

  report(): HeartbeatReport {
    return {
      nodeId: this.nodeId,
      name: `kaas-${this.nodeId}`,
      incarnation: this.incarnation,
      startedMs: this.startedMs,
      rack: this.rack,
      listeners: [{ listenerName: "PLAINTEXT", host: `kaas-${this.nodeId}`, port: 9092 }],
      isHealthy: this.isHealthy,
      isDraining: this.isDraining,
      ...this.#changes.next(),
      slots: { groups: [], transactions: [] },
    };
  }
}

export interface ControlledClusterOptions {
  readonly brokerCount: number;
  readonly topics: readonly TopicPartitions[];
  readonly timing?: Partial<ControllerTiming>;
  readonly store?: FakeAssignmentStore;
  readonly clock?: ManualClock;
  /** Of the broker that the controller is in. */
  readonly controllerId?: number;
}

/** A topic of six partitions, where a test does not need others. */
export const ORDERS: TopicPartitions = { topicId: "AAAAAAAAAAAAAAAAAAAAAQ", name: "orders", partitionCount: 6 };

/** One controller, and brokers that report to it. */
export class ControlledCluster {
  readonly clock: ManualClock;
  readonly store: FakeAssignmentStore;
  readonly controller: Controller;
  readonly brokers: ReportingBroker[];
  readonly pushed: Assignment[] = [];
  /** Incarnations by name of those that use the volume, as far as a test says so. */
  readonly successors = new Map<string, string>();
  timesFenced = 0;

  constructor({ brokerCount, topics, timing = {}, store, clock, controllerId = 0 }: ControlledClusterOptions) {
    this.clock = clock ?? new ManualClock();
    this.store = store ?? new FakeAssignmentStore();
    this.controller = new Controller({
      nodeId: controllerId,
      store: this.store,
      hasSuccessor: async (name, incarnation) => this.successors.get(name) !== incarnation && this.successors.has(name),
      slotCount: 4,
      clock: this.clock,
      log: silentLog,
      onPublished: (assignment) => void this.pushed.push(assignment),
      onFenced: () => void this.timesFenced++,
      timing,
    });
    this.brokers = Array.from({ length: brokerCount }, (_, nodeId) => new ReportingBroker(nodeId));
    this.controller.setTopics(topics);
  }

  /** A cluster of three, with {@link ORDERS}, that has come to rest. */
  static async settled(options: Partial<ControlledClusterOptions> = {}): Promise<ControlledCluster> {
    const cluster = new ControlledCluster({ brokerCount: 3, topics: [ORDERS], ...options });
    cluster.controller.lead(0);
    await cluster.pass(6_000);
    return cluster;
  }

  broker(nodeId: number): ReportingBroker {
    const one = this.brokers[nodeId];
    if (one === undefined) throw new Error(`there is no broker ${nodeId}`);
    return one;
  }

  /** How long it takes until something is so, to the tenth of a second. */
  async waitFor(isSo: () => boolean, withinMs = 20_000): Promise<number> {
    for (let passedMs = 0; passedMs <= withinMs; passedMs += 100) {
      if (isSo()) return passedMs;
      await this.pass(100);
      if (passedMs % 500 === 0) this.reportAll();
    }
    throw new Error(`it did not happen within ${withinMs} ms`);
  }

  /** Lets time pass, in steps of which brokers report every fifth. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) {
      this.clock.advance(100);
      await turns();
      for (const broker of this.brokers) broker.follow(broker.isRunning ? this.store.last : undefined);
      if (passed % 500 === 0) this.reportAll();
      await turns();
    }
  }

  reportAll(): void {
    for (const broker of this.brokers) if (broker.isRunning) broker.reportTo(this.controller);
  }

  get newest(): Assignment {
    const newest = this.store.published.at(-1);
    if (newest === undefined) throw new Error("nothing was published");
    return newest;
  }

  /** Leaders of all partitions, by topic. */
  get leaders(): (readonly number[])[] {
    return this.newest.topics.map(({ leaders }) => leaders);
  }

  /** How many partitions each broker leads. */
  get counts(): number[] {
    const all = this.leaders.flat();
    return this.brokers.map(({ nodeId }) => all.filter((leader) => leader === nodeId).length);
  }

  get leaderless(): number {
    return this.leaders.flat().filter((leader) => leader === NO_LEADER).length;
  }
}

/** Lets what awaits go on. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}
