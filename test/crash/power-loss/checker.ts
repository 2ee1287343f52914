// Opens what a power loss has left, again and again, and holds it beside what clients were told.
import { BrokerConfig, KafkaBroker, type Log, type LogFields, silentLog } from "@kaas/core";
import { openVolume, systemClock, systemRandom } from "@kaas/storage";
import type { Keep, LosingFileSystem } from "../../../packages/kaas-storage/src/testing/losing-file-system.js";
import type { Prng } from "../../bad-input/prng.js";
import { WireClient } from "../../lib/wire-client.js";
import type { Load } from "../load.js";
import type { Moment } from "../moment.js";
import { contentOf, difference, ledTopics } from "./content.js";

/** Retention is not what is looked at: what the broker has is to stay as it was found. */
const PROPERTIES = {
  "node.id": "0",
  "offsets.topic.num.partitions": "5",
  "log.retention.check.interval.ms": "86400000",
};
/** Of the steps of a recovery: before one of them power is lost once more. */
const RECOVERY_STEPS_MAX = 400;

/** What is known of the broker whose power was lost. */
export type Known = {
  readonly load: Load;
  readonly moment: Moment;
  /** Whether the topics of the load had been made by then. */
  readonly isPrepared: boolean;
};

/** What is wrong with a volume that a power loss has left. */
export async function problemsOf(left: LosingFileSystem, known: Known, prng: Prng): Promise<string[]> {
  const fileSystem = prng.oneIn(3) ? await interrupted(left, prng) : left;
  let again: LosingFileSystem | undefined;
  const first = await look("the first opening", fileSystem, async (client) => {
    const problems = await problemsSeen(client, known);
    const content = await contentOf(client, known.load.groups);
    again = fileSystem.crashed(anyKeep(prng));
    return { problems, content };
  });
  if (typeof first === "string") return [first];
  if (first.problems.length > 0) return first.problems;
  const others = new Map([["after a clean end", fileSystem]]);
  if (again !== undefined) others.set("after power was lost again", again);
  for (const [name, volume] of others) {
    const content = await look(`opening ${name}`, volume, (client) => contentOf(client, known.load.groups));
    const changed = typeof content === "string" ? difference(first.content, content) : undefined;
    if (changed !== undefined) return [`${name} it is another: ${changed}`];
  }
  return [];
}

/** The same questions for a broker of whatever kind. */
export async function problemsSeen(client: WireClient, { load, moment, isPrepared }: Known): Promise<string[]> {
  await ledTopics(client);
  return isPrepared ? load.problems(client, moment) : [];
}

/** Begins a recovery, and loses power within it. */
async function interrupted(fileSystem: LosingFileSystem, prng: Prng): Promise<LosingFileSystem> {
  let stepsLeft = prng.integer(RECOVERY_STEPS_MAX);
  const keep = anyKeep(prng);
  let left: LosingFileSystem | undefined;
  fileSystem.before = (operation) => {
    if (operation === "read" || stepsLeft-- > 0) return;
    left ??= fileSystem.crashed(keep);
    throw Object.assign(new Error("the power is gone"), { code: "EIO" });
  };
  // However it ends, what counts is what it had made durable by then.
  await look("a recovery", fileSystem, async () => "");
  return left ?? fileSystem.crashed(keep);
}

function anyKeep(prng: Prng): Keep {
  switch (prng.integer(3)) {
    case 0:
      return () => 0;
    case 1:
      return (_, count) => count;
    default:
      return (_, count) => prng.integer(count + 1);
  }
}

/** A broker of this process on that file system, for as long as it is looked at; or why there is none. */
async function look<Result>(
  what: string,
  fileSystem: LosingFileSystem,
  use: (client: WireClient) => Promise<Result>,
): Promise<Result | string> {
  const told: string[] = [];
  try {
    return await withBroker(fileSystem, logInto(told), use);
  } catch (error) {
    return [`${what}: ${(error as Error).message}`, ...told.slice(-2)].join("; the broker says: ");
  }
}

/** Keeps what a broker says when something is wrong. */
function logInto(lines: string[]): Log {
  const keep = (fields: LogFields, message: string) => {
    const cause = fields["err"] instanceof Error ? `: ${fields["err"].message}` : "";
    lines.push(`${message}${cause}`);
  };
  return { ...silentLog, warn: keep, error: keep };
}

async function withBroker<Result>(
  fileSystem: LosingFileSystem,
  log: Log,
  use: (client: WireClient) => Promise<Result>,
): Promise<Result> {
  const config = new BrokerConfig(PROPERTIES);
  const common = { clock: systemClock, random: systemRandom, log };
  const volume = await openVolume({
    ...common,
    directory: "/data",
    fileSystem,
    slotCount: config.number("offsets.topic.num.partitions"),
    retentionCheckIntervalMs: config.number("log.retention.check.interval.ms"),
    usableBytesMin: 0,
  });
  try {
    const broker = new KafkaBroker({
      ...common,
      config,
      listeners: [{ name: "PLAINTEXT", host: "127.0.0.1", port: 0 }],
      logs: volume.logs,
      journals: volume.slotJournals,
      files: volume.files,
      catalog: volume.topics,
      admin: volume.topics,
    });
    await broker.start();
    try {
      return await withClient(broker.endpoints[0]?.port ?? 0, use);
    } finally {
      await broker.close();
    }
  } finally {
    await volume.close();
  }
}

export async function withClient<Result>(port: number, use: (client: WireClient) => Promise<Result>): Promise<Result> {
  const client = await WireClient.connectWhenUp(port);
  try {
    return await use(client);
  } finally {
    client.close();
  }
}
