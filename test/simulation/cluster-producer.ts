import { type AppendResult, ErrorCode, type PartitionLog } from "@kaas/core";
import type { Chance } from "../../packages/kaas-storage/src/testing/simulated/chance.js";
import type { SimulatedProcess } from "../../packages/kaas-storage/src/testing/simulated/machine.js";
import { batchOf } from "./batches.js";
import { Violation } from "./history.js";
import type { PartitionClients, World } from "./world.js";

const TIMEOUT_MS = 300;
const PACE_MS = 25;
const IN_FLIGHT_MAX = 3;
const RETRIABLE: readonly number[] = [
  ErrorCode.KAFKA_STORAGE_ERROR,
  ErrorCode.NOT_LEADER_OR_FOLLOWER,
  ErrorCode.REQUEST_TIMED_OUT,
];

/** What a producer knows of a broker. */
export interface ReachableBroker {
  readonly process: SimulatedProcess;
  /** Logs that it leads, as far as it knows. */
  readonly logs: ReadonlyMap<number, PartitionLog>;
}

interface Batch {
  readonly baseSequence: number;
  readonly name: string;
}

/** An idempotent producer outside of all machines: sends to whichever broker says that it leads, right or wrong. */
export class ClusterProducer {
  isStopped = false;
  readonly #world: World;
  readonly #clients: PartitionClients;
  readonly #brokers: readonly ReachableBroker[];
  readonly #chance: Chance;
  readonly #id: number;
  readonly #paceMs: number;
  #sequence = 0;
  #unacked: Batch[] = [];

  /** `paceMs`: how long it waits between two rounds, at most. */
  constructor(
    world: World,
    clients: PartitionClients,
    brokers: readonly ReachableBroker[],
    id: number,
    paceMs: number = PACE_MS,
  ) {
    this.#world = world;
    this.#clients = clients;
    this.#brokers = brokers;
    this.#chance = world.chance.fork();
    this.#id = id;
    this.#paceMs = paceMs;
  }

  async run(): Promise<void> {
    const { scheduler } = this.#world;
    while (!this.isStopped) {
      while (this.#unacked.length < 1 + this.#chance.below(IN_FLIGHT_MAX)) {
        this.#unacked.push({ baseSequence: this.#sequence, name: `${this.#id}/${this.#sequence++}` });
      }
      await this.sendAll();
      await scheduler.sleep(this.#chance.between(1, this.#paceMs));
    }
  }

  /** Sends everything that is not acknowledged, in order, to one broker. True when all of it was. */
  async sendAll(): Promise<boolean> {
    const { number } = this.#clients;
    const leading = this.#brokers.filter(({ logs, process }) => logs.has(number) && process.isAlive);
    if (leading.length === 0) return false;
    const broker = this.#chance.pick(leading);
    const timeout = this.#world.scheduler.sleep(TIMEOUT_MS).then(() => false);
    const answers = this.#unacked.map((batch) => Promise.race([this.#send(broker, batch), timeout]));
    return !(await Promise.all(answers)).includes(false);
  }

  /** What is answered counts, however late it is. */
  async #send(broker: ReachableBroker, batch: Batch): Promise<boolean> {
    const { process } = broker;
    const { model, number } = this.#clients;
    const log = broker.logs.get(number);
    if (log === undefined || !process.isAlive) return false;
    // The request reaches the process in a turn of its own event loop.
    await process.sleep(0.1);
    const { leaderEpoch } = log;
    const options = { producerId: this.#id, producerEpoch: 0, baseSequence: batch.baseSequence };
    const result = await log.append(batchOf([batch.name], 40, process.clock.now(), options), -1);
    if (!process.isAlive) return false;
    if (result.errorCode !== ErrorCode.NONE) {
      this.#judge(result, leaderEpoch);
      return false;
    }
    model.acknowledged(leaderEpoch, result.baseOffset, [batch.name], -1);
    this.#unacked = this.#unacked.filter((one) => one !== batch);
    return true;
  }

  /** A leader that has been deposed and does not know it yet may not know of batches either. */
  #judge({ errorCode, errorMessage }: AppendResult, leaderEpoch: number): void {
    if (RETRIABLE.includes(errorCode)) return;
    const isDeposed = leaderEpoch < this.#clients.model.leaderEpoch;
    if (errorCode === ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER && (isDeposed || this.#unacked.length > 0)) return;
    throw new Violation(`producer ${this.#id} was answered ${errorCode} by epoch ${leaderEpoch}: ${errorMessage}`);
  }
}
