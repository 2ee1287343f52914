// main.ts BROKER DIRECTORY ROUNDS SEED: kills the broker at random moments under load, starts it again, and holds what
// it has beside what it acknowledged. Prints ok/FAIL lines, then 'done'.
import { Prng } from "../bad-input/prng.js";
import { BrokerProcess, freePort } from "../lib/broker-process.js";
import { WireClient } from "../lib/wire-client.js";
import { Committer } from "./committer.js";
import { logProblems, readNumbers } from "./partition-check.js";
import { TopicChurn } from "./topic-churn.js";
import { awaitLeaders, createTopic } from "./topics.js";
import { Writer, type WriterKind } from "./writer.js";

const [kind = "", directory = "", rounds = "20", seed = "1"] = process.argv.slice(2);
const prng = new Prng(Number(seed));
/** The smallest that Kafka allows, so that segments roll while the broker is killed. */
const SEGMENT_BYTES = "1048576";
const topics: Readonly<Record<WriterKind, number>> = { idempotent: 3, retrying: 2, plain: 2 };
let failed = 0;

function report(name: string, problems: readonly string[]): void {
  if (problems.length > 0) failed += 1;
  console.log(problems.length === 0 ? `ok    ${name}` : `FAIL  ${name}: ${problems.slice(0, 3).join("; ")}`);
}

const broker = new BrokerProcess(kind, await freePort(), directory);
await broker.start("group.initial.rebalance.delay.ms=0", "offsets.topic.num.partitions=5");

const writers = Object.entries(topics).flatMap(([name, partitions]) =>
  Array.from({ length: partitions }, (_, p) => new Writer(name, p, name as WriterKind, new Prng(prng.uint32()))),
);
const committer = new Committer("committers", "idempotent", topics.idempotent);
const churn = new TopicChurn(new Prng(prng.uint32()));

const setUp = await WireClient.connectWhenUp(broker.port);
for (const [name, partitions] of Object.entries(topics)) {
  await createTopic(setUp, name, partitions, { "segment.bytes": SEGMENT_BYTES });
  await awaitLeaders(setUp, name);
}
setUp.close();

async function load(end: "kill" | "stop"): Promise<number> {
  const load = [...writers, committer, churn];
  const ended = Promise.all(load.map((one) => one.run(broker.port)));
  const lifeMs = 100 + prng.integer(1200);
  await new Promise((resolve) => setTimeout(resolve, lifeMs));
  if (end === "stop") await broker.stop();
  for (const one of load) one.stop();
  if (end === "kill") broker.kill();
  await ended;
  return lifeMs;
}

for (let round = 1; round <= Number(rounds); round++) {
  const end = round % 5 === 0 ? "stop" : "kill";
  const lifeMs = await load(end);
  const began = performance.now();
  await broker.start();
  const startMs = Math.round(performance.now() - began);
  const client = await WireClient.connectWhenUp(broker.port);
  for (const name of Object.keys(topics)) await awaitLeaders(client, name);
  const problems: string[] = [];
  let records = 0;
  for (const writer of writers) {
    const numbers = await readNumbers(client, writer.topic, writer.partition);
    records += numbers.length;
    problems.push(...writer.problems.splice(0), ...logProblems(writer, numbers));
  }
  problems.push(...(await committer.problems(client)), ...(await churn.problems(client)));
  client.close();
  const acknowledged = writers.reduce((sum, writer) => sum + writer.acknowledgedCount, 0);
  report(
    `round ${round}: ${end} after ${lifeMs} ms; ${records} records, ${acknowledged} batches acknowledged, offset ${committer.acknowledged}, ${churn.count} topics made; up again in ${startMs} ms`,
    problems,
  );
}
broker.kill();
console.log("done");
process.exit(failed === 0 ? 0 : 1);
