// What fails for one partition: it says so at once, nobody else notices, and it comes back when the cause is gone.
import { pause } from "../crash/actor.js";
import { CHANGES, type Fault } from "./fault-file.js";
import { Committer } from "./committer.js";
import { Producer } from "./producer.js";
import { until } from "../lib/until.js";
import type { Stage } from "./stage.js";

/** An error has to be told as soon as it is there, and not after the half minute that a silent disk is given. */
const TOLD_WITHIN_MS = 15_000;
/** Recovery is tried again after ten seconds at most; a busy machine is given time. */
const BACK_WITHIN_MS = 40_000;
const NOTICED_MS = 10_000;
const HELD_MS = 1_500;

export type PartitionRow = {
  readonly name: string;
  readonly topic: string;
  /** `files`: how the names of the partition's files begin that it concerns. */
  readonly fault: Omit<Fault, "path"> & { readonly files?: string };
};

/** Of segments; documents are written under other names. */
const SEGMENTS = "0000";

export const PARTITION_ROWS: readonly PartitionRow[] = [
  {
    name: "EIO, once, at a write",
    topic: "eio-write",
    fault: { calls: ["write"], files: SEGMENTS, error: "EIO", times: 1 },
  },
  {
    name: "EIO, once, at an fsync",
    topic: "eio-fsync",
    fault: { calls: ["sync"], files: SEGMENTS, error: "EIO", times: 1 },
  },
  {
    name: "EIO at every write and fsync",
    topic: "eio-all",
    fault: { calls: ["write", "sync"], files: SEGMENTS, error: "EIO" },
  },
  { name: "ENOSPC at writes", topic: "enospc-write", fault: { calls: ["write"], files: SEGMENTS, error: "ENOSPC" } },
  { name: "ENOSPC at fsyncs", topic: "enospc-fsync", fault: { calls: ["sync"], files: SEGMENTS, error: "ENOSPC" } },
  { name: "EROFS at every change", topic: "erofs", fault: { calls: CHANGES, error: "EROFS" } },
  { name: "EMFILE at every open", topic: "emfile", fault: { calls: ["open"], error: "EMFILE" } },
];

/** Segments end soon, so that files are opened as well. */
const CONFIGS = { "segment.ms": "200" };

/** Resolves with what was seen; throws what is wrong. */
export async function endure(stage: Stage, { topic, fault }: PartitionRow): Promise<string> {
  await stage.topic(topic, 2, CONFIGS);
  const victim = stage.use(new Producer({ topic, partition: 0 }));
  const neighbour = stage.use(new Producer({ topic, partition: 1 }));
  const committer = stage.use(new Committer(`group-${topic}`, topic));
  const all = [victim, neighbour, committer];
  await until("all clients are served", () => all.every(({ successes }) => successes > 5), BACK_WITHIN_MS);
  for (const client of all) client.resetClock();
  const injected = stage.inject({ ...fault, path: `/${topic}/0/${fault.files ?? ""}` });
  await until("the fault is met", () => injected.hits > 0, TOLD_WITHIN_MS);
  await until("the producer is told", () => victim.errorCount > 0, TOLD_WITHIN_MS);
  if (victim.slowestMs > TOLD_WITHIN_MS) throw new Error(`it was told after ${victim.slowestMs} ms`);
  await pause(HELD_MS);
  const before = { neighbour: neighbour.successes, committer: committer.successes };
  await until(
    "others are served meanwhile",
    () => neighbour.successes - before.neighbour >= 10 && committer.successes - before.committer >= 10,
    BACK_WITHIN_MS,
  );
  injected.lift();
  const served = victim.successes;
  const backMs = await until("it is served again", () => victim.successes > served + 5, BACK_WITHIN_MS);
  if (neighbour.errorCount + committer.errorCount > 0) throw new Error("others were told errors");
  const slowest = Math.max(neighbour.slowestMs, committer.slowestMs);
  if (slowest > NOTICED_MS) throw new Error(`others waited ${slowest} ms`);
  const codes = [...victim.errors].map(([code, count]) => `${count}× error ${code}`).join(", ");
  return `${codes}; back ${backMs.toFixed(0)} ms after`;
}
