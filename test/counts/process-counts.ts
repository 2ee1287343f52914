// Counts of a real broker's process: system calls and fsyncs a request (strace, where it may be attached), bytes that it
// allocates in its heap and garbage collections (its own trace). Prints 'ok', 'FAIL' and 'skip' lines, then 'done'.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BrokerProcess } from "../lib/broker-process.js";
import { freePort } from "../lib/free-port.js";
import { LoadClient } from "../lib/load-client.js";
import { type HeapCounts, heapCounts } from "./gc-trace.js";
import { runStep, type Step, steps } from "./workload.js";

type Ceilings = Readonly<Record<string, Readonly<Record<string, number>>>>;

const WARM_UP = 1500;
const REQUESTS = 6000;
/** A fetch takes what many appends brought: it is repeated until enough of them were made. */
const FETCH_REPETITIONS = 40;
const TRACED_REQUESTS = 400;
const ceilings = (
  JSON.parse(readFileSync(new URL("ceilings.json", import.meta.url), "utf8")) as { readonly process: Ceilings }
).process;

const directory = mkdtempSync(join(tmpdir(), "kaas-counts-"));
// A small young generation is collected often, which makes the sum of what was allocated exact.
process.env["KAAS_NODE_OPTIONS"] = "--trace-gc --max-semi-space-size=1";
const broker = new BrokerProcess("kaas", await freePort(), directory);
await broker.start();
try {
  const client = await LoadClient.connect(broker.port);
  for (const step of steps) await guard(client, step);
  client.close();
} finally {
  await broker.stop();
  rmSync(directory, { recursive: true });
}
console.log("done");

async function guard(client: LoadClient, step: Step): Promise<void> {
  if (step.kind === "produce") await client.createTopic(step.topic, step.partitions, { "flush.messages": "1" });
  await runStep(client, step, WARM_UP);
  const heap = await heapOf(client, step);
  check(step.name, "heap bytes a request", heap.allocatedBytes);
  check(step.name, "full collections a thousand requests", heap.fullCollections * 1000);
  const calls = await systemCallsOf(client, step);
  if (calls === undefined) {
    console.log(`skip  ${step.name}: system calls: strace is not there, or may not be attached`);
    return;
  }
  check(step.name, "system calls a request", calls.all);
  check(step.name, "fsyncs a request", calls.fsyncs);
}

function check(step: string, name: string, value: number): void {
  const ceiling = ceilings[step]?.[name];
  const holds = ceiling !== undefined && value <= ceiling;
  console.log(`${holds ? "ok  " : "FAIL"}  ${step}: ${name}: ${value.toFixed(2)}, ceiling ${ceiling}`);
}

async function heapOf(client: LoadClient, step: Step): Promise<HeapCounts> {
  const log = join(directory, "server.log");
  const before = readFileSync(log, "utf8").length;
  let requests = 0;
  for (let left = step.kind === "fetch" ? FETCH_REPETITIONS : 1; left > 0; left--) {
    requests += await runStep(client, step, REQUESTS);
  }
  const { allocatedBytes, fullCollections } = heapCounts(readFileSync(log, "utf8").slice(before));
  return { allocatedBytes: allocatedBytes / requests, fullCollections: fullCollections / requests };
}

/** Per request; undefined where the kernel does not let us look. */
async function systemCallsOf(
  client: LoadClient,
  step: Step,
): Promise<{ readonly all: number; readonly fsyncs: number } | undefined> {
  if (spawnSync("strace", ["-V"]).error !== undefined) return undefined;
  const output = join(directory, "strace.out");
  const strace = spawn("strace", ["-f", "-c", "-o", output, "-p", String(broker.pid)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => strace.once("close", () => resolve()));
  const attached = await new Promise<boolean>((resolve) => {
    let said = "";
    strace.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes("attached")) resolve(true);
    });
    strace.once("close", () => resolve(false));
  });
  if (!attached) return undefined;
  const requests = await runStep(client, step, TRACED_REQUESTS);
  strace.kill("SIGINT");
  await ended;
  const counts = callsIn(readFileSync(output, "utf8"));
  const fsyncs = (counts.get("fdatasync") ?? 0) + (counts.get("fsync") ?? 0);
  // What threads of the pool say to each other depends on how busy the machine is.
  const all = [...counts].reduce((sum, [name, count]) => (name === "futex" ? sum : sum + count), 0);
  return { all: all / requests, fsyncs: fsyncs / requests };
}

/** Rows of `strace -c`: share, seconds, microseconds a call, calls, perhaps errors, name. */
function callsIn(summary: string): Map<string, number> {
  const rows = summary.matchAll(/^ *[\d.]+ +[\d.]+ +\d+ +(\d+) +(?:\d+ +)?(\w+)$/gm);
  const counts = new Map<string, number>();
  for (const [, count, name] of rows) if (name !== undefined && name !== "total") counts.set(name, Number(count));
  return counts;
}
