// All that keeps a broker busy in these suites: each kind of producer, segments that roll, retention, deletion, commits,
// topics and configurations that change.
import { Prng } from "../bad-input/prng.js";
import type { WireClient } from "../lib/wire-client.js";
import type { Actor } from "./actor.js";
import { Committer } from "./committer.js";
import { ConfigChurn } from "./config-churn.js";
import { retentionProblem, Trimmer } from "./deletion.js";
import { KeyedWriter } from "./keyed-writer.js";
import type { Mark, Moment } from "./moment.js";
import { TopicChurn } from "./topic-churn.js";
import { awaitLeaders, createTopic } from "./topics.js";
import { Writer, type WriterOptions } from "./writer.js";

/** The smallest that Kafka allows. */
const SEGMENT_BYTES = String(1024 * 1024);
const RETENTION_BYTES = 400_000;
const RETAINED_RECORD_BYTES_MAX = 1000;
/** Five batches of twenty records. */
const RETAINED_IN_FLIGHT_BYTES = 5 * 20 * (RETAINED_RECORD_BYTES_MAX + 100);

/** Segments that roll by time as well hold little, so that there are many. */
const ROLLS = { "segment.bytes": SEGMENT_BYTES, "segment.ms": "300" };
const TOPICS: Readonly<Record<string, { partitions: number; configs: Readonly<Record<string, string>> }>> = {
  idempotent: { partitions: 3, configs: { "segment.bytes": SEGMENT_BYTES } },
  retrying: { partitions: 2, configs: { "segment.bytes": SEGMENT_BYTES } },
  plain: { partitions: 2, configs: ROLLS },
  retained: {
    partitions: 2,
    configs: { ...ROLLS, "retention.bytes": String(RETENTION_BYTES), "file.delete.delay.ms": "0" },
  },
  trimmed: { partitions: 2, configs: { ...ROLLS, "file.delete.delay.ms": "0" } },
  compacted: {
    partitions: 2,
    configs: {
      ...ROLLS,
      "cleanup.policy": "compact",
      "min.cleanable.dirty.ratio": "0.01",
      "delete.retention.ms": "500",
      "file.delete.delay.ms": "0",
    },
  },
  configured: { partitions: 1, configs: {} },
};

/** What a broker under this load is started with. */
export const BROKER_PROPERTIES: readonly string[] = [
  "group.initial.rebalance.delay.ms=0",
  "offsets.topic.num.partitions=5",
  "log.retention.check.interval.ms=300",
  "log.cleaner.backoff.ms=100",
];

export type LoadOptions = {
  readonly prng: Prng;
  /** Where a recorder of the broker is. */
  readonly mark?: Mark;
  /** On average between two steps of each; 0 for as fast as it goes. */
  readonly pauseMs: number;
  readonly recordBytesMax: number;
};

export class Load {
  readonly writers: readonly Writer[];
  readonly committers: readonly Committer[];
  readonly churn: TopicChurn;
  /** Names of the groups that commit. */
  readonly groups: readonly string[] = ["committers", "others"];
  readonly #actors: readonly Actor[];

  constructor({ prng, mark = () => 0, pauseMs, recordBytesMax }: LoadOptions) {
    const common = () => ({ prng: new Prng(prng.uint32()), mark, pauseMs });
    const writers = (topic: string, options: Partial<WriterOptions> = {}) =>
      Array.from({ length: TOPICS[topic]?.partitions ?? 0 }, (_, partition) => {
        const writer = { topic, partition, kind: "idempotent", recordBytesMax } as const;
        return new Writer({ ...common(), ...writer, ...options });
      });
    const trimmers = new Map<Writer, Trimmer>();
    const trimmed = writers("trimmed", {
      startProblem: (writer, log, moment) => trimmers.get(writer)?.startProblem(log, moment),
    });
    for (const writer of trimmed)
      trimmers.set(writer, new Trimmer(writer, { ...common(), pauseMs: 10 * pauseMs + 50 }));
    this.writers = [
      ...writers("idempotent", { hasLargeRecords: true }),
      ...writers("retrying", { kind: "retrying" }),
      ...writers("plain", { kind: "plain" }),
      ...writers("retained", {
        recordBytesMax: RETAINED_RECORD_BYTES_MAX,
        startProblem: retentionProblem(RETENTION_BYTES, RETAINED_IN_FLIGHT_BYTES),
      }),
      ...trimmed,
      ...Array.from(
        { length: TOPICS["compacted"]?.partitions ?? 0 },
        (_, partition) => new KeyedWriter({ ...common(), topic: "compacted", partition }),
      ),
    ];
    this.committers = this.groups.map(
      (group) => new Committer({ ...common(), pauseMs: pauseMs / 4, group, topic: "idempotent", partitions: 3 }),
    );
    this.churn = new TopicChurn(common());
    const configs = new ConfigChurn({ ...common(), topic: "configured", pauseMs: pauseMs + 20 });
    this.#actors = [...this.writers, ...trimmers.values(), ...this.committers, this.churn, configs];
  }

  /** Once, on a broker that has nothing. */
  async prepare(client: WireClient): Promise<void> {
    for (const [name, { partitions, configs }] of Object.entries(TOPICS)) {
      const { errorCode } = await createTopic(client, name, partitions, configs);
      if (errorCode !== 0) throw new Error(`${name} was refused with error ${errorCode}`);
    }
    await this.awaitLeaders(client);
  }

  async awaitLeaders(client: WireClient): Promise<void> {
    for (const name of Object.keys(TOPICS)) await awaitLeaders(client, name);
  }

  /** Resolves when all have stopped: they were told to, or the broker is gone. */
  async run(port: number): Promise<void> {
    await Promise.all(this.#actors.map((actor) => actor.run(port)));
  }

  stop(): void {
    for (const actor of this.#actors) actor.stop();
  }

  async problems(client: WireClient, moment: Moment): Promise<string[]> {
    const problems: string[] = [];
    for (const actor of this.#actors) problems.push(...(await actor.problems(client, moment)));
    return problems;
  }
}
