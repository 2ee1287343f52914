import { type Assignment, NO_LEADER } from "@kaas/core";
import type { Chance } from "../../../packages/kaas-storage/src/testing/simulated/chance.js";
import { Machine } from "../../../packages/kaas-storage/src/testing/simulated/machine.js";
import { NfsClient } from "../../../packages/kaas-storage/src/testing/simulated/nfs-client.js";
import { NfsServer } from "../../../packages/kaas-storage/src/testing/simulated/nfs-server.js";
import { ClusterProducer } from "../cluster-producer.js";
import { Violation } from "../history.js";
import { Storm } from "../storm.js";
import type { World } from "../world.js";
import { Decisions } from "./decisions.js";
import { GovernedBroker, isServing, type Pod } from "./governed-broker.js";
import { ApiServer } from "./api-server.js";
import type { GovernedScenario } from "./governed-scenario.js";
import { Network } from "./network.js";
import { Outages } from "./outages.js";
import { Peers } from "./peers.js";
import { AFTERMATH_MS, type Life, Promises } from "./promises.js";

/** How long what has begun before the last fault may hold things up. */
const HELD_UP_MS = 300_000;
/** How long after that everything may be unavailable; on a volume that is well, not so long. */
const PATIENCE_MS = { storm: 300_000, outages: 60_000 } as const;
/** A file server that has crashed, or waits for a client that is cut off, answers nobody for so long. */
const SERVER_LEASE_MS = 5_000;
/** An operation on the volume that takes longer is trouble. */
const SLOW_MS = 1_000;
/** Between two rounds of a producer, at most: seconds count here, not milliseconds. */
const PACE_MS = 500;
/** A Lease is given up after 1.4 s; what was decided before may be on its way to the volume. */
const DECIDES_MS = 2_500;
/** Nothing is decided for so long once everything is led. */
const QUIET_MS = 20_000;

/** Several brokers on one volume, of which one decides who leads what: the one that holds a lease. */
export async function runGoverned(world: World, draw: (chance: Chance) => GovernedScenario): Promise<void> {
  const cluster = new GovernedCluster(world, draw);
  cluster.begin();
  await cluster.disturb();
  cluster.calm();
  await cluster.within("nothing is held up any more", async () => !cluster.isHeldUp, HELD_UP_MS);
  // Whoever was not heard before may still be found lost.
  await world.scheduler.sleep(AFTERMATH_MS);
  await cluster.within("everything is led and taken", () => cluster.isAvailable());
  await cluster.staysQuiet();
  await cluster.handsOver();
  await cluster.losesOne();
  cluster.end();
}

class GovernedCluster {
  readonly #world: World;
  readonly #scenario: GovernedScenario;
  readonly #server: NfsServer;
  readonly #network: Network;
  readonly #peers: Peers;
  readonly #api: ApiServer;
  readonly #decisions: Decisions;
  readonly #promises: Promises;
  /** All that ever ran; of each pod the last is the one that counts. */
  readonly #brokers: GovernedBroker[] = [];
  readonly #producers: readonly ClusterProducer[];
  #machines = 0;

