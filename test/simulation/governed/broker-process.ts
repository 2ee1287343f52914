import {
  type Assignment,
  type AssignmentView,
  type LeadershipReport,
  type PartitionLog,
  type PartitionLogs,
  supersedes,
} from "@kaas/core";
import type { FileSystem, Volume } from "@kaas/storage";
import { ClusterControl } from "../../../apps/broker/src/control/cluster-control.js";
import { DataPlaneReporter } from "../../../apps/broker/src/control/data-plane-reporter.js";
import { PartitionLeads } from "../../../packages/kaas-core/src/cluster/partition-leads.js";
import { Topic } from "../../../packages/kaas-core/src/cluster/topic-table.js";
import type { TopicConfig } from "../../../packages/kaas-core/src/config/topic-config.js";
import { Violation } from "../history.js";
import type { World } from "../world.js";
import type { Governance } from "./governance.js";
import type { Pod } from "./governed-broker.js";
import { ObservedLogs } from "./observed-logs.js";
import type { Life } from "./promises.js";
import { SlotWork } from "./slot-work.js";

export const TOPIC = "t";
export const CLUSTER_DIRECTORY = "/data/__cluster";
const DRAIN_MS_MAX = 10_000;
/** From one thread of a process to another. */
const HOP_MS = 0.1;

export interface BrokerProcessOptions {
  readonly pod: Pod;
  readonly life: Life;
  /** Wall clock at the start of the process. */
  readonly startedMs: number;
  readonly address: string;
  readonly view: AssignmentView;
  readonly volume: Volume;
  readonly fileSystem: FileSystem;
  readonly topicId: string;
}

/**
 * One incarnation of a broker: its own control plane, and what its data plane does about who leads what. Only network,
 * volume and API server are simulated.
 */
export class BrokerProcess {
  readonly view: AssignmentView;
  readonly #world: World;
  readonly #governance: Governance;
  readonly #options: BrokerProcessOptions;
  readonly #topic: Topic;
  readonly #leads: PartitionLeads;
  readonly #slots: readonly SlotWork[];
  readonly #control: ClusterControl;
  readonly #reporter: DataPlaneReporter;
  readonly #changed = new Set<() => void>();
  #unfollow: () => void = () => undefined;
  #isOver = false;

