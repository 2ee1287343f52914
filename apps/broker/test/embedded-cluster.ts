import {
  type Assignment,
  AssignmentView,
  BrokerConfig,
  type ClusterBroker,
  KafkaBroker,
  silentLog,
  type TopicDescription,
} from "@kaas/core";
import { MemoryFileSystem, openVolume, systemClock, systemRandom, type Volume } from "@kaas/storage";

const SLOTS = 8;

/** One broker of an {@link EmbeddedCluster}. */
export interface ClusterMember {
  readonly nodeId: number;
  readonly broker: KafkaBroker;
  readonly view: AssignmentView;
  readonly volume: Volume;
  /** Fenced in the assignments from now on, as one that drains. */
  isFenced: boolean;
  /** Not heard of any more: assignments no longer reach it, and who takes over from it does not wait for it. */
  isLost: boolean;
}

/** Who is to lead what; what is not said stays as it is, and what is new goes round. */
export interface Leaders {
  readonly partition?: (topic: string, partition: number) => number | undefined;
  readonly groupSlot?: (slot: number) => number | undefined;
}

/**
 * Brokers in one process, on one volume in memory, with a controller made by hand: whatever is published is adopted by all
 * of them at once, and the epochs that they claim are published soon after.
 */
export class EmbeddedCluster {
  readonly members: ClusterMember[] = [];
  /** Names of brokers that have lost their fuse. They are closed, as their processes would be. */
  readonly fenced: string[] = [];
  readonly #fileSystem = new MemoryFileSystem();
  readonly #leaders = new Map<string, number>();
  readonly #slots: number[] = Array.from({ length: SLOTS }, (_, slot) => slot);
  #version = 0;

  static async start(count: number, properties: Readonly<Record<string, string>> = {}): Promise<EmbeddedCluster> {
    const cluster = new EmbeddedCluster();
    for (let nodeId = 0; nodeId < count; nodeId++) await cluster.#join(nodeId, properties);
    cluster.publish();
    await cluster.settled();
    return cluster;
  }

  get bootstrap(): string[] {
    return this.members.map(({ broker }) => `127.0.0.1:${broker.endpoints[0]?.port}`);
  }

  member(nodeId: number): ClusterMember {
    const found = this.members.find((member) => member.nodeId === nodeId);
    if (found === undefined) throw new Error(`there is no broker ${nodeId}`);
    return found;
  }

  /** Creates a topic, and resolves when all brokers know it and its leaders serve. */
  async createTopic(name: string, partitionCount: number): Promise<void> {
    await this.members[0]?.volume.topics.create(name, partitionCount, {});
    this.publish();
    await this.settled();
  }

