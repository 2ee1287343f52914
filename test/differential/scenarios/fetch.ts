import type { Context, Message, Scenario } from "../context.js";
import { append, BASE_TIME, buildBatch, FETCH, fetchOf, records, STRANGE_ID, ZERO_ID } from "./requests.js";

/** A topic of two partitions; the first has ten batches of two records. */
async function filledTopic(context: Context, name: string): Promise<string> {
  const topic = await context.topic(name, { partitions: 2 });
  for (let i = 0; i < 10; i++) await append(context, topic, records(2, {}, BASE_TIME + i * 1000));
  return topic;
}

export const fetch: Scenario = {
  name: "fetch",
  async run(context) {
    const topic = await filledTopic(context, "t");
    const topicId = context.topicId(topic);
    await context.eachVersion("from the start", "Fetch", fetchOf(topic, { topicId }));
    for (const offset of [1, 7, 20, 21, 1000, -1, -2, -5])
      await context.eachVersion(`offset ${offset}`, "Fetch", fetchOf(topic, { topicId, offset }));
    for (const partition of [1, 2, -1])
      await context.eachVersion(`partition ${partition}`, "Fetch", fetchOf(topic, { topicId, partition }));
    await limits(context, topic, topicId);
    await requests(context, topic, topicId);
    await epochs(context, topic, topicId);
    await unknown(context, topic, topicId);
  },
};

async function limits(context: Context, topic: string, topicId: string): Promise<void> {
  for (const partitionMaxBytes of [0, -1, 1, 100, 200]) {
    await context.eachVersion(
      `partition of ${partitionMaxBytes} bytes`,
      "Fetch",
      fetchOf(topic, { topicId, partitionMaxBytes }),
    );
  }
  for (const maxBytes of [0, -1, 1, 100, 200, 2147483647]) {
    await context.eachVersion(`${maxBytes} bytes`, "Fetch", fetchOf(topic, { topicId, request: { maxBytes } }));
  }
  for (const minBytes of [-1, 1, 1 << 20]) {
    await context.eachVersion(
      `at least ${minBytes} bytes`,
      "Fetch",
      fetchOf(topic, { topicId, request: { minBytes, maxWaitMs: 10 } }),
    );
  }
  const both = [0, 1].map((partition) => ({ partition, fetchOffset: 0, partitionMaxBytes: 150 }));
  await context.eachVersion("two partitions", "Fetch", { ...FETCH, topics: [{ topic, topicId, partitions: both }] });
  const twice = [both[0], both[0]];
  await context.call("a partition twice", "Fetch", 12, { ...FETCH, topics: [{ topic, topicId, partitions: twice }] });
}

async function requests(context: Context, topic: string, topicId: string): Promise<void> {
  for (const isolationLevel of [1, 2, -1]) {
    await context.eachVersion(
      `isolation ${isolationLevel}`,
      "Fetch",
      fetchOf(topic, { topicId, request: { isolationLevel } }),
    );
  }
  await context.eachVersion("no topics", "Fetch", FETCH);
  await context.eachVersion("rack", "Fetch", fetchOf(topic, { topicId, request: { rackId: "a" } }), { from: 11 });
  await context.eachVersion(
    "negative wait",
    "Fetch",
    fetchOf(topic, { topicId, request: { maxWaitMs: -1, minBytes: 1 } }),
  );
  await context.eachVersion("cluster id", "Fetch", fetchOf(topic, { topicId, request: { clusterId: "another" } }), {
    from: 12,
  });
  await context.eachVersion(
    "as a debugging consumer",
    "Fetch",
    fetchOf(topic, { topicId, request: { replicaId: -2, replicaState: { replicaId: -2, replicaEpoch: -1 } } }),
  );
}

async function epochs(context: Context, topic: string, topicId: string): Promise<void> {
  for (const currentLeaderEpoch of [0, 1, 99, -2]) {
    await context.eachVersion(
      `leader epoch ${currentLeaderEpoch}`,
      "Fetch",
      fetchOf(topic, { topicId, currentLeaderEpoch, offset: 18 }),
      { from: 9 },
    );
  }
  for (const lastFetchedEpoch of [0, 1, 99]) {
    for (const offset of [18, 20, 25]) {
      await context.eachVersion(
        `last fetched epoch ${lastFetchedEpoch} at ${offset}`,
        "Fetch",
        fetchOf(topic, { topicId, lastFetchedEpoch, offset }),
        { from: 12 },
      );
    }
  }
}

