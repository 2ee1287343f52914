import { loadCodec } from "../../../packages/kaas-core/src/records/compression/compression.js";
import { requestFrame } from "../../../packages/kaas-core/test/fakes/raw-client.js";
import { versionsOf } from "../apis.js";
import type { Context, Message, Scenario } from "../context.js";
import {
  BASE_TIME,
  batch,
  buildBatch,
  changed,
  fetchOf,
  type ProduceWish,
  produce,
  records,
  STRANGE_ID,
  ZERO_ID,
} from "./requests.js";

/** Asks with every version, each case with a topic of its own, and looks at what is in the log afterwards. */
async function ask(
  context: Context,
  label: string,
  bytes: Buffer | null,
  wish: ProduceWish = {},
  versions = {},
): Promise<void> {
  const topic = await context.topic(label.replace(/-(?=\d)/g, "minus").replace(/[^a-zA-Z0-9]+/g, "-"));
  const topicId = context.topicId(topic);
  await context.eachVersion(label, "Produce", produce(topic, bytes, { topicId, ...wish }), versions);
  if (wish.acks === 1) await allVisible(context, topic);
  await context.call(`${label}: the log`, "Fetch", 17, fetchOf(topic, { topicId }));
}

/** Records that were answered when they were written become visible when they are durable. */
async function allVisible(context: Context, name: string): Promise<void> {
  const latest = { replicaId: -1, topics: [{ name, partitions: [{ partitionIndex: 0, timestamp: -1 }] }] };
  await context.until("all is visible", async () => {
    const { topics } = await context.quiet("ListOffsets", latest, 5);
    return topics[0].partitions[0].offset === versionsOf("Produce").length;
  });
}

/** What is right, and what is wrong with the request around the records. */
export const produceRequests: Scenario = {
  name: "produce",
  async run(context) {
    await ask(context, "one record", records());
    await ask(context, "ten records", records(10));
    await ask(context, "acks 1", records(), { acks: 1 });
    for (const acks of [2, -2, 127]) await ask(context, `acks ${acks}`, records(), { acks });
    for (const partition of [-1, 1, 99]) await ask(context, `partition ${partition}`, records(), { partition });
    await ask(context, "with a transactional id", records(), { transactionalId: "x" });
    const transactional = records(1, {
      isTransactional: true,
      producerId: 4_000_000,
      producerEpoch: 0,
      baseSequence: 0,
    });
    await ask(context, "transactional, as nobody was given the id", transactional, { transactionalId: "x" });
    const topic = await context.topic("t", { partitions: 2 });
    await unknownTopics(context);
    await severalPartitions(context, topic, context.topicId(topic));
    await context.eachVersion("no topics", "Produce", { transactionalId: null, acks: -1, timeoutMs: 1, topicData: [] });
    await withoutAnswer(context);
  },
};

async function unknownTopics(context: Context): Promise<void> {
  for (const name of ["nowhere", "a b", "", "x".repeat(250)]) {
    const topic = name === "nowhere" ? context.named(name) : name;
    await context.eachVersion(`topic '${name.slice(0, 9)}' of ${name.length}`, "Produce", produce(topic, records()), {
      to: 12,
    });
  }
  for (const [word, topicId] of [
    ["unknown id", STRANGE_ID],
    ["no id", ZERO_ID],
  ] as const) {
    await context.eachVersion(word, "Produce", produce("", records(), { topicId }), { from: 13 });
  }
}

async function severalPartitions(context: Context, topic: string, topicId: string): Promise<void> {
  const partitionData = [0, 1, 7].map((index) => ({ index, records: records(2) }));
  const topicData = [
    { name: topic, topicId, partitionData },
    { name: context.named("none"), topicId: STRANGE_ID, partitionData },
  ];
  await context.eachVersion("good beside bad", "Produce", {
    transactionalId: null,
    acks: -1,
    timeoutMs: 1000,
    topicData,
  });
  const twice = [{ name: topic, topicId, partitionData: [partitionData[0], partitionData[0]] }];
  await context.call("a partition twice", "Produce", 12, {
    transactionalId: null,
    acks: -1,
    timeoutMs: 1000,
    topicData: twice,
  });
}

