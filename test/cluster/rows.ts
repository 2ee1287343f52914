import { connectedProducer, kafka, leaderOf } from "./clients.js";
import { type Cluster, until } from "./cluster.js";
import { judge, Load, readBack } from "./load.js";

/** The API server, as far as rows do something to it. */
export interface ApiServer {
  kill(): Promise<void>;
  comeBack(): Promise<void>;
}

export const TOPIC = "orders";
export const PARTITIONS: readonly number[] = [0, 1, 2, 3, 4, 5];
const TAKEOVER_MS_MAX = 5_000;
const DRAIN_MS_MAX = 300;
/** How long anything may take on a machine that does much else. */
const PATIENCE_MS = 120_000;
/** Waits as long as it has to, and never tries twice: whatever goes wrong is an error. */
const UNFORGIVING = { retry: { retries: 0 }, connectionTimeout: 30_000, requestTimeout: 30_000 } as const;

export function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

async function controllerOf(cluster: Cluster): Promise<number> {
  let controller = -1;
  await until(async () => {
    for (const broker of cluster.brokers) {
      if (!broker.isRunning) continue;
      const health = await broker.health();
      if (health?.cluster?.controller.state === "active") controller = broker.place.ordinal;
    }
    return controller >= 0 && (cluster.brokers[controller]?.isRunning ?? false);
  }, PATIENCE_MS);
  return controller;
}

export async function election(cluster: Cluster): Promise<string> {
  const states = await Promise.all(
    cluster.brokers.map(async (broker) => (await broker.health())?.cluster?.controller.state ?? "no answer"),
  );
  expect(states.filter((state) => state !== "idle").length === 1, `controllers: ${states.join(", ")}`);
  const client = kafka(cluster.bootstrapServers);
  const leaders = await Promise.all(PARTITIONS.map((partition) => leaderOf(client, TOPIC, partition)));
  expect(new Set(leaders).size === cluster.brokers.length, `leaders: ${leaders.join(", ")}`);
  return `kaas-${states.findIndex((state) => state !== "idle")} is the controller; partitions are led by ${leaders.join(", ")}`;
}

/** From the kill of a partition's leader to the first record that is acknowledged again; half of them controllers. */
export async function takeover(cluster: Cluster, kills: number, msMax = TAKEOVER_MS_MAX): Promise<string> {
  const took: number[] = [];
  for (let n = 0; n < kills; n++) {
    const client = kafka(cluster.bootstrapServers);
    const producer = await connectedProducer(client);
    const controller = await controllerOf(cluster);
    const { partition, leader } = await ledBy(client, (id) => (id === controller) === (n % 2 === 1));
    await producer.send({ topic: TOPIC, acks: -1, messages: [{ partition, value: "before" }] });
    const killedMs = performance.now();
    const victim = cluster.brokers[leader];
    victim?.signal("SIGKILL");
    await producer.send({ topic: TOPIC, acks: -1, messages: [{ partition, value: "after" }] });
    took.push(performance.now() - killedMs);
    await producer.disconnect();
    await victim?.ended;
    cluster.restart(leader);
    await cluster.balanced();
  }
  const sorted = took.map(Math.round).sort((one, other) => one - other);
  const worst = sorted.at(-1) ?? 0;
  const said = `median ${sorted[Math.floor(sorted.length / 2)]} ms, worst ${worst} ms of ${kills}: ${sorted.join(" ")}`;
  expect(worst <= msMax, said);
  return said;
}

async function ledBy(
  client: ReturnType<typeof kafka>,
  isWanted: (leader: number) => boolean,
): Promise<{ partition: number; leader: number }> {
  let found: { partition: number; leader: number } | undefined;
  await until(async () => {
    for (const partition of PARTITIONS) {
      const leader = await leaderOf(client, TOPIC, partition);
      if (leader >= 0 && isWanted(leader)) found = { partition, leader };
    }
    return found !== undefined;
  }, PATIENCE_MS);
  return found as { partition: number; leader: number };
}

/** Brokers that are asked to stop, one after the other, while records are sent to every partition. */
export async function drain(cluster: Cluster): Promise<string> {
  const load = new Load(kafka(cluster.bootstrapServers), TOPIC);
  await load.start(PARTITIONS);
  const gaps: number[] = [];
  for (const { place } of [...cluster.brokers]) {
    load.resetGaps();
    const broker = cluster.brokers[place.ordinal];
    broker?.signal("SIGTERM");
    const code = await broker?.ended;
    expect(code === 0, `kaas-${place.ordinal} ended with ${code}`);
    gaps.push(Math.max(...load.gapsMs.values()));
    cluster.restart(place.ordinal);
    await cluster.balanced();
  }
  await load.stop();
  const { lost, repeated } = judge(load.acknowledged, await readBack(kafka(cluster.bootstrapServers), TOPIC));
  const longest = gaps.map((gap) => `${Math.round(gap)} ms`).join(", ");
  const said = `${load.count} records, longest pauses ${longest}; ${load.errors.length} errors, ${lost} lost, ${repeated} repeated`;
  expect(load.errors.length === 0 && lost === 0, `${said}: ${load.errors[0]}`);
  return `${said}${gaps.every((gap) => gap < DRAIN_MS_MAX) ? "" : ` (goal ${DRAIN_MS_MAX} ms)`}`;
}