  /** Deletes a topic through one broker, and resolves when no broker has it any more. */
  async deleteTopic(name: string): Promise<void> {
    const topic = this.topics().find((one) => one.name === name);
    if (topic === undefined) throw new Error(`there is no topic ${name}`);
    await this.members[0]?.volume.topics.delete(topic);
    this.publish();
    const isGone = () => this.members.every(({ nodeId }) => !this.#knows(nodeId, topic.id));
    while (!isGone()) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  /** The topics that there are, as the first broker sees them. */
  topics(): TopicDescription[] {
    return [...(this.members[0]?.volume.topics.topics() ?? [])];
  }

  /** Publishes who leads what, and resolves when that is so. */
  async assign(leaders: Leaders): Promise<void> {
    this.publish(leaders);
    await this.settled();
  }

  /** Publishes an assignment to all brokers. */
  publish(leaders: Leaders = {}): void {
    this.#tell(this.#assignment(leaders));
  }

  /** Resolves when every broker serves what it is to lead, and no more. */
  async settled(): Promise<void> {
    const isSettled = (): boolean =>
      this.members.every(({ broker, view, isLost }) => {
        if (isLost) return true;
        const { recovering, releasing } = broker.leadershipReport();
        const unknown = [...view.topics()].some(({ topicId }) => !this.#knows(view.nodeId, topicId));
        return recovering === 0 && releasing === 0 && !unknown;
      });
    while (!isSettled()) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map(({ broker, isLost }) => (isLost ? undefined : broker.close())));
    for (const { volume } of this.members) await volume.close();
  }

  #knows(nodeId: number, topicId: string): boolean {
    return [...this.member(nodeId).volume.topics.topics()].some(({ id }) => id === topicId);
  }

  async #join(nodeId: number, properties: Readonly<Record<string, string>>): Promise<void> {
    const config = new BrokerConfig({
      "node.id": String(nodeId),
      "group.initial.rebalance.delay.ms": "0",
      ...properties,
    });
    const surroundings = { clock: systemClock, random: systemRandom, log: silentLog };
    const name = `kaas-${nodeId}`;
    const volume = await openVolume({
      ...surroundings,
      directory: "/data",
      fileSystem: this.#fileSystem,
      sharing: "shared",
      brokerName: name,
      slotCount: SLOTS,
      usableBytesMin: 0,
      isAlive: (broker) => this.members.some(({ nodeId: id, isLost }) => broker === `kaas-${id}` && !isLost),
    });
    const view = new AssignmentView({ nodeId, name, incarnation: name, rack: null });
    const broker = new KafkaBroker({
      ...surroundings,
      config,
      listeners: [{ name: "PLAINTEXT", host: "127.0.0.1", port: 0 }],
      logs: volume.logs,
      journals: volume.slotJournals,
      files: volume.files,
      catalog: volume.topics,
      admin: volume.topics,
      cluster: view,
    });
    this.members.push({ nodeId, broker, view, volume, isFenced: false, isLost: false });
    void volume.fenced.then(({ code }) => {
      if (code !== "KAAS_FENCED") return;
      this.fenced.push(name);
      void broker.close();
    });
    await broker.start();
    broker.onLeadershipChange(() => this.#tellEpochs());
  }

  /** As a controller does: what leaders have claimed is published when it is new. */
  #tellEpochs(): void {
    const before = this.members.find(({ isLost }) => !isLost)?.view.assignment;
    const after = this.#assignment({});
    if (JSON.stringify(before?.topics) === JSON.stringify(after.topics)) return;
    this.#tell(after);
  }

  #tell(assignment: Assignment): void {
    for (const { view, isLost } of this.members) if (!isLost) view.adopt(assignment);
  }

  #assignment(leaders: Leaders): Assignment {
    const epochs = new Map<string, number>();
    for (const { nodeId, broker } of this.members) {
      for (const led of broker.leadershipReport().led) {
        epochs.set(`${nodeId}/${led.topicId}/${led.partition}`, led.leaderEpoch);
      }
    }
    for (let slot = 0; slot < SLOTS; slot++) {
      this.#slots[slot] = leaders.groupSlot?.(slot) ?? (this.#slots[slot] ?? 0) % this.members.length;
    }
    return {
      controllerEpoch: 1,
      version: this.#version++,
      controllerId: 0,
      createdMs: Date.now(),
      brokers: this.members.map((member) => this.#describe(member)),
      topics: this.topics().map(({ id, name, partitionCount }) => {
        const partitions = Array.from({ length: partitionCount }, (_, partition) => partition);
        const leading = partitions.map((partition) => this.#leaderOf(leaders, name, partition));
        const leaderEpochs = leading.map((nodeId, partition) => epochs.get(`${nodeId}/${id}/${partition}`) ?? -1);
        return { topicId: id, name, leaders: leading, leaderEpochs };
      }),
      slots: { groups: [...this.#slots], transactions: [] },
    };
  }

  #leaderOf(leaders: Leaders, topic: string, partition: number): number {
    const key = `${topic}/${partition}`;
    const leader = leaders.partition?.(topic, partition) ?? this.#leaders.get(key) ?? partition % this.members.length;
    this.#leaders.set(key, leader);
    return leader;
  }

  #describe({ nodeId, broker, isFenced, isLost }: ClusterMember): ClusterBroker {
    const name = `kaas-${nodeId}`;
    const { endpoints: listeners } = broker;
    return { nodeId, name, incarnation: name, rack: null, listeners, isFenced: isFenced || isLost, isAlive: !isLost };
  }
}