/** acks=0 has no answer; what goes wrong closes the connection. */
async function withoutAnswer(context: Context): Promise<void> {
  const topic = await context.topic("acks-0");
  const topicId = context.topicId(topic);
  for (const version of [3, 9, 13]) {
    const frame = (partition: number): Buffer =>
      requestFrame(0, version, 5, produce(topic, records(), { topicId, partition, acks: 0 }));
    await context.frames(`acks 0 v${version}`, frame(0));
    await context.frames(`acks 0, unknown partition v${version}`, frame(9));
    await context.frames(`acks 0, after another v${version}`, frame(0), frame(0));
  }
}

/** Batches that are wrong in themselves. */
export const produceBatches: Scenario = {
  name: "produce batches",
  async run(context) {
    await loadCodec(batch.Compression.ZSTD);
    const good = records(3);
    await ask(context, "null records", null, {}, { from: 12, to: 12 });
    await ask(context, "no bytes", Buffer.alloc(0));
    await ask(context, "a few bytes", Buffer.alloc(10));
    await ask(context, "zeroes", Buffer.alloc(80));
    await ask(context, "two batches", Buffer.concat([good, good]));
    await ask(context, "bytes behind the batch", Buffer.concat([good, Buffer.from([1, 2, 3])]));
    await ask(context, "a cut batch behind the batch", Buffer.concat([good, good.subarray(0, 70)]));
    await ask(context, "cut off", good.subarray(0, good.length - 5));
    await ask(context, "cut off in the header", good.subarray(0, 40));
    for (const [name, compression] of Object.entries(batch.Compression))
      await ask(context, `codec ${name}`, records(3, { compression }));
    for (const codec of [5, 6, 7])
      await ask(
        context,
        `codec ${codec}`,
        changed(good, (bytes) => batch.setAttributes(bytes, 0, codec)),
      );
    await headerFields((label, bytes) => ask(context, label, bytes), good);
  },
};

async function headerFields(ask: (label: string, bytes: Buffer) => Promise<void>, good: Buffer): Promise<void> {
  await ask(
    "wrong checksum",
    changed(good, (bytes) => batch.setCrc(bytes, 0, 1), { reseal: false }),
  );
  await ask(
    "a flipped bit",
    changed(good, (bytes) => void bytes.writeUInt8(0x55, 65), { reseal: false }),
  );
  for (const magic of [0, 1, 3, -1])
    await ask(
      `magic ${magic}`,
      changed(good, (bytes) => void bytes.writeInt8(magic, 16)),
    );
  await ask("control batch", records(1, { isControl: true }));
  await ask("transactional", records(1, { isTransactional: true }));
  await ask(
    "transactional with producer id",
    records(1, { isTransactional: true, producerId: 1, producerEpoch: 0, baseSequence: 0 }),
  );
  await ask("LogAppendTime set by the client", records(1, { logAppendTime: BASE_TIME }));
  await ask(
    "delete horizon set",
    changed(good, (bytes) => batch.setAttributes(bytes, 0, 0x40)),
  );
  await ask(
    "unknown attributes",
    changed(good, (bytes) => batch.setAttributes(bytes, 0, 0x80)),
  );
  await ask("base offset 7", records(3, { baseOffset: 7 }));
  await ask("leader epoch 9", records(3, { leaderEpoch: 9 }));
  await ask(
    "a length too small",
    changed(good, (bytes) => batch.setBatchSize(bytes, 0, 40), { reseal: false }),
  );
  await ask(
    "a length too large",
    changed(good, (bytes) => batch.setBatchSize(bytes, 0, 5000), { reseal: false }),
  );
  await ask(
    "a negative length",
    changed(good, (bytes) => batch.setBatchSize(bytes, 0, -5), { reseal: false }),
  );
  for (const count of [0, 1, 2, 4, -1])
    await ask(
      `count ${count} of 3`,
      changed(good, (bytes) => batch.setRecordCount(bytes, 0, count)),
    );
  for (const delta of [0, 1, 3, -1])
    await ask(
      `last offset delta ${delta} of 3`,
      changed(good, (bytes) => void bytes.writeInt32BE(delta, 23)),
    );
  const both = (count: number): Buffer =>
    changed(good, (bytes) => {
      batch.setRecordCount(bytes, 0, count);
      bytes.writeInt32BE(count - 1, 23);
    });
  for (const count of [2, 4]) await ask(`count ${count} and delta of 3`, both(count));
  await ask(
    "max timestamp too small",
    changed(good, (bytes) => batch.setMaxTimestamp(bytes, 0, BASE_TIME - 5)),
  );
  await ask(
    "max timestamp -1",
    changed(good, (bytes) => batch.setMaxTimestamp(bytes, 0, -1)),
  );
  const gaps = [{ offsetDelta: 0 }, { offsetDelta: 2 }].map((record) => ({ ...record, timestamp: BASE_TIME }));
  await ask("gaps between offsets", buildBatch(gaps));
  await ask("offsets backwards", buildBatch([{ offsetDelta: 1 }, { offsetDelta: 0 }]));
  await ask("no time", buildBatch([{ value: Buffer.from("v"), timestamp: -1 }]));
  await ask("negative times", buildBatch([{ timestamp: -2 }]));
  await ask(
    "headers",
    buildBatch([
      {
        timestamp: BASE_TIME,
        headers: [
          { key: "h", value: null },
          { key: "", value: Buffer.from("x") },
        ],
      },
    ]),
  );
}

