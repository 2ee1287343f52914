import { type AppendResult, ErrorCode, type PartitionLog } from "@kaas/core";
import type { Chance } from "../../packages/kaas-storage/src/testing/simulated/chance.js";
import type { SimulatedProcess } from "../../packages/kaas-storage/src/testing/simulated/machine.js";
import { batchOf } from "./batches.js";
import { Violation } from "./history.js";
import type { PartitionModel } from "./partition-model.js";
import type { Scenario } from "./scenario.js";

/** What a client may be told at any time, and tries again after. */
const RETRIABLE: readonly number[] = [
  ErrorCode.KAFKA_STORAGE_ERROR,
  ErrorCode.NOT_LEADER_OR_FOLLOWER,
  ErrorCode.REQUEST_TIMED_OUT,
];
const BATCHES_IN_FLIGHT_MAX = 5;

function refuseUnexpected(who: string, { errorCode, errorMessage }: AppendResult): void {
  if (!RETRIABLE.includes(errorCode)) throw new Violation(`${who} was answered ${errorCode}: ${errorMessage}`);
}

function isWithin(log: PartitionLog, { baseOffset }: AppendResult, count: number): void {
  if (baseOffset + count <= log.highWatermark) return;
  throw new Violation(`offset ${baseOffset} was acknowledged, the high watermark is ${log.highWatermark}`);
}

/** A client's time with one log of one process. */
export interface Session {
  readonly log: PartitionLog;
  readonly process: SimulatedProcess;
  readonly paceMs: number;
  /** Waits for up to so long, or for as long as all clients keep silent. */
  rest(upToMs: number): Promise<void>;
  goesOn(): boolean;
}

interface UnackedBatch {
  readonly baseSequence: number;
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

/** Sends every batch until it is acknowledged, to whichever broker leads, and never anything twice that is not a retry. */
export class IdempotentProducer {
  readonly #model: PartitionModel;
  readonly #chance: Chance;
  readonly #recordBytesMax: number;
  readonly #absences: number;
  readonly #id: number;
  #sequence = 0;
  /** Sent, and not acknowledged, in order. */
  #unacked: UnackedBatch[] = [];

  constructor(
    model: PartitionModel,
    chance: Chance,
    { recordBytesMax, absences }: Pick<Scenario, "recordBytesMax" | "absences">,
    id: number,
  ) {
    this.#model = model;
    this.#chance = chance;
    this.#recordBytesMax = recordBytesMax;
    this.#absences = absences;
    this.#id = id;
  }

  /** Produces to a log for as long as the process lives, and `goesOn`. Some come back only to the next one. */
  async produce({ log, process, paceMs, rest, goesOn }: Session): Promise<void> {
    if (this.#chance.happens(this.#absences)) return;
    let isRetrying = this.#unacked.length > 0;
    while (goesOn()) {
      if (isRetrying) {
        isRetrying = !(await this.retry(log, process));
        if (isRetrying) await process.sleep(this.#chance.between(1, 200));
        continue;
      }
      const inFlight: Promise<boolean>[] = [];
      const count = 1 + this.#chance.below(BATCHES_IN_FLIGHT_MAX);
      for (let index = 0; index < count; index++) {
        inFlight.push(this.#send(log, process, this.#next()));
        if (this.#chance.happens(0.5)) await process.sleep(this.#chance.between(0, paceMs));
      }
      isRetrying = (await Promise.all(inFlight)).includes(false);
      await rest(paceMs * 2);
    }
  }

  /** Sends what is not acknowledged in order, all at once, as a client does after it has reconnected. True when it is. */
  async retry(log: PartitionLog, process: SimulatedProcess): Promise<boolean> {
    const answers = await Promise.all([...this.#unacked].map((batch) => this.#send(log, process, batch)));
    return !answers.includes(false);
  }

  #next(): UnackedBatch {
    const baseSequence = this.#sequence;
    const count = 1 + (this.#chance.happens(0.2) ? this.#chance.below(4) : 0);
    this.#sequence += count;
    const names = Array.from({ length: count }, (_, index) => `${this.#id}/${baseSequence + index}`);
    const batch = { baseSequence, names, sizeBytes: this.#chance.below(this.#recordBytesMax) };
    this.#unacked.push(batch);
    return batch;
  }

  async #send(log: PartitionLog, process: SimulatedProcess, batch: UnackedBatch): Promise<boolean> {
    const options = { producerId: this.#id, producerEpoch: 0, baseSequence: batch.baseSequence };
    const { leaderEpoch } = log;
    const result = await log.append(batchOf(batch.names, batch.sizeBytes, process.clock.now(), options), -1);
    if (!process.isAlive) return false;
    if (result.errorCode !== ErrorCode.NONE) {
      refuseUnexpected(`producer ${this.#id}, sequence ${batch.baseSequence},`, result);
      return false;
    }
    isWithin(log, result, batch.names.length);
    this.#model.acknowledged(leaderEpoch, result.baseOffset, batch.names, -1);
    this.#unacked = this.#unacked.filter((one) => one !== batch);
    return true;
  }
}

/** Sends everything once, and takes an error for an answer. */
export class PlainProducer {
  readonly #model: PartitionModel;
  readonly #chance: Chance;
  readonly #recordBytesMax: number;
  readonly #name: string;
  #count = 0;

  constructor(model: PartitionModel, chance: Chance, recordBytesMax: number, name: string) {
    this.#model = model;
    this.#chance = chance;
    this.#recordBytesMax = recordBytesMax;
    this.#name = name;
  }

  /** The same. `spawn` takes batches that it does not wait for. */
  async produce(
    { log, process, paceMs, rest, goesOn }: Session,
    spawn: (work: () => Promise<void>) => void,
  ): Promise<void> {
    while (goesOn()) {
      const acks = this.#chance.pick([-1, -1, 1, 0] as const);
      const sent = this.send(log, process, acks);
      if (this.#chance.happens(0.3)) await sent;
      else spawn(async () => void (await sent));
      await rest(paceMs * 3);
    }
  }

  /** One batch. True when it was acknowledged. */
  async send(log: PartitionLog, process: SimulatedProcess, acks: -1 | 0 | 1): Promise<boolean> {
    const names = Array.from({ length: 1 + this.#chance.below(2) }, () => `${this.#name}/${this.#count++}`);
    const sizeBytes = this.#chance.below(this.#recordBytesMax);
    const { leaderEpoch } = log;
    const result = await log.append(batchOf(names, sizeBytes, process.clock.now(), {}), acks);
    if (!process.isAlive) return false;
    if (result.errorCode !== ErrorCode.NONE) {
      refuseUnexpected(`producer ${this.#name}`, result);
      return false;
    }
    if (acks === 0) return true;
    if (acks === -1) isWithin(log, result, names.length);
    this.#model.acknowledged(leaderEpoch, result.baseOffset, names, acks);
    return true;
  }
}