  constructor(world: World, draw: (chance: Chance) => GovernedScenario) {
    const { scheduler, scenario, chance, history } = world;
    this.#world = world;
    this.#scenario = draw(chance);
    this.#server = new NfsServer(scheduler, { delegations: scenario.cluster.delegations, leaseMs: SERVER_LEASE_MS });
    this.#server.disk.createDirectory(this.#server.disk.root, "data");
    this.#promises = new Promises(scheduler, history, this.#scenario.kind === "outages");
    const failed = (hostNames: readonly string[]): void => {
      // Who has no way to the API server alone is as well as before.
      if (hostNames.includes(ApiServer.hostName)) return;
      for (const name of hostNames) this.#promises.troubled(name);
    };
    this.#network = new Network(scheduler, chance.fork(), { ...this.#scenario, failed });
    this.#decisions = new Decisions(history);
    this.#api = new ApiServer(this.#network);
    this.#peers = new Peers(this.#network, (assignment, by) => this.#published(assignment, by));
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
    await scheduler.sleep(chance.between(0, this.#scenario.kind === "outages" ? 15_000 : 8_000));
    if (this.#scenario.kind === "outages") return this.#outages().run();
    for (let step = 0; step < this.#scenario.steps; step++) {
      await scheduler.sleep(chance.between(0, this.#scenario.stepMs));
      this.#happens();
    }
  }

  calm(): void {
    this.#world.history.note("adversary", "stops");
    this.#network.isCalm = true;
    this.#api.calm();
    for (const broker of this.#brokers) {
      broker.storm.isCalm = true;
      if (broker.isReplaced) broker.machine.crash();
    }
  }

  /** What began before the adversary stopped goes on until its time is over. */
  get isHeldUp(): boolean {
    return this.#current().some(({ isHeldUp }) => isHeldUp);
  }

  /** Everything is led by those who are to lead it, evenly, and all that was sent is taken. */
  async isAvailable(): Promise<boolean> {
    if (this.isHeldUp) return false;
    const assignment = this.#agreed();
    if (assignment === undefined || !this.#isLed(assignment)) return false;
    let isAcknowledged = true;
    for (const producer of this.#producers) {
      producer.isStopped = true;
      isAcknowledged = (await producer.sendAll()) && isAcknowledged;
    }
    // Sending takes its time, in which a broker may have been found lost.
    const isStill = this.#agreed() === assignment;
    return isStill && isAcknowledged && isEven(assignment, this.#current()) && this.#isLed(assignment);
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

  /** One broker loses power, and stays away: the others have what it led. */
  async losesOne(): Promise<void> {
    const { history, chance } = this.#world;
    const lost = chance.pick(this.#current());
    history.note("adversary", `takes ${lost.pod.name} away`);
    lost.isReplaced = true;
    this.#peers.withoutFarewell(lost.machine.name, () => lost.machine.crash());
    await this.within(`what ${lost.pod.name} led is led by others`, () => this.isAvailable());
  }

  end(): void {
    for (const { machine } of this.#brokers) machine.crash();
  }

  async within(
    what: string,
    isSo: () => Promise<boolean>,
    patienceMs: number = PATIENCE_MS[this.#scenario.kind],
  ): Promise<void> {
    const { scheduler } = this.#world;
    const untilMs = scheduler.now + patienceMs;
    while (!(await isSo())) {
      await scheduler.sleep(500);
      if (scheduler.now > untilMs) throw new Violation(`not so within ${patienceMs / 1_000} s: ${what}`);
    }
  }

  /** Whoever cannot renew its Lease decides nothing any more. */
  #published(assignment: Assignment, { hostName, incarnation }: Life): void {
    const { awayMs } = this.#api;
    const isLate = this.#scenario.kind === "outages" && awayMs > DECIDES_MS && !this.#promises.isTroubled(hostName);
    try {
      if (isLate) throw new Violation(`${hostName} decides, ${awayMs.toFixed(0)} ms after the API server went`);
      this.#decisions.published(assignment, incarnation);
    } catch (error) {
      this.#world.fail(error); // whoever publishes would take it for a failure of its own
    }
  }

  #outages(): Outages {
    return new Outages({
      world: this.#world,
      scenario: this.#scenario,
      api: this.#api,
      promises: this.#promises,
      brokers: () => this.#current(),
      agreed: () => {
        const assignment = this.#agreed();
        return assignment !== undefined && this.#isLed(assignment) ? assignment : undefined;
      },
      within: (what, isSo, patienceMs) => this.within(what, isSo, patienceMs),
    });
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
      (what) => {
        history.note(pod.name, what);
        this.#promises.troubled(machine.name);
      },
      (ms) => {
        if (ms > SLOW_MS) this.#promises.troubled(machine.name, ms);
      },
    );
    storm.isCalm = this.#scenario.kind === "outages";
    const client = new NfsClient(machine, this.#server, storm);
    const governance = {
      peers: this.#peers,
      api: this.#api,
      decisions: this.#decisions,
      promises: this.#promises,
    };
    const { clockErrorMs } = this.#scenario;
    broker = new GovernedBroker({ world: this.#world, governance, pod, machine, client, storm, clockErrorMs });
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
    const { machine } = broker;
    const troubled = (ms: number): void => {
      this.#promises.troubled(machine.name, ms);
      // Whom a file server has promised to ask first is waited for by all.
      if (cluster.delegations > 0) this.#promises.allTroubled(ms + SERVER_LEASE_MS);
    };
    const faults: readonly [rate: number, name: string, act: (ms: number) => void, isTrouble: boolean][] = [
      [cluster.pauses, "stands still", (ms) => machine.pause(ms), true],
      [cluster.pauses, "is stopped", (ms) => broker.process.block(ms), true],
      [cluster.partitions, "is cut off from the volume", (ms) => broker.client.partition(ms), true],
      [this.#scenario.isolations, "is cut off from the others", (ms) => this.#isolate(broker, ms), true],
      [this.#scenario.apiOutages, "sees the API server go", (ms) => this.#api.end(ms), false],
      [this.#scenario.apiOutages, "sees no API server", (ms) => this.#api.cutOff(ms), false],
      [this.#scenario.tampering, "sees the lease removed", () => void this.#api.tamper("removed"), false],
      [this.#scenario.tampering, "sees the lease taken", () => void this.#api.tamper("taken"), false],
      [this.#scenario.doubles, "is started elsewhere", () => this.#double(broker), true],
      [this.#scenario.drains, "ends", () => broker.end(), false],
      [cluster.kills, "is killed", () => broker.kill(), false],
      [cluster.crashes, "loses power", () => broker.crash(), true],
      [cluster.serverCrashes, "sees the server crash", (ms) => this.#crashServer(Math.min(ms, 2_000)), false],
    ];
    for (const [rate, name, act, isTrouble] of faults) {
      if (!chance.happens(rate)) continue;
      const ms = chance.pick([30, 200, 3_000, 8_000, 20_000]) * chance.between(0.5, 1);
      history.note(broker.pod.name, `${name} (${ms.toFixed(0)} ms)`);
      if (isTrouble) troubled(ms);
      return act(ms);
    }
  }

  #crashServer(ms: number): void {
    this.#server.crash(ms);
    this.#promises.allTroubled(ms + 2 * SERVER_LEASE_MS);
  }

  #isolate(broker: GovernedBroker, ms: number): void {
    this.#network.isolate(broker.machine.name, ms);
    if (this.#world.chance.happens(0.4)) broker.client.partition(ms);
  }

  /** A pod that was deleted by force may go on running where it was. */
  #double(broker: GovernedBroker): void {
    if (broker.isReplaced || this.#brokers.length > 8) return;
    broker.isReplaced = true;
    this.#promises.doubled(broker.pod.name);
    this.#add(broker.pod).start();
  }

  /** The assignment that everybody has, if it is that of a controller that is at work. */
  #agreed(): Assignment | undefined {
    const brokers = this.#current();
    // One that was told to end before the adversary stopped still has that before it.
    if (brokers.some(({ running }) => running?.isDraining !== false)) return undefined;
    const controllers = brokers.filter(({ running }) => running?.isController === true);
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

function isEven(assignment: Assignment, brokers: readonly GovernedBroker[]): boolean {
  return [assignment.topics.flatMap(({ leaders }) => leaders), assignment.slots.groups].every((leaders) => {
    const counts = brokers.map(({ pod }) => leaders.filter((leader) => leader === pod.nodeId).length);
    return Math.max(...counts) - Math.min(...counts) <= 1;
  });
}