export const idempotence: Scenario = {
  name: "idempotence",
  async run(context) {
    const topic = await context.topic("t");
    const { producerId } = await context.quiet("InitProducerId", { transactionalId: null, transactionTimeoutMs: 0 });
    const { producerId: other } = await context.quiet("InitProducerId", {
      transactionalId: null,
      transactionTimeoutMs: 0,
    });
    let version = 3;
    const ask = async (
      label: string,
      id: number,
      producerEpoch: number,
      baseSequence: number,
      count = 1,
    ): Promise<void> => {
      version = version === 13 ? 3 : version + 1;
      const bytes = records(count, { producerId: id, producerEpoch, baseSequence });
      await context.call(label, "Produce", version, produce(topic, bytes, { topicId: context.topicId(topic) }));
    };
    await ask("first", producerId, 0, 0, 2);
    await ask("the same again", producerId, 0, 0, 2);
    await ask("the same sequence, another count", producerId, 0, 0, 1);
    await ask("next", producerId, 0, 2, 3);
    await ask("a gap", producerId, 0, 9);
    await ask("an older one again", producerId, 0, 0, 2);
    for (let i = 0; i < 6; i++) await ask(`more ${i}`, producerId, 0, 5 + i);
    await ask("one that fell out of memory", producerId, 0, 0, 2);
    await ask("one of five", producerId, 0, 6);
    await ask("a new epoch, not at 0", producerId, 1, 5);
    await ask("a new epoch", producerId, 1, 0);
    await ask("the old epoch", producerId, 0, 11);
    await ask("an epoch later", producerId, 5, 0);
    await ask("negative epoch", producerId, -1, 1);
    await ask("negative sequence", producerId, 5, -1);
    await ask("sequence -2", producerId, 5, -2);
    await ask("unknown producer, not at 0", other, 0, 5);
    await ask("sequence at its end", other, 0, 2147483646, 2);
    await ask("sequence around its end", other, 0, 0, 1);
    await ask("producer id that nobody was given", 987_654_321, 3, 0);
    await ask("negative producer id", -5, 0, 0);
    await wrap(context, topic);
    await context.eachVersion("what is in the log", "Fetch", fetchOf(topic, { topicId: context.topicId(topic) }), {
      from: 17,
    });
  },
};

/** Sequences go on at 0 after 2^31-1. */
async function wrap(context: Context, topic: string): Promise<void> {
  const { producerId } = await context.quiet("InitProducerId", { transactionalId: null, transactionTimeoutMs: 0 });
  const sequences: readonly (readonly [number, number])[] = [
    [2147483640, 4],
    [2147483644, 4],
    [0, 2],
    [2147483644, 4],
    [0, 2],
    [5, 1],
  ];
  for (const [place, [baseSequence, count]] of sequences.entries()) {
    const bytes = records(count, { producerId, producerEpoch: 0, baseSequence });
    await context.call(`wrap, step ${place}`, "Produce", 12, produce(topic, bytes, {}));
  }
}

/** What a topic's configs ask of records. */
export const produceConfigs: Scenario = {
  name: "produce configs",
  async run(context) {
    await loadCodec(batch.Compression.ZSTD);
    const now = Date.now();
    const times: readonly (readonly [string, number])[] = [
      ["now", now],
      ["an hour old", now - 3_600_000],
      ["in two hours", now + 7_200_000],
      ["no time", -1],
    ];
    for (const [config, value] of TIME_CONFIGS) {
      const topic = await context.topic(`${config}-${value}`.replaceAll(".", "-").slice(0, 60), {
        configs: { [config]: value },
      });
      for (const [word, time] of times) {
        await context.call(`${config}=${value}, ${word}`, "Produce", 12, produce(topic, records(2, {}, time)));
      }
    }
    await appendTime(context);
    await compression(context);
    await compacted(context);
    await sizes(context);
  },
};

