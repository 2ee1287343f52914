import { type Assignment, type Clock, silentLog, type Timer } from "@kaas/core";
import type { KubernetesApi } from "@kaas/k8s";
import type { FileSystem } from "@kaas/storage";
import { evenRandom } from "../../../../packages/kaas-k8s/src/testing/test-clock.js";
import { joinVolume } from "../../../../packages/kaas-storage/src/leadership/join.js";
import { ClusterControl } from "../../src/control/cluster-control.js";
import { PEERS_ENDPOINT_PREFIX } from "../../src/control/control-settings.js";
import type { MemoryNetwork } from "./memory-network.js";

export const CLUSTER_DIRECTORY = "/data/__cluster";
const SLOTS = 4;
export const TOPIC = { topicId: "AAAAAAAAAAAAAAAAAAAAAQ", name: "orders", partitionCount: 6 };

/** The time of one process, which can end or stand still while that of others goes on. */
class ProcessClock implements Clock {
  readonly #clock: Clock;
  #state: "runs" | "stands" | "ended" = "runs";
  readonly #due: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  schedule(delayMs: number, callback: () => void): Timer {
    if (this.#state === "ended") return { cancel: () => undefined };
    let isCancelled = false;
    const fire = (): void => {
      if (isCancelled || this.#state === "ended") return;
      if (this.#state === "runs") callback();
      else this.#due.push(fire);
    };
    const timer = this.#clock.schedule(delayMs, fire);
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  end(): void {
    this.#state = "ended";
  }

  stand(): void {
    this.#state = "stands";
  }

  resume(): void {
    this.#state = "runs";
    for (const fire of this.#due.splice(0)) fire();
  }
}

export interface TestSurroundings {
  readonly api: KubernetesApi;
  readonly network: MemoryNetwork;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
}

/** The control plane of one broker, whose data plane opens at once what it is given. */
export class TestBroker {
  readonly nodeId: number;
  readonly address: string;
  readonly control: ClusterControl;
  assignment: Assignment | undefined;
  /** Topics that the watch has told of. */
  readonly topicsTold: string[] = [];
  isRunning = true;
  readonly #clock: ProcessClock;
  readonly #network: MemoryNetwork;
  #led = new Set<number>();

  private constructor(nodeId: number, { api, network, fileSystem, clock }: TestSurroundings) {
    this.nodeId = nodeId;
    this.address = `10.0.0.${nodeId}:9094`;
    this.#clock = new ProcessClock(clock);
    this.#network = network;
    this.control = new ClusterControl({
      settings: {
        nodeId,
        namespace: "events",
        set: "kaas",
        clusterName: "kaas",
        service: undefined,
        rack: null,
        rackTopologyKey: undefined,
        nodeName: undefined,
        startedMs: clock.now(),
        clusterDirectory: CLUSTER_DIRECTORY,
        peers: { host: "", port: 0, token: "" },
        kubeconfig: undefined,
        podUid: undefined,
      },
      name: `kaas-${nodeId}`,
      incarnation: `process-${nodeId}`,
      slotCount: SLOTS,
      api,
      network: network.of(this.address, this.#clock),
      fileSystem,
      clock: this.#clock,
      random: evenRandom,
      log: silentLog,
      isAlive: () => true,
      adopted: (assignment) => this.#adopt(assignment),
      topicChanged: ({ name }) => void this.topicsTold.push(name),
      topicDeleted: () => undefined,
    });
  }

  static async start(nodeId: number, surroundings: TestSurroundings): Promise<TestBroker> {
    const broker = new TestBroker(nodeId, surroundings);
    const { fileSystem, clock } = surroundings;
    await joinVolume({
      files: { fileSystem, random: evenRandom },
      clock,
      cluster: CLUSTER_DIRECTORY,
      incarnation: { broker: `kaas-${nodeId}`, incarnation: `process-${nodeId}` },
      isShared: true,
      version: "0",
      endpoints: [`${PEERS_ENDPOINT_PREFIX}${broker.address}`],
    });
    await broker.control.start();
    broker.control.setTopics([TOPIC]);
    broker.control.setStatus({
      listeners: [{ listenerName: "PLAINTEXT", host: "h", port: 9092 + nodeId }],
      storage: "ok",
      fuseAgeMs: 0,
      led: 0,
      assigned: 0,
      recovering: 0,
      releasing: 0,
    });
    return broker;
  }

  get isController(): boolean {
    return this.isRunning && this.control.condition.controller.state === "active";
  }

  /** SIGKILL. */
  kill(): void {
    this.isRunning = false;
    this.#clock.end();
    this.#network.end(this.address);
  }

  /** SIGSTOP. */
  stand(): void {
    this.#clock.stand();
    this.#network.stop(this.address);
  }

  /** SIGCONT. */
  resume(): void {
    this.#network.resume(this.address);
    this.#clock.resume();
  }

  #adopt(assignment: Assignment): void {
    this.assignment = assignment;
    const { topicId, leaders } = assignment.topics[0] ?? { topicId: TOPIC.topicId, leaders: [] };
    const led = new Set(leaders.flatMap((leader, partition) => (leader === this.nodeId ? [partition] : [])));
    const opened = [...led].filter((partition) => !this.#led.has(partition));
    const closed = [...this.#led].filter((partition) => !led.has(partition));
    this.#led = led;
    if (opened.length + closed.length === 0) return;
    this.control.noteLed({
      opened: opened.map((partition) => ({ topicId, partition, leaderEpoch: assignment.version })),
      closed: closed.map((partition) => ({ topicId, partition })),
      slots: { groups: [], transactions: [] },
    });
  }
}
