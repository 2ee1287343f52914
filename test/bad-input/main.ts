/**
 * Bad input against a running broker: `main.ts HOST:PORT PID LOG_FILE FRAMES SEED`.
 *
 * First each row of what a broker has to do with bad input and the largest request of every kind, then FRAMES fuzzed frames over many connections, while
 * clients that hold memory lie in wait and well-behaved clients check every answer they get. SEED repeats a run's
 * frames, though not the order in which connections get them. Prints ok/FAIL lines, then `done`.
 */
import type { ApiVersionsResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import { RawClient } from "../../packages/kaas-core/test/fakes/raw-client.js";
import { BadClients } from "./bad-clients.js";
import { FuzzConnection, type FuzzCounts } from "./fuzz-connection.js";
import { FuzzFrames } from "./fuzz-frames.js";
import { FuzzRequests, type ServedVersions } from "./fuzz-requests.js";
import { FUZZ_TOPICS, FuzzValues } from "./fuzz-values.js";
import { LargestRequests } from "./largest-requests.js";
import { Outlook } from "./outlook.js";
import { Prng } from "./prng.js";
import { ProcessWatch } from "./process-watch.js";
import { RecordRows } from "./record-rows.js";
import { Report } from "./report.js";
import { Table } from "./table.js";
import { createTopics } from "./test-topics.js";
import { WellBehavedClient } from "./well-behaved.js";

const FUZZ_CONNECTIONS = 64;
const WELL_BEHAVED_CLIENTS = 3;
const RESIDENT_MIB_MAX = 1024;
/** How long the broker may work while somebody waits, which is the fault of what it works on. */
const WORKED_P99_MS_MAX = 500;
const WORKED_MS_MAX = 5000;
/** How long somebody may wait on a machine that does much else. */
const LATENCY_MS_MAX = 60_000;
const PROGRESS_MS = 15_000;

const [address, pid, logFile, frameCount, seedText] = process.argv.slice(2);
if (address === undefined || pid === undefined || logFile === undefined) {
  console.error("main.ts HOST:PORT PID LOG_FILE FRAMES SEED");
  process.exit(2);
}
const port = Number(address.slice(address.lastIndexOf(":") + 1));
const target = Number(frameCount);
const seed = Number(seedText);
const report = new Report();
const watch = new ProcessWatch(Number(pid));

await new Table(port, logFile, report).run();
await createTopics(port, ["bad-records"], 2);
await new RecordRows(port, "bad-records", report).run();
await new LargestRequests(port, watch, report).run(await servedVersions());
await fuzz();
watch.stop();
report.done();

async function servedVersions(): Promise<ServedVersions[]> {
  const client = await RawClient.connect(port);
  client.request(18, 0, 1, {});
  const { response } = await client.answer<ApiVersionsResponse>(18, 0);
  client.close();
  return response.apiKeys;
}

async function fuzz(): Promise<void> {
  const topicIds = await createTopics(port, FUZZ_TOPICS, 2);
  const topics = Array.from({ length: WELL_BEHAVED_CLIENTS }, (_, index) => `well-behaved-${index}`);
  await createTopics(port, topics, 1);
  const apis = await servedVersions();
  const badClients = new BadClients(port);
  await badClients.start();
  let isOver = false;
  const wellBehaved = await Promise.all(topics.map((topic) => WellBehavedClient.connect(port, topic, watch)));
  const behaving = Promise.all(wellBehaved.map((client) => client.run(() => isOver)));
  const counts: FuzzCounts = { handled: 0, answers: 0, connections: 0, closed: 0, abandoned: 0, refused: 0 };
  const progress = setInterval(() => tellProgress(counts), PROGRESS_MS);
  const residentBytes = watch.residentBytes();
  const beganAt = performance.now();
  const stop = (): boolean => !watch.isAlive;
  const outlook = new Outlook(apis);
  const prng = new Prng(seed);
  const frames = new FuzzFrames(prng, new FuzzRequests(prng, new FuzzValues(prng, topicIds), apis));
  await Promise.all(
    Array.from({ length: FUZZ_CONNECTIONS }, () =>
      new FuzzConnection(port, frames, outlook, prng, counts).run(target, stop),
    ),
  );
  const seconds = (performance.now() - beganAt) / 1000;
  clearInterval(progress);
  isOver = true;
  await behaving;
  report.note(
    `${(counts.handled / seconds).toFixed(0)} frames/s for ${seconds.toFixed(0)} s: ${JSON.stringify(counts)}`,
  );
  report.note(
    `resident before: ${mib(residentBytes)} MiB, peak ${mib(watch.peakBytes)} MiB, now ${mib(watch.residentBytes())} MiB`,
  );
  judge(counts, wellBehaved, badClients);
  badClients.stop();
}

function tellProgress(counts: FuzzCounts): void {
  console.error(`${counts.handled} frames, ${mib(watch.residentBytes())} MiB resident`);
}

function judge(counts: FuzzCounts, wellBehaved: readonly WellBehavedClient[], badClients: BadClients): void {
  const handled = counts.handled < target ? `${counts.handled} of ${target}` : undefined;
  report.check(`${target} fuzzed frames were handled`, handled);
  report.check("the broker lives", watch.isAlive ? undefined : `process ${pid} has ended`);
  const peak = watch.peakBytes > RESIDENT_MIB_MAX * 1024 * 1024 ? `${mib(watch.peakBytes)} MiB` : undefined;
  report.check(`it stayed below ${RESIDENT_MIB_MAX} MiB`, peak);
  const closed = badClients.closedCount === 0 ? undefined : `${badClients.closedCount} were closed`;
  report.check("clients that are merely slow were left alone", closed);
  const complaints = wellBehaved.flatMap((client) => client.complaints);
  const rounds = wellBehaved.reduce((sum, client) => sum + client.rounds, 0);
  report.check(`well-behaved clients had right answers only, in ${rounds} rounds`, complaints.join("; ") || undefined);
  const waited = spread(wellBehaved.flatMap((client) => client.latenciesMs));
  const worked = spread(wellBehaved.flatMap((client) => client.workedMs));
  const text = `${waited.text}, while the broker worked: ${worked.text}`;
  report.note(`latency of well-behaved clients: ${text}`);
  const isQuick = worked.p99 <= WORKED_P99_MS_MAX && worked.most <= WORKED_MS_MAX && waited.most <= LATENCY_MS_MAX;
  report.check("and did not wait long for them", isQuick ? undefined : text);
}

function spread(times: number[]): { readonly p99: number; readonly most: number; readonly text: string } {
  times.sort((a, b) => a - b);
  const at = (part: number): number => times[Math.floor((times.length - 1) * part)] ?? Number.POSITIVE_INFINITY;
  const text = `p50 ${at(0.5).toFixed(1)}, p99 ${at(0.99).toFixed(1)}, most ${at(1).toFixed(1)} ms`;
  return { p99: at(0.99), most: at(1), text };
}

function mib(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
