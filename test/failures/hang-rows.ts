// A disk that does not answer for longer than a broker waits: 30 seconds.
import { readFileSync } from "node:fs";
import { pause } from "../crash/actor.js";
import { topicIds } from "../crash/topics.js";
import { Committer } from "./committer.js";
import { Flood } from "./flood.js";
import { Producer } from "./producer.js";
import { until } from "../lib/until.js";
import type { Stage } from "./stage.js";

const MIB = 1 << 20;
const REQUEST_TIMED_OUT = 7;
/** A stall is looked for every five seconds. */
const TOLD_WITHIN_MS = 60_000;
const BACK_WITHIN_MS = 40_000;
/** Nobody waits for so long who does not wait for the disk that hangs: far less than that, whatever else a machine does. */
const NOTICED_MS = 10_000;
/** Time for a hanging write to have taken everything with it that it can. */
const HELD_MS = 3_000;
const PULSE_MS = 200;
/** A disk's cache takes writes for a while when its fsyncs do not return any more. */
const HUNG_BEFORE_WRITES_MS = 300;
/** Beyond what a broker has when nothing hangs: what it lets wait, and what the garbage collector has not seen yet. */
const GROWTH_BYTES_MAX = 512 * MIB;

/** Fsyncs of one partition hang: its producers are told to try again, nobody else notices. */
export async function endureHungPartition(stage: Stage): Promise<string> {
  const topic = "hung";
  await stage.topic(topic, 2);
  const victim = stage.use(new Producer({ topic, partition: 0 }));
  const neighbour = stage.use(new Producer({ topic, partition: 1 }));
  const committer = stage.use(new Committer(`group-${topic}`, topic));
  await until("all are served", () => [victim, neighbour, committer].every((one) => one.successes > 5), BACK_WITHIN_MS);
  for (const client of [victim, neighbour, committer]) client.resetClock();
  const fault = stage.inject({ calls: ["sync"], path: `/${topic}/0/` });
  const toldMs = await until("the producer is told", () => victim.errorCount > 0, TOLD_WITHIN_MS);
  // Nobody else is let wait for so long.
  victim.resetClock();
  await until("it is told again", () => victim.errorCount > 3, NOTICED_MS);
  const others = Math.max(neighbour.slowestMs, committer.slowestMs);
  if (others > NOTICED_MS) throw new Error(`others waited ${others} ms`);
  if (neighbour.errorCount + committer.errorCount > 0) throw new Error("others were told errors");
  if ([...victim.errors.keys()].some((code) => code !== REQUEST_TIMED_OUT))
    throw new Error("it was told another error");
  if (!said(stage, "storage_stalled")) throw new Error("storage_stalled was not reported");
  const served = victim.successes;
  fault.lift();
  const backMs = await until("it is served again", () => victim.successes > served + 5, BACK_WITHIN_MS);
  return `told after ${(toldMs / 1_000).toFixed(0)} s, then at once; back ${backMs.toFixed(0)} ms after`;
}

/**
 * All of the disk hangs: first fsyncs, then, as when the cache is full, every other change. Everybody is told to try
 * again, however much is sent; the broker answers what needs no disk.
 */
export async function endureHungDisk(stage: Stage): Promise<string> {
  const topic = "hung-disk";
  const flooded = { topic: "flooded", partitions: 8, recordBytes: 256 * 1024 };
  await stage.topic(topic, 3);
  await stage.topic(flooded.topic, flooded.partitions);
  const producers = [0, 1, 2].map((partition) => stage.use(new Producer({ topic, partition })));
  await until("all are served", () => producers.every(({ successes }) => successes > 20), BACK_WITHIN_MS);
  const begin = stage.residentBytes;
  const path = `${stage.broker.directory}/data/`;
  const faults = [stage.inject({ calls: ["sync"], path })];
  await pause(HUNG_BEFORE_WRITES_MS);
  faults.push(stage.inject({ calls: ["write", "truncate", "names"], path }));
  const flood = new Flood(flooded).start(stage.broker.port);
  const pulse = new Pulse(stage);
  const told = until("all are told", () => producers.every(({ errorCount }) => errorCount > 3), TOLD_WITHIN_MS);
  await told.catch(() => undefined); // the broker is let go first
  const { slowestMs, highestBytes } = await pulse.stop();
  await flood.stop();
  const served = producers.map(({ successes }) => successes);
  for (const fault of faults) fault.lift();
  await told;
  const backMs = await until(
    "all are served again",
    () => producers.every(({ successes }, index) => successes > (served[index] ?? 0) + 5),
    BACK_WITHIN_MS,
  );
  const grown = `${mebibytes(highestBytes - begin)} MiB while ${mebibytes(flood.sentBytes)} MiB were sent`;
  if (highestBytes - begin > GROWTH_BYTES_MAX) throw new Error(`memory grew by ${grown}`);
  if (slowestMs > NOTICED_MS) throw new Error(`metadata took ${slowestMs.toFixed(0)} ms`);
  return `memory grew by ${grown}; metadata took ${slowestMs.toFixed(0)} ms at most; back ${backMs.toFixed(0)} ms after`;
}

/**
 * Writes hang with no sign of it before: of that the broker may have to wait for one, with all that it does. Nothing is
 * lost by it, or answered twice, and everybody is served when it is over.
 */
export async function endureHungWrites(stage: Stage): Promise<string> {
  const topic = "hung-writes";
  await stage.topic(topic, 2);
  const clients = [0, 1].map((partition) => stage.use(new Producer({ topic, partition })));
  await until("all are served", () => clients.every(({ successes }) => successes > 20), BACK_WITHIN_MS);
  const fault = stage.inject({ calls: ["write"], path: `/${topic}/0/` });
  await until("a write hangs", () => fault.hits > 0);
  await pause(HELD_MS);
  const served = clients.map(({ successes }) => successes);
  fault.lift();
  const backMs = await until(
    "all are served again",
    () => clients.every(({ successes }, index) => successes > (served[index] ?? 0) + 5),
    BACK_WITHIN_MS,
  );
  return `back ${backMs.toFixed(0)} ms after`;
}

/** Looks now and then whether a broker answers what needs no disk, and how much memory it has. */
class Pulse {
  #slowestMs = 0;
  #highestBytes = 0;
  #isStopping = false;
  readonly #ended: Promise<void>;

  constructor(stage: Stage) {
    this.#ended = this.#beat(stage);
  }

  async stop(): Promise<{ readonly slowestMs: number; readonly highestBytes: number }> {
    this.#isStopping = true;
    await this.#ended;
    return { slowestMs: this.#slowestMs, highestBytes: this.#highestBytes };
  }

  async #beat(stage: Stage): Promise<void> {
    while (!this.#isStopping) {
      const begin = performance.now();
      await Promise.race([stage.ask((client) => topicIds(client)), pause(2 * NOTICED_MS)]);
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - begin);
      this.#highestBytes = Math.max(this.#highestBytes, stage.residentBytes);
      await pause(PULSE_MS);
    }
  }
}

function mebibytes(bytes: number): string {
  return (bytes / MIB).toFixed(0);
}

function said(stage: Stage, what: string): boolean {
  return readFileSync(`${stage.broker.directory}/server.log`, "utf8").includes(what);
}
