import { ErrorCode, KaasError, type PartitionLog, type SlotJournal } from "@kaas/core";
import { openVolume, type Volume, type VolumeOptions } from "@kaas/storage";
import type { FileSystem } from "../../packages/kaas-storage/src/file-system/file-system.js";
import type { SimulatedProcess } from "../../packages/kaas-storage/src/testing/simulated/machine.js";
import { readFrom } from "./batches.js";
import { examine } from "./examine.js";
import { isExpected } from "./expected-failure.js";
import { Violation } from "./history.js";
import { entryOf, type JournalModel } from "./journal-model.js";
import type { Session } from "./producers.js";
import type { PartitionClients, World } from "./world.js";

const TOPIC = "t";

/** One start of a broker process: the volume it opens, and the clients that come to it. */
export class Broker {
  readonly world: World;
  readonly process: SimulatedProcess;
  /** Cleared when the process is to end well. */
  isServing = true;
  readonly #options: VolumeOptions;
  #volume: Volume | undefined;
  readonly #logs = new Map<number, PartitionLog>();
  readonly #beganMs: number;
  #busy = 0;

  constructor(world: World, process: SimulatedProcess, fileSystem: FileSystem, options: Partial<VolumeOptions> = {}) {
    this.world = world;
    this.process = process;
    this.#beganMs = world.scheduler.now;
    const log = world.logOf(process);
    const { clock, random } = process;
    const { concurrentSyncs } = world.scenario;
    const slotCount = Math.max(1, world.scenario.slots);
    this.#options = { directory: "/data", clock, random, log, fileSystem, slotCount, concurrentSyncs, ...options };
  }

  get volume(): Volume | undefined {
    return this.#volume;
  }

  get logs(): ReadonlyMap<number, PartitionLog> {
    return this.#logs;
  }

  /** Whether all partitions have been opened. */
  get isOpen(): boolean {
    return this.#logs.size === this.world.partitions.length;
  }

