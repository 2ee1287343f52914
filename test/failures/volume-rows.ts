// What fails for the whole volume, or the whole process: the broker stays up, reads where it can, and comes back.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { pause } from "../crash/actor.js";
import { readLog } from "../crash/partition-check.js";
import { WireClient } from "../lib/wire-client.js";
import { Committer } from "./committer.js";
import { CHANGES } from "./fault-file.js";
import { Producer } from "./producer.js";
import { until } from "../lib/until.js";
import type { Stage } from "./stage.js";

/** Free space is looked at every five seconds; a busy machine is given time. */
const NOTICED_WITHIN_MS = 30_000;
const BACK_WITHIN_MS = 40_000;
const HELD_MS = 1_500;
const STORAGE_ERROR = 56;

type Clients = { readonly producers: readonly Producer[]; readonly committer: Committer };

async function clientsOf(stage: Stage, topic: string): Promise<Clients> {
  await stage.topic(topic, 3, { "segment.ms": "200" });
  const producers = [0, 1, 2].map((partition) => stage.use(new Producer({ topic, partition })));
  const committer = stage.use(new Committer(`group-${topic}`, topic));
  await served("all clients are served", { producers, committer });
  return { producers, committer };
}

/** Resolves with how long it took until everybody has been served a few times more. */
function served(what: string, { producers, committer }: Clients): Promise<number> {
  const before = new Map([...producers, committer].map((client) => [client, client.successes]));
  return until(what, () => [...before].every(([client, count]) => client.successes > count + 5), BACK_WITHIN_MS);
}

/** A file system that the kernel has made read-only. */
export async function endureReadOnly(stage: Stage): Promise<string> {
  const topic = "read-only";
  const clients = await clientsOf(stage, topic);
  const fault = stage.inject({ calls: CHANGES, path: `${stage.broker.directory}/data/`, error: "EROFS" });
  const all = [...clients.producers, clients.committer];
  await until("all are told", () => all.every(({ errorCount }) => errorCount > 0), NOTICED_WITHIN_MS);
  await pause(HELD_MS);
  const { errorCount } = clients.committer;
  fault.lift();
  const backMs = await served("all are served again", clients);
  return `${fault.hits} calls failed, commits too (${errorCount}); back ${backMs.toFixed(0)} ms after`;
}

/** Produce is refused before an fsync can fail; everything else goes on. */
export async function endureNoSpace(stage: Stage): Promise<string> {
  const topic = "no-space";
  const { producers, committer } = await clientsOf(stage, topic);
  const fault = stage.inject({ calls: ["space"], path: `${stage.broker.directory}/data`, error: "ENOSPC" });
  const told = (producer: Producer): boolean => (producer.errors.get(STORAGE_ERROR) ?? 0) > 0;
  await until("producers are refused", () => producers.every(told), NOTICED_WITHIN_MS);
  const commits = committer.successes;
  const { batches } = await stage.ask((client) => readLog(client, topic, 0));
  if (batches.length === 0) throw new Error("nothing could be read");
  await until("commits go on", () => committer.successes > commits + 5, NOTICED_WITHIN_MS);
  if (committer.errorCount > 0) throw new Error("commits were refused");
  fault.lift();
  const backMs = await served("producers are served again", { producers, committer });
  return `reads and commits went on; back ${backMs.toFixed(0)} ms after`;
}

/** As many descriptors as the process has now, and no more: no file can be opened and no connection taken. */
export async function endureNoDescriptors(stage: Stage): Promise<string> {
  const { pid, port } = stage.broker;
  const clients = await clientsOf(stage, "no-descriptors");
  const before = /Max open files\s+(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))?.[1] ?? "1024";
  const highest = Math.max(...readdirSync(`/proc/${pid}/fd`).map(Number));
  limitDescriptors(pid, highest + 1);
  // Those that are free below the limit go to connections; files that are to be opened find none.
  const taken = await Promise.all(Array.from({ length: 64 }, () => WireClient.connect(port).catch(() => undefined)));
  const { producers } = clients;
  await until("producers are told", () => producers.some(({ errorCount }) => errorCount > 0), NOTICED_WITHIN_MS);
  await pause(HELD_MS);
  const errors = producers.reduce((sum, { errorCount }) => sum + errorCount, 0);
  for (const client of taken) client?.close();
  limitDescriptors(pid, Number(before));
  const backMs = await served("all are served again", clients);
  await stage.ask((client) => readLog(client, "no-descriptors", 0)); // and new connections are taken
  return `producers were told ${errors} errors; back ${backMs.toFixed(0)} ms after`;
}

function limitDescriptors(pid: number, count: number): void {
  execFileSync("prlimit", ["--pid", String(pid), `--nofile=${count}:`]);
}