async function unknown(context: Context, topic: string, topicId: string): Promise<void> {
  await context.eachVersion("unknown topic", "Fetch", fetchOf(context.named("none")), { to: 12 });
  await context.eachVersion("invalid topic", "Fetch", fetchOf("a b"), { to: 12 });
  await context.eachVersion("unknown id", "Fetch", fetchOf("", { topicId: STRANGE_ID }), { from: 13 });
  await context.eachVersion("no id", "Fetch", fetchOf("", { topicId: ZERO_ID }), { from: 13 });
  const partitions = [{ partition: 0, fetchOffset: 18, partitionMaxBytes: 1000 }];
  const topics = [
    { topic, topicId, partitions },
    { topic: context.named("none"), topicId: STRANGE_ID, partitions },
  ];
  await context.eachVersion("known and unknown", "Fetch", { ...FETCH, topics });
}

/** KIP-227: what a session remembers, sends again and refuses. */
export const fetchSessions: Scenario = {
  name: "fetch sessions",
  async run(context) {
    const topic = await filledTopic(context, "t");
    const topicId = context.topicId(topic);
    for (const version of [7, 11, 12, 13, 18]) await session(context, topic, topicId, version);
    await errors(context, topic, topicId);
    await unknownInSession(context, topic, topicId);
  },
};

async function session(context: Context, topic: string, topicId: string, version: number): Promise<void> {
  const partition = (index: number, fetchOffset: number): Message => ({
    partition: index,
    fetchOffset,
    partitionMaxBytes: 120,
  });
  const ask = async (
    label: string,
    sessionId: number,
    sessionEpoch: number,
    partitions: Message[],
    rest: Message = {},
  ): Promise<Message> => {
    const topics = partitions.length === 0 ? [] : [{ topic, topicId, partitions }];
    return context.call(`session of v${version}: ${label}`, "Fetch", version, {
      ...FETCH,
      sessionId,
      sessionEpoch,
      topics,
      ...rest,
    });
  };
  const { sessionId } = await ask("opened", 0, 0, [partition(0, 0), partition(1, 0)]);
  await ask("nothing changed", sessionId, 1, []);
  await ask("another offset", sessionId, 2, [partition(0, 18)]);
  await ask("at the end", sessionId, 3, [partition(0, 20)]);
  await ask("nothing new", sessionId, 4, []);
  await ask("out of range", sessionId, 5, [partition(0, 99)]);
  await ask("still out of range", sessionId, 6, []);
  await ask("forgotten", sessionId, 7, [], { forgottenTopicsData: [{ topic, topicId, partitions: [0] }] });
  await ask("forgotten again", sessionId, 8, [], { forgottenTopicsData: [{ topic, topicId, partitions: [0, 5] }] });
  await ask("added again", sessionId, 9, [partition(0, 18)]);
  await ask("an epoch left out", sessionId, 12, []);
  await ask("the epoch before", sessionId, 9, []);
  await ask("goes on", sessionId, 10, []);
  await ask("closed", sessionId, -1, [partition(0, 18)]);
  await ask("after that", sessionId, 11, []);
}

async function errors(context: Context, topic: string, topicId: string): Promise<void> {
  const request = (sessionId: number, sessionEpoch: number): Message =>
    fetchOf(topic, { topicId, offset: 18, request: { sessionId, sessionEpoch } });
  for (const [sessionId, epoch] of [
    [0, 5],
    [777, 0],
    [777, 1],
    [777, -1],
    [-1, 0],
    [0, -2],
    [777, -2],
  ] as const) {
    await context.eachVersion(`session ${sessionId}, epoch ${epoch}`, "Fetch", request(sessionId, epoch), { from: 7 });
  }
}

