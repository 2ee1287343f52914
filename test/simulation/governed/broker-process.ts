import {
  type Assignment,
  type AssignmentStore,
  AssignmentView,
  Controller,
  type HeartbeatReport,
  LedChanges,
  type PartitionLog,
  type PartitionLogs,
  supersedes,
} from "@kaas/core";
import { AssignmentFiles, type FileSystem, hasSuccessor, type Volume } from "@kaas/storage";
import { AssignmentFollower } from "../../../apps/broker/src/control/follower.js";
import { HeartbeatSender } from "../../../apps/broker/src/control/peers/heartbeat-sender.js";
import { PartitionLeads } from "../../../packages/kaas-core/src/cluster/partition-leads.js";
import { Topic } from "../../../packages/kaas-core/src/cluster/topic-table.js";
import type { TopicConfig } from "../../../packages/kaas-core/src/config/topic-config.js";
import type { SimulatedProcess } from "../../../packages/kaas-storage/src/testing/simulated/machine.js";
import { Violation } from "../history.js";
import type { World } from "../world.js";
import type { Governance } from "./governance.js";
import type { Pod } from "./governed-broker.js";
import { LeaseClient } from "./lease.js";
import { ObservedLogs } from "./observed-logs.js";
import type { PeerHost } from "./peers.js";
import { SlotWork } from "./slot-work.js";

export const TOPIC = "t";
/** An hour and a bit: wall clocks need not agree. */
const CLOCK_ERROR_MS = 4_000_000;
const DRAIN_MS_MAX = 10_000;

export interface BrokerProcessOptions {
  readonly pod: Pod;
  readonly hostName: string;
  readonly process: SimulatedProcess;
  readonly incarnation: string;
  readonly volume: Volume;
  readonly fileSystem: FileSystem;
  readonly topicId: string;
}

/**
 * All that a broker does about who leads what, put together as the broker's own composition does it: elected by a lease,
 * controller while it holds that, heard by whoever is, following assignments. Only network and API server are simulated.
 */
export class BrokerProcess implements PeerHost {
  readonly hostName: string;
  readonly process: SimulatedProcess;
  readonly incarnation: string;
  readonly controller: Controller;
  readonly view: AssignmentView;
  readonly #world: World;
  readonly #governance: Governance;
  readonly #options: BrokerProcessOptions;
  readonly #topic: Topic;
  readonly #leads: PartitionLeads;
  readonly #slots: readonly SlotWork[];
  readonly #files: AssignmentFiles;
  readonly #follower: AssignmentFollower;
  readonly #sender: HeartbeatSender;
  readonly #led = new LedChanges();
  readonly #startedMs: number;
  #reported = new Map<number, number>();
  #lease: LeaseClient;
  isDraining = false;

