import { ErrorCode, type PartitionLog } from "@kaas/core";
import { openVolume, type Volume } from "@kaas/storage";
import type { Machine, SimulatedProcess } from "../../../packages/kaas-storage/src/testing/simulated/machine.js";
import type { NfsClient } from "../../../packages/kaas-storage/src/testing/simulated/nfs-client.js";
import { NfsFileSystem } from "../../../packages/kaas-storage/src/testing/simulated/nfs-file-system.js";
import { isExpected } from "../expected-failure.js";
import { Violation } from "../history.js";
import type { Storm } from "../storm.js";
import type { World } from "../world.js";
import { BrokerProcess, TOPIC } from "./broker-process.js";
import type { Governance } from "./governance.js";

/** Under which name a broker runs. */
export interface Pod {
  readonly name: string;
  readonly nodeId: number;
  readonly rack: string;
}

/** A pod on a machine: one process after the other, each a new incarnation. */
export class GovernedBroker {
  readonly pod: Pod;
  readonly machine: Machine;
  readonly client: NfsClient;
  readonly storm: Storm;
  readonly #world: World;
  readonly #governance: Governance;
  #process: SimulatedProcess;
  #running: BrokerProcess | undefined;
  /** Another machine runs the pod now: what still runs here does so by mistake, and is not started again. */
  isReplaced = false;

  constructor(world: World, governance: Governance, pod: Pod, machine: Machine, client: NfsClient, storm: Storm) {
    this.#world = world;
    this.#governance = governance;
    this.pod = pod;
    this.machine = machine;
    this.client = client;
    this.storm = storm;
    this.#process = machine.start(pod.name);
  }

  get process(): SimulatedProcess {
    return this.#process;
  }

  /** What runs once the volume is open. */
  get running(): BrokerProcess | undefined {
    return this.#running;
  }

  /** It stands still, or what it asks of the volume does not get there: others have not noticed yet, perhaps. */
  get isHeldUp(): boolean {
    return this.machine.isPaused || this.#process.isBlocked || !this.client.connection.isReachable;
  }

  /** Logs that this process leads, as far as it knows. */
  get logs(): ReadonlyMap<number, PartitionLog> {
    return this.#running?.logs ?? NO_LOGS;
  }

  start(): void {
    this.#process = this.machine.start(this.pod.name);
    this.#running = undefined;
    const process = this.#process;
    this.#spawn(process, () => this.#open(process));
  }

  /** The process ends at once, and another one is started in its place. */
  kill(): void {
    this.#startAfter(200);
    this.#process.kill();
  }

  /** It is asked to end: hands everything over, and is started again. */
  end(): void {
    const running = this.#running;
    const process = this.#process;
    if (running === undefined) return this.kill();
    this.#startAfter(200);
    this.#spawn(process, async () => {
      await running.end();
      process.kill();
    });
  }

  /** The machine loses power, and comes back. */
  crash(): void {
    this.machine.crash();
    this.client.crash();
    this.#startAfter(2_000);
  }

  #startAfter(delayMsMax: number): void {
    const process = this.#process;
    const begin = (): void => {
      this.#world.scheduler.after(this.#world.chance.between(5, delayMsMax), () => {
        if (this.#process === process && !this.isReplaced) this.start();
      });
    };
    if (process.isAlive) process.onDeath(begin);
    else begin();
  }

  async #open(process: SimulatedProcess): Promise<void> {
    const { clock, random } = process;
    const { scenario } = this.#world;
    const incarnation = random.uuid();
    const fileSystem = new NfsFileSystem(this.client, process, scenario.preallocationHelps);
    const volume = await openVolume({
      directory: "/data",
      clock,
      random,
      log: this.#world.logOf(process),
      fileSystem,
      brokerName: this.pod.name,
      incarnation,
      sharing: "shared",
      slotCount: Math.max(1, scenario.slots),
      concurrentSyncs: scenario.concurrentSyncs,
      isAlive: (name, other) => this.#running?.isAlive(name, other) ?? false,
      releaseWaitMsMax: 2_000,
    });
    if (!process.isAlive) return;
    const topicId = await this.#topicId(volume);
    if (!process.isAlive) return;
    this.#world.history.note(process.name, `has the volume open as ${incarnation.slice(0, 6)}`);
    this.#running = new BrokerProcess(this.#world, this.#governance, {
      pod: this.pod,
      hostName: this.machine.name,
      process,
      incarnation,
      volume,
      fileSystem,
      topicId,
    });
    void volume.fenced.then(({ message }) => {
      if (!process.isAlive) return;
      this.#world.history.note(process.name, `is fenced: ${message}`);
      this.kill();
    });
    await this.#running.run();
  }

  async #topicId(volume: Volume): Promise<string> {
    const known = [...volume.topics.topics()].find(({ name }) => name === TOPIC);
    return (known ?? (await volume.topics.create(TOPIC, this.#world.partitions.length, {}))).id;
  }

  /** Refusals are what brokers live with; a volume that is said to be damaged never is. */
  #spawn(process: SimulatedProcess, work: () => Promise<void>): void {
    this.#world.spawn(async () => {
      try {
        await work();
      } catch (error) {
        if (!process.isAlive) return;
        if (error instanceof Violation || !isExpected(error)) throw error;
        this.#world.history.note(process.name, `cannot: ${(error as Error).message}`);
        if (this.#process === process) this.kill();
      }
    });
  }
}

const NO_LOGS: ReadonlyMap<number, PartitionLog> = new Map();

/** Whether a log serves. */
export function isServing(log: PartitionLog | undefined): boolean {
  return log?.health === ErrorCode.NONE;
}