async function unknownInSession(context: Context, topic: string, topicId: string): Promise<void> {
  const partitions = [{ partition: 0, fetchOffset: 18, partitionMaxBytes: 1000 }];
  const topics = [
    { topic, topicId, partitions },
    { topic: context.named("none"), topicId: STRANGE_ID, partitions },
  ];
  for (const version of [12, 13, 17]) {
    const { sessionId } = await context.call("unknown topic in a new session", "Fetch", version, {
      ...FETCH,
      sessionId: 0,
      sessionEpoch: 0,
      topics,
    });
    await context.call("unknown topic in a session, again", "Fetch", version, {
      ...FETCH,
      sessionId,
      sessionEpoch: 1,
      topics: [],
    });
  }
  const { sessionId } = await context.quiet(
    "Fetch",
    { ...FETCH, sessionId: 0, sessionEpoch: 0, topics: [topics[0]] },
    13,
  );
  await context.call("a session of ids goes on with names", "Fetch", 12, {
    ...FETCH,
    sessionId,
    sessionEpoch: 1,
    topics: [topics[0]],
  });
}

export const listOffsets: Scenario = {
  name: "list offsets",
  async run(context) {
    const topic = await filledTopic(context, "t");
    const times = [
      -1,
      -2,
      -3,
      -4,
      -5,
      -6,
      -7,
      0,
      BASE_TIME,
      BASE_TIME + 1,
      BASE_TIME + 10,
      BASE_TIME + 11,
      BASE_TIME + 3010,
      BASE_TIME + 9010,
      BASE_TIME + 9011,
    ];
    for (const timestamp of times) {
      for (const [partition, word] of [
        [0, "full"],
        [1, "empty"],
      ] as const) {
        await context.eachVersion(
          `${timestamp}, ${word}`,
          "ListOffsets",
          ask(topic, { partitionIndex: partition, timestamp }),
        );
      }
    }
    for (const currentLeaderEpoch of [0, 1, 9]) {
      await context.eachVersion(
        `leader epoch ${currentLeaderEpoch}`,
        "ListOffsets",
        ask(topic, { timestamp: -1, currentLeaderEpoch }),
        { from: 4 },
      );
    }
    for (const partitionIndex of [2, -1])
      await context.eachVersion(
        `partition ${partitionIndex}`,
        "ListOffsets",
        ask(topic, { partitionIndex, timestamp: -1 }),
      );
    await context.eachVersion("unknown topic", "ListOffsets", ask(context.named("none"), { timestamp: -1 }));
    await context.eachVersion("invalid topic", "ListOffsets", ask("a b", { timestamp: -1 }));
    await context.eachVersion(
      "committed",
      "ListOffsets",
      { ...ask(topic, { timestamp: -1 }), isolationLevel: 1 },
      { from: 2 },
    );
    for (const replicaId of [-2, 1, 5])
      await context.eachVersion(`replica ${replicaId}`, "ListOffsets", { ...ask(topic, { timestamp: -1 }), replicaId });
    const twice = [0, 0, 1].map((partitionIndex) => ({ partitionIndex, timestamp: -1 }));
    await context.eachVersion("a partition twice", "ListOffsets", {
      replicaId: -1,
      topics: [{ name: topic, partitions: twice }],
    });
    await shuffled(context);
  },
};

function ask(name: string, partition: Message): Message {
  return { replicaId: -1, timeoutMs: 1000, topics: [{ name, partitions: [{ partitionIndex: 0, ...partition }] }] };
}

/** Times that go up and down, within batches and between them; compressed batches among them. */
async function shuffled(context: Context): Promise<void> {
  const topic = await context.topic("shuffled");
  const times = [
    [50, 20, 70],
    [10, 90, 30],
    [60, 60, 60],
    [90, 5, 90],
  ];
  for (const [place, batchTimes] of times.entries()) {
    const list = batchTimes.map((time) => ({ timestamp: BASE_TIME + time, value: Buffer.from("v") }));
    await append(context, topic, buildBatch(list, { compression: place % 2 === 0 ? 0 : 1 }));
  }
  for (const time of [0, 5, 10, 20, 21, 50, 51, 60, 61, 70, 71, 80, 90, 91]) {
    await context.call(`shuffled, ${time}`, "ListOffsets", 10, ask(topic, { timestamp: BASE_TIME + time }));
  }
  await context.call("shuffled, the latest time", "ListOffsets", 10, ask(topic, { timestamp: -3 }));
}