  constructor(world: World, governance: Governance, options: BrokerProcessOptions) {
    const { pod, hostName, process, incarnation, volume, topicId, fileSystem } = options;
    const { clock, random } = process;
    const log = world.logOf(process);
    this.#world = world;
    this.#governance = governance;
    this.#options = options;
    this.hostName = hostName;
    this.process = process;
    this.incarnation = incarnation;
    this.#startedMs = clock.now() + world.chance.between(-CLOCK_ERROR_MS, CLOCK_ERROR_MS);
    const directory = "/data/__cluster";
    this.#files = new AssignmentFiles({ fileSystem, random, directory, clock, log, broker: pod.name, incarnation });
    this.view = new AssignmentView({ nodeId: pod.nodeId, name: pod.name, incarnation, rack: pod.rack });
    const [first] = world.partitions;
    this.#topic = new Topic(TOPIC, topicId, {}, first?.config as unknown as TopicConfig);
    for (const _ of world.partitions) this.#topic.partitions.push(undefined);
    const logs: PartitionLogs = new ObservedLogs(world, process, volume.logs, (partition) => this.logs.get(partition));
    this.#leads = new PartitionLeads({ view: this.view, logs, clock, log });
    this.#slots = world.journals.map((model, slot) => new SlotWork(world, process, volume, slot, model));
    this.#follower = new AssignmentFollower({
      self: pod,
      source: this.#files,
      clock,
      log,
      adopted: (assignment) => this.#adopt(assignment),
    });
    this.controller = new Controller({
      nodeId: pod.nodeId,
      store: this.#watched(this.#files),
      hasSuccessor: (broker, other) => hasSuccessor(fileSystem, directory, { broker, incarnation: other }),
      slotCount: Math.max(1, world.scenario.slots),
      clock,
      log,
      onPublished: (assignment) => {
        this.#follower.offer(assignment);
        governance.peers.publish(this, assignment);
      },
      onFenced: () => void this.#electAgain(),
    });
    this.#sender = new HeartbeatSender({
      clock,
      random,
      log,
      connect: (address, listener) => governance.peers.connect(this, address, listener),
      target: async () => this.#target(),
      hear: (report) => this.controller.hear(report),
      nextReport: (anew) => this.#report(anew),
      assigned: (assignment) => this.#follower.offer(assignment),
    });
    this.#lease = this.#candidate();
  }

  get logs(): ReadonlyMap<number, PartitionLog> {
    return new Map(this.#topic.partitions.flatMap((log, partition) => (log === undefined ? [] : [[partition, log]])));
  }

  /** As this process believes it. */
  isAlive(name: string, incarnation: string): boolean {
    return this.view.brokers().some((one) => one.name === name && one.incarnation === incarnation && one.isAlive);
  }

  /** Whether what it leads is what it is to lead, and open. */
  get isSettled(): boolean {
    const { assigned, serving, releasing } = this.#leads.counts;
    return assigned === serving && releasing === 0 && this.#slots.every((slot) => slot.isSettled);
  }

  get leadsNothing(): boolean {
    const { serving, releasing } = this.#leads.counts;
    return serving === 0 && releasing === 0 && this.#slots.every((slot) => !slot.isOpen);
  }

  async run(): Promise<void> {
    const { topicId, volume } = this.#options;
    this.#governance.peers.listen(this);
    this.controller.setTopics([{ topicId, name: TOPIC, partitionCount: this.#topic.partitionCount }]);
    this.#leads.onChange(() => this.#noteLed());
    this.#leads.watchDeposed();
    this.#leads.follow(this.#topic);
    this.view.onChange(() => this.#assignSlots());
    await this.#follower.start();
    this.#world.spawn(() => this.#lease.run());
    this.#sender.start();
    while (this.process.isAlive) {
      await this.process.sleep(this.#world.chance.between(0, 2_000));
      // Whoever leads nothing has to look at its fuse all the same. One that is blown is told by the volume.
      volume.confirmFuse().catch(() => undefined);
      if (this.process.isAlive && this.#world.chance.happens(0.2)) await volume.logs.enforceRetention();
    }
  }

  /** Hands over as a broker does that gets SIGTERM. */
  async end(): Promise<void> {
    const { clock } = this.process;
    const sinceMs = clock.monotonic();
    this.isDraining = true;
    this.#sender.hurry();
    while (!this.leadsNothing && clock.monotonic() - sinceMs < DRAIN_MS_MAX) await this.process.sleep(100);
    await this.#leads.leaveAll();
    this.#sender.stop();
    this.#follower.stop();
    this.controller.resign();
    await this.#lease.stop();
    await this.#options.volume.close().catch(() => undefined);
  }

  #adopt(assignment: Assignment): void {
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

  /** Whoever called would take a violation for a failure of the volume. */
  #check(work: () => void): void {
    try {
      if (this.process.isAlive) work();
    } catch (error) {
      this.#world.fail(error);
    }
  }

  /** The store, with an eye on what goes through it. */
  #watched(files: AssignmentFiles): AssignmentStore {
    const { decisions } = this.#governance;
    const { name } = this.#options.pod;
    return {
      claimEpoch: async (leaseTransitions) => {
        const epoch = await files.claimEpoch(leaseTransitions);
        this.#check(() => decisions.claimed(epoch, name));
        return epoch;
      },
      newest: () => files.newest(),
      publish: async (assignment) => {
        await files.publish(assignment);
        this.#check(() => decisions.seen(assignment));
      },
    };
  }

  #candidate(): LeaseClient {
    const { lease, network } = this.#governance;
    const identity = this.incarnation;
    return new LeaseClient(this, identity, lease, network, {
      acquired: (epoch) => {
        this.#world.history.note(this.process.name, `holds the lease, epoch ${epoch}`);
        this.controller.lead(epoch);
        this.#sender.retarget();
      },
      lost: (reason) => {
        this.#world.history.note(this.process.name, `has lost the lease: ${reason}`);
        this.controller.resign();
        this.#sender.retarget();
      },
      holderChanged: () => this.#sender.retarget(),
    });
  }

  async #electAgain(): Promise<void> {
    await this.#lease.stop();
    await this.process.sleep(1_000);
    if (this.isDraining || !this.process.isAlive) return;
    this.#lease = this.#candidate();
    this.#world.spawn(() => this.#lease.run());
  }

  #target(): { address: string | undefined; key: string } | undefined {
    if (this.#lease.epoch !== undefined) return { address: undefined, key: this.incarnation };
    const assignment = this.#follower.current;
    const publisher = assignment?.brokers.find(({ nodeId }) => nodeId === assignment.controllerId)?.incarnation;
    const holder = this.#lease.holder ?? publisher;
    if (holder === undefined || holder === this.incarnation || !this.#governance.peers.isKnown(holder))
      return undefined;
    return { address: holder, key: holder };
  }

  #noteLed(): void {
    this.#followLed();
    if (this.#led.hasNews) this.#sender.hurry();
  }

  #report(anew: boolean): HeartbeatReport {
    const { pod } = this.#options;
    this.#followLed();
    if (anew) this.#led.restart();
    const open = this.#slots.flatMap((work, slot) => (work.isOpen ? [slot] : []));
    return {
      ...pod,
      incarnation: this.incarnation,
      startedMs: this.#startedMs,
      listeners: [{ listenerName: "PLAINTEXT", host: pod.name, port: 9092 }],
      isHealthy: true,
      isDraining: this.isDraining,
      ...this.#led.next(),
      slots: { groups: open, transactions: [] },
    };
  }

  /** A log that has recovered by itself has another epoch, or serves no longer. */
  #followLed(): void {
    const { topicId } = this.#options;
    const now = new Map(this.#leads.led().map(({ partition, leaderEpoch }) => [partition, leaderEpoch]));
    for (const partition of this.#reported.keys()) if (!now.has(partition)) this.#led.closed(topicId, partition);
    for (const [partition, leaderEpoch] of now) this.#led.opened(topicId, partition, leaderEpoch);
    this.#reported = now;
  }
}
