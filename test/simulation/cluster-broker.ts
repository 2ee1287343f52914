import type { PartitionLog, SlotJournal } from "@kaas/core";
import { openVolume, TopicDirectories, type Volume } from "@kaas/storage";
import type { Machine, SimulatedProcess } from "../../packages/kaas-storage/src/testing/simulated/machine.js";
import type { NfsClient } from "../../packages/kaas-storage/src/testing/simulated/nfs-client.js";
import { NfsFileSystem } from "../../packages/kaas-storage/src/testing/simulated/nfs-file-system.js";
import { readFrom } from "./batches.js";
import { examine } from "./examine.js";
import { isExpected } from "./expected-failure.js";
import { Violation } from "./history.js";
import { entryOf, type JournalModel } from "./journal-model.js";
import type { Storm } from "./storm.js";
import type { PartitionClients, World } from "./world.js";

const TOPIC = "t";
const TOPIC_ID = "A".repeat(22);
const CLUSTER_PACE_MS = 8;
/** Names of the log directories that partitions may be moved to. */
export const FURTHER_NAMES: readonly string[] = ["fast", "slow"];

/** A broker of a cluster: a machine, its NFS client, and one process after the other, each a new incarnation. */
export class ClusterBroker {
  readonly name: string;
  readonly machine: Machine;
  readonly client: NfsClient;
  readonly storm: Storm;
  readonly #world: World;
  /** Logs that have been examined. */
  readonly #known = new WeakSet<PartitionLog>();
  process: SimulatedProcess;
  volume: Volume | undefined;
  /** Logs that this process leads, as far as it knows. */
  logs = new Map<number, PartitionLog>();

  constructor(world: World, name: string, machine: Machine, client: NfsClient, storm: Storm) {
    this.#world = world;
    this.name = name;
    this.machine = machine;
    this.client = client;
    this.storm = storm;
    this.process = machine.start(name);
  }

  /** Starts the process, and keeps it starting until the volume is open or it dies. */
  start(): void {
    this.process = this.machine.start(this.name);
    this.volume = undefined;
    this.logs = new Map();
    const { process } = this;
    this.#spawn(process, () => this.#open(process));
  }

