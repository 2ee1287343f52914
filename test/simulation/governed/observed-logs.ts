import type { LogConfig, LogDirDescription, PartitionId, PartitionLog, PartitionLogs } from "@kaas/core";
import type { SimulatedProcess } from "../../../packages/kaas-storage/src/testing/simulated/machine.js";
import { readFrom } from "../batches.js";
import { examine } from "../examine.js";
import { Violation } from "../history.js";
import type { PartitionModel } from "../partition-model.js";
import type { World } from "../world.js";

const PACE_MS = 400;
/** How often it is told that a log is being opened or handed over. */
const LOOK_MS = 1_000;

/** The logs of a volume. Each that is opened is examined, and read from on for as long as it is led. */
export class ObservedLogs implements PartitionLogs {
  readonly #world: World;
  readonly #process: SimulatedProcess;
  readonly #logs: PartitionLogs;
  readonly #ledLog: (partition: number) => PartitionLog | undefined;
  /** Told again and again while a log is opened or handed over. */
  readonly #busy: () => void;
  readonly #known = new WeakSet<PartitionLog>();

  constructor(
    world: World,
    process: SimulatedProcess,
    logs: PartitionLogs,
    ledLog: (partition: number) => PartitionLog | undefined,
    busy: () => void,
  ) {
    this.#busy = busy;
    this.#world = world;
    this.#process = process;
    this.#logs = logs;
    this.#ledLog = ledLog;
  }

  open(id: PartitionId, config: LogConfig, unwanted?: AbortSignal): Promise<PartitionLog> {
    return this.#telling(() => this.#open(id, config, unwanted));
  }

  release(id: PartitionId): Promise<void> {
    return this.#telling(() => this.#logs.release(id));
  }

  abandon(id: PartitionId): Promise<void> {
    return this.#logs.abandon(id);
  }

  close(): Promise<void> {
    return this.#logs.close();
  }

  describeLogDirs(): Promise<readonly LogDirDescription[]> {
    return this.#logs.describeLogDirs();
  }

  enforceRetention(): Promise<void> {
    return this.#logs.enforceRetention();
  }

  compact(): Promise<void> {
    return this.#logs.compact();
  }

  async #telling<Result>(work: () => Promise<Result>): Promise<Result> {
    let isDone = false;
    const look = (): void => {
      if (isDone) return;
      this.#busy();
      this.#process.turn(LOOK_MS, look);
    };
    look();
    try {
      return await work();
    } finally {
      isDone = true;
    }
  }

  async #open(id: PartitionId, config: LogConfig, unwanted: AbortSignal | undefined): Promise<PartitionLog> {
    const log = await this.#logs.open(id, config, unwanted);
    const clients = this.#world.partitions[id.partition];
    if (clients === undefined || !this.#process.isAlive || this.#known.has(log)) return log;
    this.#known.add(log);
    const { model } = clients;
    try {
      model.opened(log.leaderEpoch, log.highWatermark);
      const state = `${log.logStartOffset}…${log.highWatermark}`;
      this.#world.history.note(this.#process.name, `leads ${model.name} at epoch ${log.leaderEpoch}: ${state}`);
      await examine(model, log, this.#process, true);
    } catch (error) {
      if (error instanceof Violation) this.#world.fail(error);
      throw error;
    }
    this.#world.spawn(() => this.#consume(model, log));
    return log;
  }

  /** A consumer, which reads what the leader shows until it shows nothing any more. */
  async #consume(model: PartitionModel, log: PartitionLog): Promise<void> {
    const { chance } = this.#world;
    await this.#process.sleep(1); // until requests find the log
    for (let offset = log.highWatermark; this.#process.isAlive && this.#ledLog(log.id.partition) === log; ) {
      const { highWatermark, leaderEpoch, logStartOffset } = log;
      if (model.leaderEpoch < leaderEpoch) model.opened(leaderEpoch, highWatermark); // recovered by itself
      model.watermarks(leaderEpoch, logStartOffset, highWatermark);
      if (offset < highWatermark) {
        const records = await readFrom(log, offset, chance.pick([1, 100_000]));
        if (!this.#process.isAlive) return;
        if (leaderEpoch !== log.leaderEpoch) continue;
        for (const record of records ?? []) {
          if (record.offset >= log.highWatermark) {
            throw new Violation(`${model.name}: ${record.offset} is not to be seen yet`);
          }
          model.consumed(leaderEpoch, record.offset, record.value);
          offset = record.offset + 1;
        }
      }
      await this.#process.sleep(chance.between(1, PACE_MS));
    }
  }
}
