import { Machine } from "../../packages/kaas-storage/src/testing/simulated/machine.js";
import { NfsClient } from "../../packages/kaas-storage/src/testing/simulated/nfs-client.js";
import { NfsServer } from "../../packages/kaas-storage/src/testing/simulated/nfs-server.js";
import { ClusterBroker, FURTHER_NAMES } from "./cluster-broker.js";
import { ClusterProducer } from "./cluster-producer.js";
import { Violation } from "./history.js";
import { Storm } from "./storm.js";
import type { PartitionClients, World } from "./world.js";

const PATIENCE_MS = 600_000;

/** Several brokers on one volume, and somebody who decides at random who leads what. */
export async function runCluster(world: World): Promise<void> {
  const { scheduler, chance, scenario, history } = world;
  const { cluster } = scenario;
  const server = new NfsServer(scheduler, { delegations: cluster.delegations, leaseMs: 5_000 });
  const further = cluster.moves > 0 ? FURTHER_NAMES : [];
  for (const name of ["data", ...further]) server.disk.createDirectory(server.disk.root, name);
  const brokers = Array.from({ length: cluster.brokers }, (_, index) => brokerOf(world, server, `kaas-${index}`));
  const producers = world.partitions.flatMap((clients) =>
    [1, 2].map((index) => new ClusterProducer(world, clients, brokers, clients.number * 10 + index)),
  );
  for (const broker of brokers) broker.start();
  for (const producer of producers) world.spawn(() => producer.run());
  for (let step = 0; step < cluster.steps; step++) {
    await scheduler.sleep(chance.between(0, cluster.stepMs));
    disturb(world, server, brokers);
  }
  history.note("adversary", "stops");
  for (const { storm } of brokers) storm.isCalm = true;
  await within(world, recover(world, brokers, producers));
}

function brokerOf(world: World, server: NfsServer, name: string): ClusterBroker {
  const machine = new Machine(name, world.scheduler);
  let broker: ClusterBroker | undefined;
  const storm = new Storm(
    world.scenario,
    world.chance.fork(),
    () => {
      world.history.note(name, "is killed in the middle of a call");
      broker?.restart(false);
    },
    (what) => world.history.note(name, what),
  );
  broker = new ClusterBroker(world, name, machine, new NfsClient(machine, server, storm), storm);
  return broker;
}

/** One thing that happens, or that somebody decides. */
function disturb(world: World, server: NfsServer, brokers: readonly ClusterBroker[]): void {
  const { chance, history, scenario, scheduler } = world;
  const { cluster } = scenario;
  const broker = chance.pick(brokers);
  const faults: readonly [rate: number, name: string, act: (ms: number) => void][] = [
    [cluster.pauses, "stands still", (ms) => broker.machine.pause(ms)],
    [cluster.pauses, "is stopped", (ms) => broker.process.block(ms)],
    [cluster.partitions, "is cut off", (ms) => broker.client.partition(ms)],
    [cluster.kills, "is killed", () => broker.restart(false)],
    [cluster.kills / 2, "ends", () => broker.restart(true)],
    [cluster.crashes, "loses power", () => broker.crash()],
    [cluster.serverCrashes, "sees the server crash", (ms) => server.crash(Math.min(ms, 2_000))],
  ];
  for (const [rate, name, act] of faults) {
    if (!chance.happens(rate)) continue;
    const ms = chance.pick([5, 30, 200, 3_000, 20_000]) * chance.between(0.5, 1);
    history.note(broker.name, `${name} (${ms.toFixed(0)} ms)`);
    return act(ms);
  }
  if (world.journals.length > 0 && chance.happens(0.3)) {
    const slot = chance.below(world.journals.length);
    const model = world.journals[slot];
    if (model !== undefined) broker.coordinate(slot, model);
    return;
  }
  const clients = chance.pick(world.partitions);
  if (cluster.moves > 0 && chance.happens(cluster.moves)) return move(world, clients, broker, brokers);
  if (clients.config.retentionBytes >= 0 && chance.happens(0.3)) {
    // It is in the middle of removing what it no longer leads, as it may find out.
    broker.enforceRetention();
    if (chance.happens(0.5))
      scheduler.after(scenario.delayMs * chance.between(0, 30), () => broker.machine.pause(2_000));
    if (chance.happens(0.5)) chance.pick(brokers).lead(clients);
    return;
  }
  if (chance.happens(cluster.contests)) return contest(world, clients, brokers);
  if (chance.happens(0.25)) for (const other of brokers) if (other !== broker) other.release(clients);
  broker.lead(clients);
}