  /** The process ends itself, well or not, and another one is started in its place. */
  restart(isWell: boolean): void {
    const { process, volume } = this;
    process.onDeath(() => {
      this.#world.scheduler.after(this.#world.chance.between(5, 200), () => {
        if (this.process === process) this.start();
      });
    });
    if (!isWell || volume === undefined) return process.kill();
    this.#spawn(process, async () => {
      await volume.close().catch(() => undefined);
      process.kill();
    });
  }

  /** The machine loses power, and comes back. */
  crash(): void {
    const { process } = this;
    this.machine.crash();
    this.client.crash();
    this.#world.scheduler.after(this.#world.chance.between(5, 2_000), () => {
      if (this.process === process) this.start();
    });
  }

  /** Somebody has decided that this broker leads the partition. */
  lead(clients: PartitionClients): void {
    const { process, volume } = this;
    const topic = [...(volume?.topics.topics() ?? [])].find(({ name }) => name === TOPIC);
    if (volume === undefined || topic === undefined) return;
    const id = { topic: TOPIC, topicId: topic.id, partition: clients.number };
    this.#spawn(process, async () => {
      const log = await volume.logs.open(id, clients.config);
      if (!process.isAlive || this.#known.has(log)) return;
      this.#known.add(log);
      const { model } = clients;
      model.opened(log.leaderEpoch, log.highWatermark);
      this.#note(
        process,
        `leads ${model.name} at epoch ${log.leaderEpoch}: ${log.logStartOffset}…${log.highWatermark}`,
      );
      await examine(model, log, process, true);
      this.logs.set(clients.number, log);
      this.#spawn(process, () => this.#consume(clients, log, process));
    });
  }

  /** Somebody has decided that it does not. */
  release(clients: PartitionClients): void {
    const { process, volume } = this;
    const log = this.logs.get(clients.number);
    if (volume === undefined || log === undefined) return;
    this.logs.delete(clients.number);
    this.#spawn(process, () => volume.logs.release(log.id));
  }

  /** Somebody wants the partition in another log directory, and has that written where this broker runs. */
  wishMove(partition: number, to: string | null): void {
    const { process } = this;
    this.#spawn(process, async () => {
      const directories = this.#directoriesOf(process);
      const found = await directories.find(TOPIC);
      if (found?.id === undefined) return;
      const placement = await directories.placementOf(found);
      const moves = new Map(found.moves).set(partition, to);
      await directories.put({ ...found, id: found.id, placement, moves });
      this.#note(process, `writes that partition ${partition} is to lie in ${to ?? "data"}`);
    });
  }

  /** Somebody tells it to look what is wanted of the topic. */
  hear(): void {
    const { process, volume } = this;
    if (volume !== undefined) this.#spawn(process, async () => volume.topics.refresh?.(TOPIC));
  }

  enforceRetention(): void {
    const { process, volume } = this;
    if (volume !== undefined) this.#spawn(process, () => volume.logs.enforceRetention());
  }

  /** Takes a slot over, and appends to it for as long as that goes well. */
  coordinate(slot: number, model: JournalModel): void {
    const { process, volume } = this;
    if (volume === undefined) return;
    this.#spawn(process, async () => {
      const journal = await volume.slotJournals.open("groups", slot);
      if (!process.isAlive) return;
      const { snapshot, entries } = journal.recovered();
      const state = model.recovered(journal.epoch, snapshot, entries);
      await this.#append(journal, model, state, process);
    });
  }

  async #open(process: SimulatedProcess): Promise<void> {
    const { clock, random } = process;
    const { chance, scenario } = this.#world;
    const volume = await openVolume({
      directory: "/data",
      furtherDirectories: this.#further,
      clock,
      random,
      log: this.#world.logOf(process),
      fileSystem: this.#fileSystemOf(process),
      brokerName: this.name,
      sharing: "shared",
      slotCount: Math.max(1, scenario.slots),
      concurrentSyncs: scenario.concurrentSyncs,
      isAlive: () => chance.happens(0.3),
      releaseWaitMsMax: 100,
    });
    if (!process.isAlive) return;
    if (![...volume.topics.topics()].some(({ name }) => name === TOPIC)) await this.#makeTopic(volume, process);
    this.volume = volume;
    this.#note(process, "has the volume open");
    void volume.fenced.then(({ message }) => {
      if (!process.isAlive) return;
      this.#note(process, `is fenced: ${message}`);
      if (this.process === process) this.restart(chance.happens(0.5));
    });
  }

  /** Where there are several log directories, as an operator does it: nobody else can tell whose half a topic is. */
  async #makeTopic(volume: Volume, process: SimulatedProcess): Promise<void> {
    const partitionCount = this.#world.partitions.length;
    if (this.#further.length === 0) return void (await volume.topics.create(TOPIC, partitionCount, {}));
    const placement = new Map<number, string>();
    await this.#directoriesOf(process).put({ name: TOPIC, id: TOPIC_ID, partitionCount, overrides: {}, placement });
    await volume.topics.refresh?.(TOPIC);
  }

  #directoriesOf(process: SimulatedProcess): TopicDirectories {
    return new TopicDirectories({
      directory: "/data",
      furtherDirectories: this.#further,
      fileSystem: this.#fileSystemOf(process),
      random: process.random,
    });
  }

  get #further(): readonly string[] {
    return this.#world.scenario.cluster.moves > 0 ? FURTHER_NAMES.map((name) => `/${name}`) : [];
  }

  #fileSystemOf(process: SimulatedProcess): NfsFileSystem {
    return new NfsFileSystem(this.client, process, this.#world.scenario.preallocationHelps);
  }

  async #consume({ model }: PartitionClients, log: PartitionLog, process: SimulatedProcess): Promise<void> {
    const { chance } = this.#world;
    for (let offset = log.highWatermark; process.isAlive && this.logs.get(log.id.partition) === log; ) {
      const { highWatermark, leaderEpoch, logStartOffset } = log;
      if (model.leaderEpoch < leaderEpoch) model.opened(leaderEpoch, highWatermark); // recovered by itself
      model.watermarks(leaderEpoch, logStartOffset, highWatermark);
      if (offset < highWatermark) {
        const records = await readFrom(log, offset, chance.pick([1, 100_000]));
        if (!process.isAlive) return;
        if (leaderEpoch !== log.leaderEpoch) continue;
        for (const record of records ?? []) {
          if (record.offset >= log.highWatermark)
            throw new Violation(`${model.name}: ${record.offset} is not to be seen yet`);
          model.consumed(leaderEpoch, record.offset, record.value);
          offset = record.offset + 1;
        }
      }
      await process.sleep(chance.between(1, CLUSTER_PACE_MS * 4));
    }
  }

  async #append(journal: SlotJournal, model: JournalModel, state: number[], process: SimulatedProcess): Promise<void> {
    const { chance } = this.#world;
    for (let isGood = true; isGood && process.isAlive; ) {
      const writes = Array.from({ length: 1 + chance.below(3) }, async () => {
        const entry = model.next();
        await journal.append(entryOf(entry));
        if (!process.isAlive) return;
        model.acknowledged(journal.epoch, entry);
        state.push(entry);
      });
      if (chance.happens(0.1)) {
        await Promise.allSettled(writes);
        writes.push(journal.writeSnapshot([...state]));
      }
      for (const outcome of await Promise.allSettled(writes)) isGood &&= outcome.status === "fulfilled";
      await process.sleep(chance.between(1, CLUSTER_PACE_MS * 5));
    }
  }

  #note(process: SimulatedProcess, what: string): void {
    this.#world.history.note(process.name, what);
  }

  /** Refusals are what clients and controllers live with; a volume that is said to be damaged never is. */
  #spawn(process: SimulatedProcess, work: () => Promise<void>): void {
    this.#world.spawn(async () => {
      try {
        await work();
      } catch (error) {
        if (!process.isAlive) return;
        if (!isExpected(error)) throw error;
        this.#note(process, `cannot: ${(error as Error).message}`);
        if (this.volume === undefined && this.process === process) this.restart(false);
      }
    });
  }
}
