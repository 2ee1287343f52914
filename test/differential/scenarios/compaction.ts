import { loadCodec } from "../../../packages/kaas-core/src/records/compression/compression.js";
import type { Context, Message, Scenario } from "../context.js";
import { append, BASE_TIME, batch, type BatchOptions, buildBatch, FETCH, fetchOf } from "./requests.js";

type Keyed = readonly [key: string | null, value: string | null];

const PRODUCER_ID = 4711;
/** So near that it is taken for the present: it is counted from when the broker compacts. */
const DELETE_RETENTION_MS = "60000";
const QUIET_MS = 2_000;

/** What a compaction leaves, batch by batch. Both brokers compact at once what was appended under another policy. */
export const compaction: Scenario = {
  name: "compaction",
  async run(context) {
    const topic = await context.topic("t", {
      configs: {
        "cleanup.policy": "delete",
        "retention.ms": "-1",
        "segment.ms": "1",
        "min.cleanable.dirty.ratio": "0",
        "delete.retention.ms": DELETE_RETENTION_MS,
      },
    });
    const writer = new Writer(context, topic);
    await firstRound(writer);
    await writer.compact("first", "a0");
    await secondRound(writer);
    await writer.compact("second", "a1");
    const topicId = context.topicId(topic);
    for (let offset = 0; offset < 12; offset++) {
      const wish = { topicId, offset, partitionMaxBytes: 1 };
      await context.call(`from ${offset}`, "Fetch", 12, fetchOf(topic, wish));
    }
    for (const time of [0, 3_000, 3_001, 7_500, 20_000, -1, -2, -3]) {
      const timestamp = time < 0 ? time : BASE_TIME + time;
      const partitions = [{ partitionIndex: 0, currentLeaderEpoch: -1, timestamp }];
      await context.call(`time ${time}`, "ListOffsets", 7, {
        replicaId: -1,
        isolationLevel: 0,
        topics: [{ name: topic, partitions }],
      });
    }
    const refused = buildBatch([{ value: Buffer.from("no key"), timestamp: BASE_TIME }]);
    const partitionData = [{ index: 0, records: refused }];
    await context.call("no key", "Produce", 12, {
      transactionalId: null,
      acks: -1,
      timeoutMs: 5000,
      topicData: [{ name: topic, partitionData }],
    });
  },
};

async function firstRound(writer: Writer): Promise<void> {
  await writer.append([
    ["a", "a0"],
    ["b", "b0"],
    ["c", "c0"],
  ]);
  for (const compression of Object.values(batch.Compression)) {
    await loadCodec(compression);
    await writer.append(
      [
        ["a", `a of codec ${compression}`],
        [`codec ${compression}`, "x".repeat(200)],
        ["b", `b of codec ${compression}`],
      ],
      { compression },
    );
  }
  await writer.append([[null, "from before"]]);
  await writer.append([
    [null, "from before"],
    ["d", "d0"],
  ]);
  const sequenced = { producerId: PRODUCER_ID, producerEpoch: 3 };
  await writer.append([["e", "e0"]], { ...sequenced, baseSequence: 0 });
  await writer.append(
    [
      ["f", "f0"],
      ["f", "f1"],
    ],
    { ...sequenced, baseSequence: 1 },
  );
  await writer.append([
    ["f", "f2"],
    ["e", null],
  ]);
  await writer.append([
    ["g", "g0"],
    ["g", null],
    ["h", "h0"],
  ]);
  await writer.append([["i", null]]);
  await writer.append([["", "an empty key"]]);
  await writer.append([["a", "a1"]]);
  await writer.append([["a", "a2"]]);
}

async function secondRound(writer: Writer): Promise<void> {
  await writer.append([["d", "d1"]], { producerId: PRODUCER_ID, producerEpoch: 3, baseSequence: 3 });
  await writer.append([
    ["h", null],
    ["a", "a3"],
  ]);
  await writer.append([["b", null]]);
  await writer.append([["a", "a4"]]);
}

/** Appends batches whose times are so far apart that each closes the segment before. */
class Writer {
  readonly #context: Context;
  readonly #topic: string;
  #time = BASE_TIME;

  constructor(context: Context, topic: string) {
    this.#context = context;
    this.#topic = topic;
  }

  async append(records: readonly Keyed[], options: BatchOptions = {}): Promise<void> {
    this.#time += 1_000;
    const bytes = buildBatch(
      records.map(([key, value], index) => ({
        key: key === null ? null : Buffer.from(key),
        value: value === null ? null : Buffer.from(value),
        timestamp: this.#time + index,
      })),
      options,
    );
    await append(this.#context, this.#topic, bytes);
  }

  /** Lets the topic be compacted until a value is gone and nothing changes any more, and keeps what is left. */
  async compact(label: string, goes: string): Promise<void> {
    await this.#policy("compact");
    await this.#context.until(`the ${label} compaction`, async () => !(await this.#content()).includes(goes));
    let before: Buffer = Buffer.alloc(0);
    await this.#context.until("quiet", async () => {
      const now = await this.#content();
      const isQuiet = now.equals(before);
      before = now;
      if (!isQuiet) await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      return isQuiet;
    });
    await this.#policy("delete");
    await this.#context.call(label, "Fetch", 12, fetchOf(this.#topic));
  }

  async #content(): Promise<Buffer> {
    const request = { ...FETCH, ...fetchOf(this.#topic) };
    const { responses } = await this.#context.quiet("Fetch", request, 12);
    return (responses[0].partitions[0].records as Buffer | null) ?? Buffer.alloc(0);
  }

  async #policy(value: string): Promise<void> {
    const configs = [{ name: "cleanup.policy", configOperation: 0, value }];
    const resources = [{ resourceType: 2, resourceName: this.#topic, configs }];
    const answer: Message = await this.#context.quiet("IncrementalAlterConfigs", { resources, validateOnly: false });
    if (answer.responses[0].errorCode !== 0) throw new Error(`cleanup.policy: ${answer.responses[0].errorCode}`);
  }
}