/** Somebody wants the partition elsewhere; some of the brokers hear of it, and some are made to lead it meanwhile. */
function move(
  { chance, scheduler, scenario }: World,
  clients: PartitionClients,
  operator: ClusterBroker,
  brokers: readonly ClusterBroker[],
): void {
  operator.wishMove(clients.number, chance.pick([null, ...FURTHER_NAMES]));
  const soon = (upTo: number, act: () => void) => scheduler.after(scenario.delayMs * chance.between(20, upTo), act);
  for (const broker of brokers) {
    if (chance.happens(0.9)) soon(100, () => broker.hear());
    if (chance.happens(0.2)) soon(400, () => broker.lead(clients));
    if (chance.happens(0.15)) soon(400, () => broker.machine.pause(chance.between(100, 5_000)));
  }
}

/**
 * The leader is killed, with what it wrote still in its kernel; one takes over and stands still somewhere on the way;
 * another takes over from that one; then the first goes on.
 */
function contest(world: World, clients: PartitionClients, brokers: readonly ClusterBroker[]): void {
  const { chance, scheduler, history } = world;
  const leader = brokers.find(({ logs }) => logs.has(clients.number));
  const [first, second] = chance.happens(0.5) ? brokers : [...brokers].reverse();
  if (first === undefined || second === undefined) return;
  history.note("adversary", `${first.name} and ${second.name} contend for ${clients.model.name}`);
  if (leader !== undefined && leader !== first && chance.happens(0.7)) leader.restart(false);
  first.lead(clients);
  const delayMs = world.scenario.delayMs * chance.between(1, 60);
  scheduler.after(delayMs, () => first.machine.pause(chance.between(100, 10_000)));
  scheduler.after(delayMs + chance.between(0, 200), () => second.lead(clients));
}

/** Once nothing fails any more, somebody leads every partition, and everything that was sent is there. */
async function recover(
  world: World,
  brokers: readonly ClusterBroker[],
  producers: readonly ClusterProducer[],
): Promise<void> {
  const { scheduler, chance, history } = world;
  const chosen = chance.pick(brokers);
  for (const producer of producers) producer.isStopped = true;
  const isLed = () =>
    world.partitions.every(({ number, model }) => chosen.logs.get(number)?.leaderEpoch === model.leaderEpoch) &&
    world.partitions.every(({ number }) => chosen.logs.get(number)?.health === 0);
  for (;;) {
    for (let tries = 1; !isLed(); tries++) {
      if (tries % 20 === 0) chosen.restart(true); // nobody wants anything of it, so it reads nothing
      for (const clients of world.partitions) chosen.lead(clients);
      await scheduler.sleep(500);
      // One that was deposed learns of it from its fuse, and that it reads when somebody wants something.
      for (const producer of producers) await producer.sendAll();
    }
    let isAcknowledged = true;
    for (const producer of producers) isAcknowledged = (await producer.sendAll()) && isAcknowledged;
    if (isAcknowledged && isLed()) break;
    await scheduler.sleep(100);
  }
  history.note("adversary", "everything is led and taken");
  // The next leader has all of it as well, and so has every slot. One that was deposed may not know it yet.
  for (const broker of brokers) if (broker !== chosen) broker.restart(true);
  const next = chance.pick(brokers);
  for (const clients of world.partitions) {
    const { leaderEpoch } = clients.model;
    while (clients.model.leaderEpoch === leaderEpoch) {
      // Again, as somebody may have decided before that it leads, and be heard only now.
      chosen.release(clients);
      await scheduler.sleep(1_000);
      next.lead(clients);
      await scheduler.sleep(1_000);
    }
  }
  for (const [slot, model] of world.journals.entries()) {
    const { epoch } = model;
    while (model.epoch === epoch) {
      next.coordinate(slot, model);
      await scheduler.sleep(1_000);
    }
  }
  for (const { machine } of brokers) machine.crash();
}

async function within(world: World, work: Promise<void>): Promise<void> {
  let isDone = false;
  const late = world.scheduler.sleep(PATIENCE_MS).then(() => {
    if (!isDone) throw new Violation(`not everything is led and taken within ${PATIENCE_MS / 60_000} minutes`);
  });
  await Promise.race([work, late]);
  isDone = true;
}
