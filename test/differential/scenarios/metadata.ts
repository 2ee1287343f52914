import type { Context, Message, Scenario } from "../context.js";
import { STRANGE_ID, ZERO_ID } from "./requests.js";

const NAMES = ["", ".", "..", "a b", "a/b", "ü", "x".repeat(249), "x".repeat(250)];

function named(...names: string[]): Message {
  return { topics: names.map((name) => ({ name, topicId: ZERO_ID })), allowAutoTopicCreation: false };
}

export const metadata: Scenario = {
  name: "metadata",
  async run(context) {
    const topic = await context.topic("known", { partitions: 3 });
    await context.eachVersion("none", "Metadata", { topics: [] }, { from: 1 });
    await context.eachVersion("one", "Metadata", named(topic));
    await context.eachVersion("one twice", "Metadata", named(topic, topic));
    await context.eachVersion("known and unknown", "Metadata", named(topic, context.named("unknown")), { from: 4 });
    for (const name of NAMES)
      await context.eachVersion(`name '${name.slice(0, 5)}' of ${name.length}`, "Metadata", named(name), { from: 4 });
    await authorized(context, topic);
    await byId(context, topic);
    await all(context, topic);
  },
};

async function authorized(context: Context, topic: string): Promise<void> {
  const flags = { includeClusterAuthorizedOperations: true, includeTopicAuthorizedOperations: true };
  await context.eachVersion("operations", "Metadata", { ...named(topic), ...flags }, { from: 8 });
}

async function byId(context: Context, topic: string): Promise<void> {
  const topicId = context.topicId(topic);
  const ask = (topics: Message[]): Message => ({ topics, allowAutoTopicCreation: false });
  for (const from of [10]) {
    await context.eachVersion("by id", "Metadata", ask([{ topicId, name: null }]), { from });
    await context.eachVersion("by id and name", "Metadata", ask([{ topicId, name: topic }]), { from });
    await context.eachVersion("by unknown id", "Metadata", ask([{ topicId: STRANGE_ID, name: null }]), { from });
    await context.eachVersion("by no id", "Metadata", ask([{ topicId: ZERO_ID, name: null }]), { from });
    await context.eachVersion(
      "by id and by name",
      "Metadata",
      ask([
        { topicId, name: null },
        { topicId: ZERO_ID, name: topic },
      ]),
      { from },
    );
  }
}

/** All topics there are: only this scenario's own can be compared. */
async function all(context: Context, topic: string): Promise<void> {
  for (const version of [0, 1, 4, 9, 12, 13]) {
    const answer = await context.quiet("Metadata", { topics: version === 0 ? [] : null }, version);
    const own = answer.topics.filter(({ name }: Message) => name === topic);
    context.keep(`all v${version}`, { ...answer, topics: own });
  }
}

/** Topics that come to be because they are asked for. */
export const autoCreation: Scenario = {
  name: "auto creation",
  async run(context) {
    for (const version of [0, 1, 3, 4, 8, 12, 13]) {
      const name = context.named(`v${version}`);
      const answer = await context.quiet("Metadata", { ...named(name), allowAutoTopicCreation: true }, version);
      context.keep(`first answer v${version}`, answer);
      if (answer.topics[0].errorCode === 17) continue;
      await context.quiet("Metadata", { ...named(name), allowAutoTopicCreation: true }, version);
    }
    await pauseUntilCreated(context);
    for (const name of [".", "a b"]) {
      await context.call(`name '${name}'`, "Metadata", 12, { topics: [{ name }], allowAutoTopicCreation: true });
    }
    const [dot, underscore] = [context.named("a.b"), context.named("a_b")];
    await context.quiet("Metadata", { topics: [{ name: dot }], allowAutoTopicCreation: true }, 12);
    await context.awaitTopic(dot, 1);
    await context.call("a name that collides", "Metadata", 12, {
      topics: [{ name: underscore }],
      allowAutoTopicCreation: true,
    });
    const strange = { topics: [{ name: null, topicId: STRANGE_ID }], allowAutoTopicCreation: true };
    await context.call("an unknown id", "Metadata", 12, strange);
  },
};

async function pauseUntilCreated(context: Context): Promise<void> {
  const name = context.named("v12");
  await context.awaitTopic(name, 1);
  await context.call("then it is there", "Metadata", 12, named(name));
}

export const noAutoCreation: Scenario = {
  name: "no auto creation",
  async run(context) {
    const name = context.named("t");
    await context.eachVersion("unknown", "Metadata", { topics: [{ name }], allowAutoTopicCreation: true });
    await context.eachVersion(
      "unknown, not allowed",
      "Metadata",
      { topics: [{ name }], allowAutoTopicCreation: false },
      { from: 4 },
    );
  },
};

export const describeTopicPartitions: Scenario = {
  name: "describe topic partitions",
  async run(context) {
    const [a, b] = [await context.topic("a", { partitions: 3 }), await context.topic("b", { partitions: 2 })];
    const ask = async (label: string, names: string[], rest: Message = {}): Promise<void> => {
      const topics = names.map((name) => ({ name }));
      await context.call(label, "DescribeTopicPartitions", 0, {
        topics,
        responsePartitionLimit: 2000,
        cursor: null,
        ...rest,
      });
    };
    await ask("one", [a]);
    await ask("both, not in order", [b, a]);
    await ask("twice", [a, a]);
    await ask("unknown", [context.named("unknown"), a]);
    for (const name of ["", ".", "a b"]) await ask(`name '${name}'`, [name]);
    for (const limit of [0, -1, 1, 2, 3, 4, 5, 6, 100_000])
      await ask(`limit ${limit}`, [a, b], { responsePartitionLimit: limit });
    const cursors = [
      [a, 0],
      [a, 2],
      [a, 3],
      [a, 99],
      [a, -1],
      [b, 1],
      [context.named("aa"), 0],
      [context.named("z"), 0],
      ["", 0],
    ] as const;
    for (const [topicName, partitionIndex] of cursors) {
      await ask(`cursor ${topicName} ${partitionIndex}`, [a, b], { cursor: { topicName, partitionIndex } });
      await ask(`cursor ${topicName} ${partitionIndex}, limit 1`, [a, b], {
        cursor: { topicName, partitionIndex },
        responsePartitionLimit: 1,
      });
    }
  },
};
