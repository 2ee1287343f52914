import { type Assignment, NO_LEADER } from "@kaas/core";
import { Machine } from "../../../packages/kaas-storage/src/testing/simulated/machine.js";
import { NfsClient } from "../../../packages/kaas-storage/src/testing/simulated/nfs-client.js";
import { NfsServer } from "../../../packages/kaas-storage/src/testing/simulated/nfs-server.js";
import { ClusterProducer } from "../cluster-producer.js";
import { Violation } from "../history.js";
import { Storm } from "../storm.js";
import type { World } from "../world.js";
import { Decisions } from "./decisions.js";
import { GovernedBroker, isServing, type Pod } from "./governed-broker.js";
import { drawGovernedScenario, type GovernedScenario } from "./governed-scenario.js";
import { apiOutage, LeaseServer } from "./lease.js";
import { Network } from "./network.js";
import { Peers } from "./peers.js";

/** How long after the last fault everything may be unavailable. */
const PATIENCE_MS = 300_000;
/** Between two rounds of a producer, at most: seconds count here, not milliseconds. */
const PACE_MS = 500;
/** Nothing is decided for so long once everything is led. */
const QUIET_MS = 20_000;

/** Several brokers on one volume, of which one decides who leads what: the one that holds a lease. */
export async function runGoverned(world: World): Promise<void> {
  const cluster = new GovernedCluster(world);
  cluster.begin();
  await cluster.disturb();
  cluster.calm();
  await cluster.within("everything is led and taken", () => cluster.isAvailable());
  await cluster.staysQuiet();
  await cluster.handsOver();
  cluster.end();
}

class GovernedCluster {
  readonly #world: World;
  readonly #scenario: GovernedScenario;
  readonly #server: NfsServer;
  readonly #network: Network;
  readonly #peers: Peers;
  readonly #lease = new LeaseServer();
  readonly #decisions: Decisions;
  /** All that ever ran; of each pod the last is the one that counts. */
  readonly #brokers: GovernedBroker[] = [];
  readonly #producers: readonly ClusterProducer[];
  #machines = 0;