const TIME_CONFIGS: readonly (readonly [string, string])[] = [
  ["message.timestamp.before.max.ms", "60000"],
  ["message.timestamp.after.max.ms", "60000"],
  ["message.timestamp.before.max.ms", "0"],
  ["message.timestamp.type", "CreateTime"],
];

async function appendTime(context: Context): Promise<void> {
  const topic = await context.topic("append-time", { configs: { "message.timestamp.type": "LogAppendTime" } });
  const topicId = context.topicId(topic);
  await context.eachVersion("LogAppendTime", "Produce", produce(topic, records(2), { topicId }));
  await context.call("LogAppendTime, gzip", "Produce", 12, produce(topic, records(2, { compression: 1 }), { topicId }));
  await context.call("LogAppendTime, no time", "Produce", 12, produce(topic, records(2, {}, -20), { topicId }));
  await context.call("LogAppendTime in the log", "Fetch", 17, fetchOf(topic, { topicId }));
}

async function compression(context: Context): Promise<void> {
  for (const type of ["gzip", "snappy", "lz4", "zstd", "uncompressed", "producer"]) {
    const topic = await context.topic(type, { configs: { "compression.type": type } });
    const topicId = context.topicId(topic);
    for (const [name, codec] of Object.entries(batch.Compression)) {
      await context.call(
        `${name} to ${type}`,
        "Produce",
        12,
        produce(topic, records(3, { compression: codec }), { topicId }),
      );
    }
    await context.call(`${type} in the log`, "Fetch", 17, fetchOf(topic, { topicId }));
    await context.call(`${type} in the log, old client`, "Fetch", 9, fetchOf(topic, { topicId }));
  }
}

async function compacted(context: Context): Promise<void> {
  const topic = await context.topic("compacted", { configs: { "cleanup.policy": "compact" } });
  const topicId = context.topicId(topic);
  const keyless = buildBatch([
    { key: Buffer.from("k"), timestamp: BASE_TIME },
    { value: Buffer.from("v"), timestamp: BASE_TIME },
  ]);
  await context.eachVersion("keyless on compacted", "Produce", produce(topic, keyless, { topicId }));
  await context.eachVersion("keys on compacted", "Produce", produce(topic, records(2), { topicId }));
  const gzip = buildBatch([{ value: Buffer.from("v"), timestamp: BASE_TIME }], { compression: 1 });
  await context.eachVersion("keyless and compressed on compacted", "Produce", produce(topic, gzip, { topicId }));
}

async function sizes(context: Context): Promise<void> {
  const topic = await context.topic("small", { configs: { "max.message.bytes": "500", "segment.bytes": "1048576" } });
  const topicId = context.topicId(topic);
  const ofSize = (size: number): Buffer => buildBatch([{ timestamp: BASE_TIME, value: Buffer.alloc(size - 61 - 9) }]);
  for (const size of [499, 500, 501, 2000]) {
    const bytes = ofSize(size);
    const message: Message = produce(topic, bytes, { topicId });
    await context.eachVersion(`a batch of ${bytes.length} bytes where 500 are allowed`, "Produce", message, {
      from: 9,
    });
  }
  const gzip = buildBatch([{ timestamp: BASE_TIME, value: Buffer.alloc(3000) }], { compression: 1 });
  await context.call("large until compressed", "Produce", 12, produce(topic, gzip, { topicId }));
}

/** Broker-wide defaults: LogAppendTime, message.max.bytes=20000, cleanup.policy=compact. */
export const strictProduce: Scenario = {
  name: "strict produce",
  async run(context) {
    await context.eachVersion("unknown topic", "Produce", produce(context.named("nowhere"), records()), { to: 12 });
    const topic = await context.topic("t", { partitions: 3 });
    const topicId = context.topicId(topic);
    const large = buildBatch([{ key: Buffer.from("k"), timestamp: BASE_TIME, value: Buffer.alloc(30_000) }]);
    await context.eachVersion("small", "Produce", produce(topic, records(), { topicId }));
    await context.eachVersion("large", "Produce", produce(topic, large, { topicId }));
    await context.eachVersion(
      "keyless",
      "Produce",
      produce(topic, buildBatch([{ timestamp: BASE_TIME }]), { topicId }),
    );
  },
};
