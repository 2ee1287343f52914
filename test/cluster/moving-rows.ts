import type { Kafka } from "kafkajs";
import { connectedProducer, kafka, leaderOf } from "./clients.js";
import { type Cluster, until } from "./cluster.js";
import { underJavaClients } from "./java-client.js";
import { judge, Load, readBack } from "./load.js";
import type { MovingTopic } from "./moving-topic.js";
import { expect } from "./rows.js";

const MOVING: readonly number[] = [0, 1, 2];
const HOME = "data";
const OTHER = "fast";
/** What the first partition holds before it moves: half a second of copying. */
const HELD_RECORDS = 16;
const HELD_RECORD_BYTES = 1_000_000;
/** On a machine that does much else: slow is no failure, stuck is. */
const MOVED_MS = 120_000;

/**
 * Partitions go to another volume under load, and some of them back; during that the leader of one is killed, and whoever
 * leads next goes on. No client sees an error, and nothing is lost, doubled or reordered.
 */
export async function partitionsMove(cluster: Cluster, topic: MovingTopic): Promise<string> {
  await topic.create(MOVING.length, HOME);
  const client = kafka(cluster.bootstrapServers);
  await until(async () => (await leaders(client, topic.name)).every((leader) => leader >= 0), MOVED_MS);
  const found: string[] = [];
  const load = new Load(client, topic.name);
  const java = await underJavaClients(cluster.bootstrapServers, topic.name, async () => {
    await hold(client, topic.name);
    await load.start(MOVING);
    found.push(await there(topic, load));
    found.push(await andBack(cluster, client, topic, load));
    await load.stop();
  });
  const [read] = await Promise.all([readBack(kafka(cluster.bootstrapServers), topic.name), cluster.balanced()]);
  const { lost } = judge(load.acknowledged, read);
  const said = `${found.join("; ")}; ${load.count} records, ${load.errors.length} errors, ${lost} lost; Java: ${java}`;
  expect(load.errors.length === 0 && lost === 0, `${said}: ${load.errors[0]}`);
  await topic.remove();
  await until(async () => !topic.isOn(HOME) && !topic.isOn(OTHER), MOVED_MS);
  return said;
}

async function there(topic: MovingTopic, load: Load): Promise<string> {
  load.resetGaps();
  await topic.annotate(OTHER);
  await topic.moved(new Map(MOVING.map((partition) => [partition, OTHER])));
  await until(async () => MOVING.every((partition) => topic.liesOn(partition, OTHER, HOME)), MOVED_MS);
  await until(async () => (await topic.events()).includes("Moved"), MOVED_MS);
  return `${MOVING.length} moved, longest pause ${longestPause(load)}`;
}

async function andBack(cluster: Cluster, client: Kafka, topic: MovingTopic, load: Load): Promise<string> {
  const wanted = new Map(MOVING.map((partition) => [partition, partition < 2 ? HOME : OTHER]));
  load.resetGaps();
  const [ordinal = -1] = await leaders(client, topic.name);
  await topic.annotate(`0=${HOME},1=${HOME}`);
  const hasMoved = (): boolean => topic.filesOf(0, OTHER).some((name) => name.endsWith(".moved"));
  // Who looks too late finds it moved: that is a kill behind the move instead of one within it.
  const hasBegun = (): boolean => topic.filesOf(0, HOME).some((name) => name.endsWith(".arriving")) || hasMoved();
  await until(async () => hasBegun(), MOVED_MS, 5);
  const victim = cluster.brokers[ordinal];
  victim?.signal("SIGKILL");
  await victim?.ended;
  const isHalf = !hasMoved();
  await topic.moved(wanted);
  cluster.restart(ordinal);
  await until(async () => {
    const isWhere = ([partition, volume]: [number, string]): boolean =>
      topic.liesOn(partition, volume, volume === HOME ? OTHER : HOME);
    return [...wanted].every(isWhere);
  }, MOVED_MS);
  const when = isHalf ? "while it copied" : "when it had moved";
  return `2 moved back, kaas-${ordinal} killed ${when}, longest pause ${longestPause(load)}`;
}

async function leaders(client: Kafka, topic: string): Promise<number[]> {
  return await Promise.all(MOVING.map((partition) => leaderOf(client, topic, partition)));
}

async function hold(client: Kafka, topic: string): Promise<void> {
  const producer = await connectedProducer(client);
  const value = Buffer.alloc(HELD_RECORD_BYTES, "kaas");
  for (let n = 0; n < HELD_RECORDS; n++) {
    await producer.send({ topic, acks: -1, messages: [{ partition: 0, value }] });
  }
  await producer.disconnect();
}

function longestPause(load: Load): string {
  return `${Math.round(Math.max(...load.gapsMs.values()))} ms`;
}