/** Something that goes away, and comes back. */
export interface Outage {
  begin(): Promise<void>;
  /** As long as it lasts. */
  meanwhile(): Promise<void>;
  end(): Promise<void>;
}

/** Nothing of produce and fetch notices an outage: clients that never try twice see no error. */
export async function unnoticed(cluster: Cluster, topic: string, outage: Outage): Promise<string> {
  // A leader that goes to another broker on purpose is an error for whoever never tries twice.
  await cluster.atRest();
  const unforgiving = kafka(cluster.bootstrapServers, "unforgiving", UNFORGIVING);
  const load = new Load(unforgiving, topic, UNFORGIVING.requestTimeout);
  await load.start(PARTITIONS);
  const consumer = kafka(cluster.bootstrapServers).consumer({ groupId: `away-${topic}`, heartbeatInterval: 1_000 });
  let consumed = 0;
  const crashes: string[] = [];
  consumer.on("consumer.crash", ({ payload }) => void crashes.push(payload.error.message));
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: false });
  await consumer.run({
    eachMessage: async () => {
      consumed++;
    },
  });
  await until(async () => consumed > 0, PATIENCE_MS);
  await outage.begin();
  const before = { sent: load.count, consumed, each: load.counts };
  await outage.meanwhile();
  // However slow the machine: every partition goes on before the outage ends.
  const goesOn = (): boolean => load.counts.every((count, index) => count > (before.each[index] ?? 0));
  await until(async () => goesOn() && consumed > before.consumed, PATIENCE_MS);
  const during = { sent: load.count - before.sent, consumed: consumed - before.consumed };
  await outage.end();
  await load.stop();
  await consumer.disconnect();
  const said = `${during.sent} records sent and ${during.consumed} consumed meanwhile; ${load.errors.length} errors`;
  expect(load.errors.length === 0 && crashes.length === 0, `${said}: ${[...load.errors, ...crashes][0]}`);
  return said;
}

export async function apiServerAway(cluster: Cluster, apiServer: ApiServer, seconds: number): Promise<string> {
  let resumedMs = 0;
  const said = await unnoticed(cluster, TOPIC, {
    begin: () => apiServer.kill(),
    meanwhile: () => new Promise((resolve) => setTimeout(resolve, seconds * 1_000)),
    async end() {
      await apiServer.comeBack();
      const backMs = performance.now();
      await until(() => watchesTopics(cluster), PATIENCE_MS);
      resumedMs = performance.now() - backMs;
      await until(async () => (await controllerOf(cluster)) >= 0, PATIENCE_MS);
    },
  });
  return `${said}; all watch topics again ${Math.round(resumedMs)} ms after it is back`;
}

async function watchesTopics(cluster: Cluster): Promise<boolean> {
  const told = await Promise.all(cluster.brokers.map((broker) => broker.health()));
  return told.every((health) => health?.cluster?.topicWatch === "watching");
}

/** A broker that stands still for longer than every timeout, and goes on. */
export async function stopped(
  cluster: Cluster,
  who: "leader" | "controller" | "both",
  seconds: number,
): Promise<string> {
  const client = kafka(cluster.bootstrapServers);
  const controller = await controllerOf(cluster);
  const { leader } = await ledBy(client, (id) => id !== controller);
  const frozen = who === "both" ? [leader, controller] : [who === "leader" ? leader : controller];
  const load = new Load(client, TOPIC);
  await load.start(PARTITIONS);
  load.resetGaps();
  for (const ordinal of frozen) cluster.brokers[ordinal]?.signal("SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  for (const ordinal of frozen) cluster.brokers[ordinal]?.signal("SIGCONT");
  await cluster.balanced();
  await load.stop();
  const { lost, repeated } = judge(load.acknowledged, await readBack(kafka(cluster.bootstrapServers), TOPIC));
  const gap = Math.round(Math.max(...load.gapsMs.values()));
  const said = `kaas-${frozen.join(" and kaas-")}: ${load.count} records, longest pause ${gap} ms, ${lost} lost, ${repeated} repeated`;
  expect(lost === 0, said);
  return said;
}
