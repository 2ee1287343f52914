// main.ts BROKER DIRECTORY ROUNDS SEED [RECORDER]: kills the broker at random moments under load, starts it again, and
// holds what it has beside what it acknowledged. RECORDER is the library of power-loss/recorder.c: with it, every other
// kill comes at a step of the broker's own (a file made, renamed, linked, removed, cut, fsynced), so that all of them are
// met. Prints ok/FAIL lines, then 'done'.
import { Prng } from "../bad-input/prng.js";
import { BrokerProcess } from "../lib/broker-process.js";
import { freePort } from "../lib/free-port.js";
import { Rows } from "../lib/rows.js";
import { ConnectionLost, WireClient } from "../lib/wire-client.js";
import { diagnosis } from "./doctor.js";
import { KillPlan } from "./kill-plan.js";
import { BROKER_PROPERTIES, Load } from "./load.js";
import { AT_LAST } from "./moment.js";

const [kind = "", directory = "", rounds = "20", seed = "1", recorder = ""] = process.argv.slice(2);
const prng = new Prng(Number(seed));
const rows = new Rows();

const broker = new BrokerProcess(kind, await freePort(), directory);
const plan = new KillPlan(broker, prng, recorder === "" ? undefined : { library: recorder, directory });
await broker.start(...BROKER_PROPERTIES);

const load = new Load({ prng, pauseMs: 0, recordBytesMax: 3000 });
const setUp = await WireClient.connectWhenUp(broker.port);
await load.prepare(setUp);
setUp.close();

/** Runs the load until the broker is gone; says how it went. */
async function life(round: number): Promise<string> {
  const ended = load.run(broker.port);
  const how = round % 5 === 0 ? await plan.stop() : await plan.kill();
  load.stop();
  await ended;
  return how;
}

/** What is wrong with what the broker has. Its own step may end it before it is asked, or meanwhile: then it is asked once more. */
async function look(): Promise<readonly string[]> {
  try {
    return await ask(await WireClient.connect(broker.port));
  } catch (error) {
    if (!isGone(error) || !(await plan.reachedItsStep())) throw error;
    await plan.startSafely();
    return look();
  }
}

async function ask(client: WireClient): Promise<readonly string[]> {
  try {
    await load.awaitLeaders(client);
    const problems = await load.problems(client, AT_LAST);
    await load.churn.settle(client);
    return problems;
  } finally {
    client.close();
  }
}

function isGone(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return error instanceof ConnectionLost || ["ECONNREFUSED", "ECONNRESET"].includes(code);
}

for (let round = 1; round <= Number(rounds); round++) {
  const how = await life(round);
  const startMs = await plan.start();
  const problems = await look();
  const acknowledged = load.writers.reduce((sum, writer) => sum + writer.acknowledgedCount, 0);
  const commits = load.committers.reduce((sum, committer) => sum + committer.acknowledged, 0);
  rows.report(
    `round ${round}: ${how}; ${acknowledged} batches and ${commits} commits acknowledged, ${load.churn.count} topics made; up again in ${startMs} ms`,
    problems,
  );
}
broker.kill();
rows.report("kaasctl doctor finds the volume of a killed broker sound", await diagnosis(`${directory}/data`));
await broker.start();
await broker.stop();
rows.report("kaasctl doctor finds the volume of a stopped broker sound", await diagnosis(`${directory}/data`));
rows.end();