  /** Opens the volume, and all of its partitions and slots with clients on each. */
  async serve(): Promise<void> {
    const volume = await this.#retry(() => openVolume(this.#options));
    if (volume === undefined) return;
    this.#volume = volume;
    this.#spawn(async () => {
      const { message } = await volume.fenced;
      this.world.history.note(this.process.name, `ends: ${message}`);
      this.process.kill();
    });
    const topicId = await this.#retry(() => this.#topicId(volume));
    if (topicId === undefined) return;
    for (const clients of this.world.partitions) {
      this.#spawn(async () => {
        const id = { topic: TOPIC, topicId, partition: clients.number };
        const log = await this.#retry(() => volume.logs.open(id, clients.config));
        if (log !== undefined) await this.#serve(clients, log);
      });
    }
    for (const [slot, model] of this.world.journals.entries()) this.#spawn(() => this.#coordinate(volume, slot, model));
  }

  /** Hands everything over, or dies in the attempt. */
  async close(): Promise<void> {
    this.isServing = false;
    await Promise.race([this.#close(), new Promise<void>((resolve) => this.process.onDeath(resolve))]);
  }

  async #close(): Promise<void> {
    while (this.#busy > 1) await this.process.sleep(1); // all but what waits for the fuse
    await this.#volume?.close();
  }

  async #topicId(volume: Volume): Promise<string> {
    const known = [...volume.topics.topics()].find(({ name }) => name === TOPIC);
    return (known ?? (await volume.topics.create(TOPIC, this.world.partitions.length, {}))).id;
  }

  /** Tries again while the disk fails. A volume that is said to be damaged never is. */
  async #retry<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    for (let delayMs = 10; this.isServing; delayMs = Math.min(delayMs * 2, 5_000)) {
      try {
        const result = await work();
        return this.process.isAlive ? result : undefined;
      } catch (error) {
        if (!this.process.isAlive) return undefined;
        if (!isExpected(error)) throw error;
        this.world.history.note(this.process.name, `tries again: ${(error as Error).message}`);
      }
      await this.process.sleep(delayMs);
    }
    return undefined;
  }

  async #serve(clients: PartitionClients, log: PartitionLog): Promise<void> {
    const { model } = clients;
    model.opened(log.leaderEpoch, log.highWatermark);
    this.world.history.note(
      model.name,
      `opened at epoch ${log.leaderEpoch}: ${log.logStartOffset}…${log.highWatermark}`,
    );
    await examine(model, log, this.process, true);
    this.#logs.set(clients.number, log);
    const { paceMs } = this.world.scenario;
    const goesOn = () => this.isServing && this.process.isAlive;
    const session: Session = { log, process: this.process, paceMs, rest: (upToMs) => this.#rest(upToMs), goesOn };
    for (const one of clients.idempotent) this.#spawn(() => one.produce(session));
    this.#spawn(() => clients.plain.produce(session, (work) => this.#spawn(work)));
    this.#spawn(() => this.#consume(clients, log));
    this.#spawn(() => this.#administer(clients, log));
  }

  async #consume({ model }: PartitionClients, log: PartitionLog): Promise<void> {
    const { chance, scenario } = this.world;
    let offset = log.highWatermark;
    while (this.isServing && this.process.isAlive) {
      model.watermarks(log.leaderEpoch, log.logStartOffset, log.highWatermark);
      if (log.health === ErrorCode.NONE && offset < log.highWatermark) {
        if (offset < log.logStartOffset) offset = log.logStartOffset;
        const { highWatermark, leaderEpoch } = log;
        const records = await readFrom(log, offset, chance.pick([1, 1_000, 100_000]));
        if (!this.process.isAlive) return;
        if (leaderEpoch !== log.leaderEpoch) continue;
        for (const record of records ?? []) {
          if (record.offset !== offset) throw new Violation(`${model.name}: asked for ${offset}, got ${record.offset}`);
          if (record.offset >= Math.max(highWatermark, log.highWatermark)) {
            throw new Violation(`${model.name}: offset ${record.offset} was read beyond the high watermark`);
          }
          model.consumed(leaderEpoch, record.offset, record.value);
          offset++;
        }
      }
      await this.#rest(scenario.paceMs * 4);
    }
  }

  /** Retention, DeleteRecords, and time that passes in silence. */
  async #administer({ model, deletesRecords }: PartitionClients, log: PartitionLog): Promise<void> {
    const { chance, scenario } = this.world;
    while (this.isServing && this.process.isAlive) {
      await this.process.sleep(chance.between(0, scenario.lifeMs / 2));
      if (!this.isServing || !this.process.isAlive) return;
      if (chance.happens(0.5)) await this.#volume?.logs.enforceRetention();
      if (!deletesRecords || !chance.happens(0.3)) continue;
      const target = chance.below(log.highWatermark + 1);
      model.deleting(target);
      const { errorCode, lowWatermark } = await log.deleteRecords(target);
      if (!this.process.isAlive || errorCode !== ErrorCode.NONE) continue;
      if (lowWatermark < target)
        throw new Violation(`${model.name}: deleted up to ${target}, but starts at ${lowWatermark}`);
      model.watermarks(log.leaderEpoch, lowWatermark, Math.max(lowWatermark, log.highWatermark));
      this.world.history.note(model.name, `records below ${target} are deleted`);
    }
  }

  async #coordinate(volume: Volume, slot: number, model: JournalModel): Promise<void> {
    while (this.isServing && this.process.isAlive) {
      const journal = await this.#retry(() => volume.slotJournals.open("groups", slot));
      if (journal === undefined) return;
      const { snapshot, entries } = journal.recovered();
      // Nothing is claimed before the first change: openings are counted here.
      const opening = model.epoch + 1;
      const state = model.recovered(opening, snapshot, entries);
      await this.#append(journal, model, opening, state);
    }
  }

  /** Appends entries and takes snapshots until the journal fails, or the process is to end. */
  async #append(journal: SlotJournal, model: JournalModel, opening: number, state: number[]): Promise<void> {
    const { chance, scenario } = this.world;
    let isFailed = false;
    while (!isFailed && this.isServing && this.process.isAlive) {
      const writes = Array.from({ length: 1 + chance.below(4) }, async () => {
        const entry = model.next();
        await journal.append(entryOf(entry));
        if (!this.process.isAlive) return;
        model.acknowledged(opening, entry);
        state.push(entry);
      });
      if (chance.happens(0.1)) {
        // Entries on their way are not in the state, so the snapshot comes when there are none.
        await Promise.allSettled(writes);
        writes.push(journal.writeSnapshot([...state]));
      }
      const outcomes = await Promise.allSettled(writes);
      for (const outcome of outcomes) {
        if (outcome.status === "fulfilled") continue;
        if (!(outcome.reason instanceof KaasError)) throw outcome.reason;
        isFailed = true;
      }
      await this.#rest(scenario.paceMs * 5);
    }
    if (isFailed && this.process.isAlive) await journal.close().catch(() => undefined);
  }

  /** While something hangs for minutes, clients become slow: more of the same would find nothing more. */
  async #rest(upToMs: number): Promise<void> {
    const { chance, scheduler, scenario, quietUntilMs } = this.world;
    const patience = Math.max(1, (scheduler.now - this.#beganMs) / (4 * scenario.lifeMs));
    await this.process.sleep(chance.between(0, upToMs * patience) + Math.max(0, quietUntilMs - scheduler.now));
  }

  #spawn(work: () => Promise<void>): void {
    this.#busy++;
    this.world.spawn(async () => {
      try {
        await work();
      } catch (error) {
        if (this.process.isAlive) throw error;
      } finally {
        this.#busy--;
      }
    });
  }
}
