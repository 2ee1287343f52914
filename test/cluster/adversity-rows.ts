import { BrokerProcess } from "./broker-process.js";
import { kafka } from "./clients.js";
import { freePort } from "../lib/free-port.js";
import { type Cluster, until } from "./cluster.js";
import { underJavaClients } from "./java-client.js";
import { judge, Load, readBack } from "./load.js";
import { expect, PARTITIONS, TOPIC } from "./rows.js";

const HOUR_MS = 3_600_000;
/** Records may be dated an hour ahead of the broker's clock, and no more (`message.timestamp.after.max.ms`). */
const BACK_MS = 3_000_000;
const JUMPS = 3;
/** Every broker in turn is asked to stop and started again, under an idempotent Java producer and a consumer group. */
export async function rollingRestart(cluster: Cluster): Promise<string> {
  return await underJavaClients(cluster.bootstrapServers, TOPIC, async () => {
    for (const { place } of [...cluster.brokers]) {
      const broker = cluster.brokers[place.ordinal];
      broker?.signal("SIGTERM");
      const code = await broker?.ended;
      expect(code === 0, `kaas-${place.ordinal} ended with ${code}`);
      cluster.restart(place.ordinal);
      await cluster.balanced();
    }
  });
}

/** A pod that Kubernetes has given up, and that runs on beside its successor of the same name. */
export async function twoOfOneName(cluster: Cluster): Promise<string> {
  const load = new Load(kafka(cluster.bootstrapServers), TOPIC);
  await load.start(PARTITIONS);
  const [first] = cluster.brokers;
  if (first === undefined) throw new Error("there is no broker");
  const incarnation = (await first.health())?.incarnation;
  const [kafkaPort, peersPort, healthPort] = [await freePort(), await freePort(), await freePort()];
  const second = new BrokerProcess({ ...first.place, kafkaPort, peersPort, healthPort });
  try {
    // Whoever starts later blows the fuse of the other, which starts anew or gives up.
    await until(async () => {
      const now = await first.health();
      return now !== undefined && now.incarnation !== incarnation ? true : !first.isRunning;
    }, 120_000);
  } finally {
    await second.end();
  }
  if (!first.isRunning) cluster.restart(first.place.ordinal);
  await cluster.balanced();
  await load.stop();
  const { lost, repeated } = judge(load.acknowledged, await readBack(kafka(cluster.bootstrapServers), TOPIC));
  const said = `${load.count} records, ${lost} lost, ${repeated} repeated; the first ${first.isRunning ? "started anew" : "gave up"}`;
  expect(lost === 0, said);
  return said;
}

/** The Lease is given to somebody who does not exist, while its holder lives. */
export async function leaseTaken(
  cluster: Cluster,
  epochNow: () => Promise<number>,
  giveLeaseAway: () => Promise<void>,
): Promise<string> {
  const load = new Load(kafka(cluster.bootstrapServers), TOPIC);
  await load.start(PARTITIONS);
  const before = await epochNow();
  await giveLeaseAway();
  await until(async () => (await epochNow()) > before, 120_000);
  await cluster.balanced();
  await load.stop();
  const { lost } = judge(load.acknowledged, await readBack(kafka(cluster.bootstrapServers), TOPIC));
  const said = `controller epoch ${before} to ${await epochNow()}; ${load.count} records, ${load.errors.length} errors, ${lost} lost`;
  expect(lost === 0 && load.errors.length === 0, said);
  return said;
}

/** Wall clocks are set an hour ahead and most of one back, and back again: nothing that decides looks at them. */
export async function clocksJump(cluster: Cluster, seconds: number): Promise<string> {
  const load = new Load(kafka(cluster.bootstrapServers), TOPIC);
  await load.start(PARTITIONS);
  load.resetGaps();
  let isSame = false;
  // A machine that stands still for the two seconds of a Lease changes the controller as well, but not every time.
  for (let attempt = 0; attempt < JUMPS && !isSame; attempt++) {
    const before = await controllerEpoch(cluster);
    await jump(cluster, seconds);
    isSame = (await controllerEpoch(cluster)) === before;
  }
  const gap = Math.round(Math.max(...load.gapsMs.values()));
  await load.stop();
  const { lost } = judge(load.acknowledged, await readBack(kafka(cluster.bootstrapServers), TOPIC));
  const said = `${load.count} records, longest pause ${gap} ms, ${load.errors.length} errors, ${lost} lost`;
  expect(lost === 0 && load.errors.length === 0, `${said}: ${load.errors[0]}`);
  expect(isSame, `${said}; the controller has changed, ${JUMPS} times`);
  return said;
}

async function jump(cluster: Cluster, seconds: number): Promise<void> {
  for (const offsets of [
    [HOUR_MS, -BACK_MS, 0],
    [-BACK_MS, 0, HOUR_MS],
    [0, 0, 0],
  ]) {
    for (const [ordinal, offset] of offsets.entries()) cluster.brokers[ordinal]?.setClock(offset);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
  await cluster.balanced();
}

async function controllerEpoch(cluster: Cluster): Promise<number> {
  const told = await Promise.all(cluster.brokers.map((broker) => broker.health()));
  return Math.max(...told.map((health) => health?.cluster?.assignment.controllerEpoch ?? -1));
}