export const offsetForLeaderEpoch: Scenario = {
  name: "offset for leader epoch",
  async run(context) {
    const topic = await filledTopic(context, "t");
    const of = (partition: Message, name = topic): Message => ({
      replicaId: -1,
      topics: [{ topic: name, partitions: [{ partition: 0, currentLeaderEpoch: -1, ...partition }] }],
    });
    for (const leaderEpoch of [-1, 0, 1, 99, -5])
      await context.eachVersion(`epoch ${leaderEpoch}`, "OffsetForLeaderEpoch", of({ leaderEpoch }));
    for (const leaderEpoch of [0, 1])
      await context.eachVersion(
        `epoch ${leaderEpoch}, empty`,
        "OffsetForLeaderEpoch",
        of({ leaderEpoch, partition: 1 }),
      );
    for (const currentLeaderEpoch of [0, 1])
      await context.eachVersion(
        `current ${currentLeaderEpoch}`,
        "OffsetForLeaderEpoch",
        of({ leaderEpoch: 0, currentLeaderEpoch }),
      );
    for (const partition of [2, -1])
      await context.eachVersion(`partition ${partition}`, "OffsetForLeaderEpoch", of({ leaderEpoch: 0, partition }));
    await context.eachVersion("unknown topic", "OffsetForLeaderEpoch", of({ leaderEpoch: 0 }, context.named("none")));
    await context.eachVersion(
      "replica 1",
      "OffsetForLeaderEpoch",
      { ...of({ leaderEpoch: 0 }), replicaId: 1 },
      { from: 3 },
    );
  },
};

export const deleteRecords: Scenario = {
  name: "delete records",
  async run(context) {
    const topic = await filledTopic(context, "t");
    const topicId = context.topicId(topic);
    const of = (offset: number, partitionIndex = 0, name = topic): Message => ({
      topics: [{ name, partitions: [{ partitionIndex, offset }] }],
      timeoutMs: 5000,
    });
    for (const offset of [0, 3, 2, -2, 21, 1000])
      await context.eachVersion(`to ${offset}`, "DeleteRecords", of(offset));
    await context.eachVersion("empty to 0", "DeleteRecords", of(0, 1));
    await context.eachVersion("empty to its end", "DeleteRecords", of(-1, 1));
    for (const partition of [2, -1])
      await context.eachVersion(`partition ${partition}`, "DeleteRecords", of(0, partition));
    await context.eachVersion("unknown topic", "DeleteRecords", of(0, 0, context.named("none")));
    await context.eachVersion("below the start", "Fetch", fetchOf(topic, { topicId, offset: 1 }));
    await context.eachVersion("from the start", "Fetch", fetchOf(topic, { topicId, offset: 3 }));
    for (const timestamp of [-2, -1, -3, -4, BASE_TIME, BASE_TIME + 1000]) {
      await context.call(`offset of ${timestamp}`, "ListOffsets", 10, ask(topic, { timestamp }));
    }
    const epoch = {
      replicaId: -1,
      topics: [{ topic, partitions: [{ partition: 0, currentLeaderEpoch: -1, leaderEpoch: 0 }] }],
    };
    await context.call("epoch afterwards", "OffsetForLeaderEpoch", 4, epoch);
    await context.eachVersion("to the end", "DeleteRecords", of(-1));
    await context.call("nothing left", "Fetch", 17, fetchOf(topic, { topicId, offset: 20 }));
    await context.call("the start then", "ListOffsets", 10, ask(topic, { timestamp: -2 }));
    await context.call("the latest time then", "ListOffsets", 10, ask(topic, { timestamp: -3 }));
    await context.call("the epoch then", "OffsetForLeaderEpoch", 4, epoch);
    const compacted = await context.topic("compacted", { configs: { "cleanup.policy": "compact" } });
    await append(context, compacted, records());
    await context.eachVersion("of a compacted topic", "DeleteRecords", of(0, 0, compacted));
    const twice = [0, 1].map((offset) => ({ partitionIndex: 0, offset }));
    await context.call("a partition twice", "DeleteRecords", 2, {
      topics: [{ name: topic, partitions: twice }],
      timeoutMs: 5000,
    });
  },
};