  constructor(world: World) {
    const { scheduler, scenario, chance, history } = world;
    this.#world = world;
    this.#scenario = drawGovernedScenario(chance);
    this.#server = new NfsServer(scheduler, { delegations: scenario.cluster.delegations, leaseMs: 5_000 });
    this.#server.disk.createDirectory(this.#server.disk.root, "data");
    this.#network = new Network(scheduler, chance.fork(), this.#scenario.latencyMs, this.#scenario.losses);
    this.#peers = new Peers(this.#network);
    this.#decisions = new Decisions(history);
    history.note("adversary", JSON.stringify(this.#scenario));
    for (let nodeId = 0; nodeId < scenario.cluster.brokers; nodeId++) {
      this.#add({ name: `kaas-${nodeId}`, nodeId, rack: `rack-${nodeId % 2}` });
    }
    this.#producers = world.partitions.flatMap((clients) =>
      [1, 2].map((index) => new ClusterProducer(world, clients, this.#brokers, clients.number * 10 + index, PACE_MS)),
    );
  }

  begin(): void {
    for (const broker of this.#brokers) broker.start();
    for (const producer of this.#producers) this.#world.spawn(() => producer.run());
  }

  async disturb(): Promise<void> {
    const { scheduler, chance } = this.#world;
    // A cluster that never came to be has nothing to lose.
    await scheduler.sleep(chance.between(0, 8_000));
    for (let step = 0; step < this.#scenario.steps; step++) {
      await scheduler.sleep(chance.between(0, this.#scenario.stepMs));
      this.#happens();
    }
  }

  calm(): void {
    this.#world.history.note("adversary", "stops");
    this.#network.isCalm = true;
    for (const broker of this.#brokers) {
      broker.storm.isCalm = true;
      if (broker.isReplaced) broker.machine.crash();
    }
  }

  /** Everything is led by those who are to lead it, evenly, and all that was sent is taken. */
  async isAvailable(): Promise<boolean> {
    // What began before the adversary stopped goes on until its time is over.
    if (this.#current().some(({ isHeldUp }) => isHeldUp)) return false;
    const assignment = this.#agreed();
    if (assignment === undefined || !this.#isLed(assignment)) return false;
    let isAcknowledged = true;
    for (const producer of this.#producers) {
      producer.isStopped = true;
      isAcknowledged = (await producer.sendAll()) && isAcknowledged;
    }
    // Sending takes its time, in which a broker may have been found lost.
    const isStill = this.#agreed() === assignment;
    return isStill && isAcknowledged && isEven(assignment, this.#current().length) && this.#isLed(assignment);
  }

  /** While nothing happens nothing is decided. */
  async staysQuiet(): Promise<void> {
    const { count } = this.#decisions;
    const before = this.#agreed();
    await this.#world.scheduler.sleep(QUIET_MS);
    if (this.#decisions.count === count) return;
    const leaders = (assignment: Assignment | undefined): string =>
      JSON.stringify([assignment?.topics.map((topic) => topic.leaders), assignment?.slots]);
    if (leaders(before) === leaders(this.#agreed())) return; // an epoch that was reported late
    throw new Violation(`leaders moved though nothing had happened: ${leaders(before)} → ${leaders(this.#agreed())}`);
  }

  /** One broker after the other ends in order, as in a rolling restart; each next leader has everything. */
  async handsOver(): Promise<void> {
    const { history } = this.#world;
    for (const broker of this.#current()) {
      const incarnation = broker.running?.incarnation;
      history.note("adversary", `restarts ${broker.pod.name}`);
      broker.end();
      await this.within(
        `${broker.pod.name} is back, and everything is led and taken`,
        async () => broker.running !== undefined && broker.running.incarnation !== incarnation && this.isAvailable(),
      );
    }
  }

  end(): void {
    for (const { machine } of this.#brokers) machine.crash();
  }

  async within(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const { scheduler } = this.#world;
    const untilMs = scheduler.now + PATIENCE_MS;
    while (!(await isSo())) {
      await scheduler.sleep(500);
      if (scheduler.now > untilMs) throw new Violation(`not so within ${PATIENCE_MS / 60_000} minutes: ${what}`);
    }
  }

  #add(pod: Pod): GovernedBroker {
    const { scenario, scheduler, chance, history } = this.#world;
    const machine = new Machine(`node-${this.#machines++}`, scheduler);
    let broker: GovernedBroker | undefined;
    const storm = new Storm(
      scenario,
      chance.fork(),
      () => {
        history.note(pod.name, "is killed in the middle of a call");
        broker?.kill();
      },
      (what) => history.note(pod.name, what),
    );
    const client = new NfsClient(machine, this.#server, storm);
    const governance = {
      network: this.#network,
      peers: this.#peers,
      lease: this.#lease,
      decisions: this.#decisions,
    };
    broker = new GovernedBroker(this.#world, governance, pod, machine, client, storm);
    this.#brokers.push(broker);
    return broker;
  }

  #current(): readonly GovernedBroker[] {
    return this.#brokers.filter(({ isReplaced }) => !isReplaced);
  }

  /** One thing that happens. */
  #happens(): void {
    const { chance, history, scenario } = this.#world;
    const { cluster } = scenario;
    const broker = chance.pick(this.#brokers);
    const faults: readonly [rate: number, name: string, act: (ms: number) => void][] = [
      [cluster.pauses, "stands still", (ms) => broker.machine.pause(ms)],
      [cluster.pauses, "is stopped", (ms) => broker.process.block(ms)],
      [cluster.partitions, "is cut off from the volume", (ms) => broker.client.partition(ms)],
      [this.#scenario.isolations, "is cut off from the others", (ms) => this.#isolate(broker, ms)],
      [this.#scenario.apiOutages, "sees the API server go", (ms) => apiOutage(this.#network, ms)],
      [this.#scenario.tampering, "sees the lease removed", () => this.#lease.tamper("removed")],
      [this.#scenario.tampering, "sees the lease taken", () => this.#lease.tamper("taken")],
      [this.#scenario.doubles, "is started elsewhere", () => this.#double(broker)],
      [this.#scenario.drains, "ends", () => broker.end()],
      [cluster.kills, "is killed", () => broker.kill()],
      [cluster.crashes, "loses power", () => broker.crash()],
      [cluster.serverCrashes, "sees the server crash", (ms) => this.#server.crash(Math.min(ms, 2_000))],
    ];
    for (const [rate, name, act] of faults) {
      if (!chance.happens(rate)) continue;
      const ms = chance.pick([30, 200, 3_000, 8_000, 20_000]) * chance.between(0.5, 1);
      history.note(broker.pod.name, `${name} (${ms.toFixed(0)} ms)`);
      return act(ms);
    }
  }

  #isolate(broker: GovernedBroker, ms: number): void {
    this.#network.isolate(broker.machine.name, ms);
    if (this.#world.chance.happens(0.4)) broker.client.partition(ms);
  }

  /** A pod that was deleted by force may go on running where it was. */
  #double(broker: GovernedBroker): void {
    if (broker.isReplaced || this.#brokers.length > 8) return;
    broker.isReplaced = true;
    this.#add(broker.pod).start();
  }

  /** The assignment that everybody has, if it is that of a controller that is at work. */
  #agreed(): Assignment | undefined {
    const brokers = this.#current();
    // One that was told to end before the adversary stopped still has that before it.
    if (brokers.some(({ running }) => running?.isDraining !== false)) return undefined;
    const controllers = brokers.filter(({ running }) => running?.controller.status.state === "active");
    const [assignment] = brokers.map(({ running }) => running?.view.assignment);
    if (controllers.length !== 1 || assignment?.controllerId !== controllers[0]?.pod.nodeId) return undefined;
    const isEverywhere = brokers.every(
      ({ running }) =>
        running?.view.assignment?.controllerEpoch === assignment?.controllerEpoch &&
        running?.view.assignment?.version === assignment?.version,
    );
    // A clock that goes wrong lets a new process look older than the one before, which is waited for until it is lost.
    const isKnown = brokers.every(({ running }) =>
      assignment?.brokers.some(({ incarnation, isAlive }) => isAlive && incarnation === running?.incarnation),
    );
    return isEverywhere && isKnown ? assignment : undefined;
  }

  #isLed(assignment: Assignment): boolean {
    const brokers = this.#current();
    if (!brokers.every(({ running, process }) => process.isAlive && running?.isSettled === true)) return false;
    return this.#world.partitions.every(({ number, model }) => {
      const leader = assignment.topics[0]?.leaders[number] ?? NO_LEADER;
      const log = brokers.find(({ pod }) => pod.nodeId === leader)?.logs.get(number);
      const reported = assignment.topics[0]?.leaderEpochs[number];
      return isServing(log) && log?.leaderEpoch === model.leaderEpoch && reported === log.leaderEpoch;
    });
  }
}

function isEven(assignment: Assignment, brokers: number): boolean {
  return [assignment.topics.flatMap(({ leaders }) => leaders), assignment.slots.groups].every((leaders) => {
    const counts = Array.from({ length: brokers }, (_, id) => leaders.filter((leader) => leader === id).length);
    return Math.max(...counts) - Math.min(...counts) <= 1;
  });
}
