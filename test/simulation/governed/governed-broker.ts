import { AssignmentView, ErrorCode, type PartitionLog } from "@kaas/core";
import { hasSuccessor, openVolume, type Volume } from "@kaas/storage";
import type { ServingBroker } from "../../../apps/broker/src/compose.js";
import { PEERS_ENDPOINT_PREFIX } from "../../../apps/broker/src/control/control-settings.js";
import { type KeptServing, keepServing } from "../../../apps/broker/src/keep-serving.js";
import type { Machine, SimulatedProcess } from "../../../packages/kaas-storage/src/testing/simulated/machine.js";
import type { NfsClient } from "../../../packages/kaas-storage/src/testing/simulated/nfs-client.js";
import { isExpected } from "../expected-failure.js";
import { Violation } from "../history.js";
import type { Storm } from "../storm.js";
import type { World } from "../world.js";
import { BrokerProcess, CLUSTER_DIRECTORY, TOPIC } from "./broker-process.js";
import type { Governance } from "./governance.js";
import { WatchedFileSystem } from "./watched-file-system.js";

/** Under which name a broker runs. */
export interface Pod {
  readonly name: string;
  readonly nodeId: number;
  readonly rack: string;
}

export interface GovernedBrokerOptions {
  readonly world: World;
  readonly governance: Governance;
  readonly pod: Pod;
  readonly machine: Machine;
  readonly client: NfsClient;
  readonly storm: Storm;
  /** How wrong its machine's wall clock may be. */
  readonly clockErrorMs: number;
}

/** A pod on a machine: one process after the other, each of which serves as one incarnation after the other. */
export class GovernedBroker {
  readonly pod: Pod;
  readonly machine: Machine;
  readonly client: NfsClient;
  readonly storm: Storm;
  readonly #world: World;
  readonly #governance: Governance;
  readonly #clockErrorMs: number;
  #process: SimulatedProcess;
  #kept: KeptServing | undefined;
  #running: BrokerProcess | undefined;
  #isEnding = false;
  /** Another machine runs the pod now: what still runs here does so by mistake, and is not started again. */
  isReplaced = false;

  constructor({ world, governance, pod, machine, client, storm, clockErrorMs }: GovernedBrokerOptions) {
    this.#world = world;
    this.#governance = governance;
    this.pod = pod;
    this.machine = machine;
    this.client = client;
    this.storm = storm;
    this.#clockErrorMs = clockErrorMs;
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
    const process = this.machine.start(this.pod.name);
    this.#process = process;
    this.#kept = undefined;
    this.#running = undefined;
    this.#isEnding = false;
    this.#spawn(process, async () => {
      const kept = await keepServing({
        start: () => this.#watched(process, () => this.#open(process)),
        log: this.#world.logOf(process),
        monotonic: () => process.clock.monotonic(),
        started: () => undefined,
        gaveUp: () => this.#gaveUp(process),
      });
      if (this.#process === process) this.#kept = kept;
    });
  }

  /** The process ends at once, and another one is started in its place. */
  kill(): void {
    this.#startAfter(200);
    this.#process.kill();
  }

  /** It is asked to end: hands everything over, and is started again. */
  end(): void {
    const kept = this.#kept;
    const process = this.#process;
    if (kept === undefined) return this.kill();
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#startAfter(200);
    this.#spawn(process, async () => {
      await kept.close();
      process.kill();
    });
  }

  /** The machine loses power, and comes back. */
  crash(): void {
    this.#governance.peers.withoutFarewell(this.machine.name, () => this.machine.crash());
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

  /** Whoever called would take a violation for a failure of its own. */
  #check(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#world.fail(error);
    }
  }

  /** The process ends; whoever supervises processes starts another one. */
  #gaveUp(process: SimulatedProcess): void {
    if (!process.isAlive) return;
    this.#check(() => this.#governance.promises.gaveUp(this.machine.name, this.pod.name));
    if (this.#process === process) this.kill();
    else process.kill();
  }

  async #open(process: SimulatedProcess): Promise<ServingBroker> {
    const startedMs = process.clock.now() + this.#world.chance.between(-this.#clockErrorMs, this.#clockErrorMs);
    const { clock, random } = process;
    const { scenario } = this.#world;
    const { promises } = this.#governance;
    const { name, nodeId, rack } = this.pod;
    const incarnation = random.uuid();
    const life = { name, incarnation, hostName: this.machine.name, process };
    const fileSystem = new WatchedFileSystem(this.client, process, scenario.preallocationHelps, (other, whose) =>
      this.#check(() => promises.blows(other, whose, life)),
    );
    const address = `${name}:9094`;
    const view = new AssignmentView({ nodeId, name, incarnation, rack });
    const volume = await openVolume({
      directory: "/data",
      clock,
      random,
      log: this.#world.logOf(process),
      fileSystem,
      brokerName: name,
      incarnation,
      brokerEndpoints: [`${PEERS_ENDPOINT_PREFIX}${address}`],
      sharing: "shared",
      slotCount: Math.max(1, scenario.slots),
      concurrentSyncs: scenario.concurrentSyncs,
      isAlive: (_broker, other) => view.isAlive(other),
      releaseWaitMsMax: 2_000,
    });
    const topicId = await this.#topicId(volume);
    this.#world.history.note(process.name, `has the volume open as ${incarnation.slice(0, 6)}`);
    const running = new BrokerProcess(this.#world, this.#governance, {
      pod: this.pod,
      life,
      startedMs,
      address,
      view,
      volume,
      fileSystem,
      topicId,
    });
    await running.start();
    if (this.#process === process) this.#running = running;
    return {
      broker: undefined as never,
      fenced: volume.fenced,
      isSuperseded: () => hasSuccessor(fileSystem, CLUSTER_DIRECTORY, { broker: name, incarnation }),
      close: () => running.close(),
    };
  }

  async #topicId(volume: Volume): Promise<string> {
    const known = [...volume.topics.topics()].find(({ name }) => name === TOPIC);
    return (known ?? (await volume.topics.create(TOPIC, this.#world.partitions.length, {}))).id;
  }

  #spawn(process: SimulatedProcess, work: () => Promise<void>): void {
    this.#world.spawn(async () => {
      try {
        await this.#watched(process, work);
      } catch (error) {
        if (!process.isAlive) return;
        this.#world.history.note(process.name, `cannot: ${(error as Error).message}`);
        if (this.#process === process) this.kill();
      }
    });
  }

  /** Refusals are what brokers live with; a volume that is said to be damaged never is. */
  async #watched<Result>(process: SimulatedProcess, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (process.isAlive && (error instanceof Violation || !isExpected(error))) this.#world.fail(error);
      throw error;
    }
  }
}

const NO_LOGS: ReadonlyMap<number, PartitionLog> = new Map();

/** Whether a log serves. */
export function isServing(log: PartitionLog | undefined): boolean {
  return log?.health === ErrorCode.NONE;
}