  constructor(world: World, governance: Governance, options: BrokerProcessOptions) {
    const { pod, life, volume, topicId, view } = options;
    const { process } = life;
    const { clock } = process;
    const log = world.logOf(process);
    this.#world = world;
    this.#governance = governance;
    this.#options = options;
    this.view = view;
    const [first] = world.partitions;
    this.#topic = new Topic(TOPIC, topicId, {}, first?.config as unknown as TopicConfig);
    for (const _ of world.partitions) this.#topic.partitions.push(undefined);
    const logs: PartitionLogs = new ObservedLogs(
      world,
      process,
      volume.logs,
      (partition) => this.logs.get(partition),
      () => governance.promises.isBusy(life.hostName),
    );
    this.#leads = new PartitionLeads({ view, logs, clock, log });
    this.#slots = world.journals.map(
      (model, slot) => new SlotWork({ world, process, volume, slot, model, changed: () => this.#tell() }),
    );
    this.#control = this.#newControl();
    const listener = { listenerName: "PLAINTEXT", host: pod.name, port: 9092 };
    this.#reporter = new DataPlaneReporter({
      broker: {
        endpoints: [listener],
        leadershipReport: () => this.#leadershipReport(),
        onLeadershipChange: (callback) => {
          this.#changed.add(callback);
          return () => void this.#changed.delete(callback);
        },
      },
      volume,
      clock,
      send: (message) =>
        process.turn(HOP_MS, () => {
          if (message.type === "status") this.#control.setStatus(message.status);
          else this.#control.noteLed(message.change);
        }),
      isInCluster: true,
    });
  }

  get incarnation(): string {
    return this.#options.life.incarnation;
  }

  get isController(): boolean {
    return !this.#isOver && this.#control.condition.controller.state === "active";
  }

  /** Whether it is about to end, or has. */
  get isDraining(): boolean {
    return this.#isOver || this.#control.isDraining;
  }

  get logs(): ReadonlyMap<number, PartitionLog> {
    if (this.#isOver) return new Map();
    return new Map(this.#topic.partitions.flatMap((log, partition) => (log === undefined ? [] : [[partition, log]])));
  }

  /** Whether what it leads is what it is to lead, and open. */
  get isSettled(): boolean {
    const { assigned, serving, releasing } = this.#leads.counts;
    return assigned === serving && releasing === 0 && this.#slots.every((slot) => slot.isSettled);
  }

  async start(): Promise<void> {
    const { topicId, life } = this.#options;
    const { process } = life;
    this.#governance.promises.begins(life);
    this.#leads.onChange(() => this.#tell());
    this.#leads.watchDeposed();
    this.#unfollow = this.view.onChange(() => this.#assignSlots());
    await this.#control.start();
    this.#leads.follow(this.#topic);
    this.#assignSlots();
    process.turn(HOP_MS, () =>
      this.#control.setTopics([{ topicId, name: TOPIC, partitionCount: this.#topic.partitionCount }]),
    );
    this.#reporter.start();
    this.#world.spawn(() => this.#enforceRetention());
  }

  /** Hands over as a broker does that gets SIGTERM, unless it has lost everything; then closes all that is open. */
  async close(): Promise<void> {
    const { volume, life } = this.#options;
    if (volume.status() !== "fenced") await this.#drain();
    this.#isOver = true;
    this.#reporter.stop();
    this.#unfollow();
    this.#leads.close();
    for (const slot of this.#slots) slot.assign(false);
    await volume.close().catch(() => undefined);
    this.#governance.promises.ended(life);
    await this.#control.stop();
  }

  async #drain(): Promise<void> {
    const { life } = this.#options;
    const { clock } = life.process;
    const sinceMs = clock.monotonic();
    this.#governance.promises.drains(life);
    this.#control.drain();
    const hasOthers = this.view
      .brokers()
      .some(({ nodeId, isAlive, isFenced }) => nodeId !== this.view.nodeId && isAlive && !isFenced);
    const waitMs = hasOthers ? DRAIN_MS_MAX : 0;
    while (!this.#leadsNothing && clock.monotonic() - sinceMs < waitMs) await life.process.sleep(100);
    for (const slot of this.#slots) slot.assign(false);
    await this.#leads.leaveAll();
    while (this.#slots.some((slot) => slot.isOpen)) await life.process.sleep(10);
    this.#reporter.flush();
  }

  get #leadsNothing(): boolean {
    const { serving, releasing } = this.#leads.counts;
    return serving === 0 && releasing === 0 && this.#slots.every((slot) => !slot.isOpen);
  }

  #newControl(): ClusterControl {
    const { pod, life, address, fileSystem, startedMs } = this.#options;
    const { process, incarnation } = life;
    const { peers, api } = this.#governance;
    const { clock, random } = process;
    return new ClusterControl({
      settings: {
        nodeId: pod.nodeId,
        namespace: "events",
        set: "kaas",
        clusterName: "kaas",
        service: undefined,
        rack: pod.rack,
        rackTopologyKey: undefined,
        nodeName: undefined,
        startedMs,
        clusterDirectory: CLUSTER_DIRECTORY,
        peers: { host: "", port: 0, token: "" },
        kubeconfig: undefined,
        podUid: undefined,
      },
      name: pod.name,
      incarnation,
      slotCount: Math.max(1, this.#world.scenario.slots),
      api: api.of(life),
      network: peers.of(life, address),
      fileSystem,
      clock,
      random,
      log: this.#world.logOf(process),
      isAlive: () => true,
      adopted: (assignment) => process.turn(HOP_MS, () => this.#adopt(assignment)),
      topicChanged: () => undefined,
      topicDeleted: () => undefined,
    });
  }

  async #enforceRetention(): Promise<void> {
    const { life, volume } = this.#options;
    while (life.process.isAlive && !this.#isOver) {
      await life.process.sleep(this.#world.chance.between(0, 2_000));
      if (this.#isOver || !this.#world.chance.happens(0.2)) continue;
      await volume.logs.enforceRetention();
    }
  }

  #adopt(assignment: Assignment): void {
    if (this.#isOver) return;
    this.#check(() => {
      if (!supersedes(assignment, this.view.assignment)) throw new Violation("an older assignment was adopted");
      this.#governance.decisions.seen(assignment);
    });
    this.view.adopt(assignment);
  }

  #assignSlots(): void {
    const { nodeId } = this.#options.pod;
    for (const [slot, work] of this.#slots.entries()) work.assign(this.view.coordinator("groups", slot) === nodeId);
  }

  /** Whoever called would take a violation for a failure of its own. */
  #check(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#world.fail(error);
    }
  }

  #tell(): void {
    for (const callback of this.#changed) callback();
  }

  #leadershipReport(): LeadershipReport {
    const { assigned, serving, releasing } = this.#leads.counts;
    const open = this.#slots.flatMap((work, slot) => (work.isOpen ? [slot] : []));
    return {
      led: this.#leads.led(),
      slots: { groups: open, transactions: [] },
      assigned,
      recovering: assigned - serving,
      releasing,
    };
  }
}
