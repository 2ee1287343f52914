import type { Context, Message, Scenario } from "../context.js";
import { STRANGE_ID, ZERO_ID } from "./requests.js";

const WHOLE = { numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] };

function creation(topics: readonly Message[], rest: Message = {}): Message {
  return { topics: topics.map((topic) => ({ ...WHOLE, ...topic })), timeoutMs: 60_000, validateOnly: false, ...rest };
}

/** What is wrong with a topic that is to be created, for all of it is checked without creating it, too. */
const WISHES: readonly (readonly [string, Message])[] = [
  ["plain", {}],
  ["three partitions", { numPartitions: 3 }],
  ["defaults", { numPartitions: -1, replicationFactor: -1 }],
  ["no partitions", { numPartitions: 0 }],
  ["-2 partitions", { numPartitions: -2 }],
  ["10 million partitions", { numPartitions: 10_000_000 }],
  ["replication factor 0", { replicationFactor: 0 }],
  ["replication factor -2", { replicationFactor: -2 }],
  ["replication factor 3", { replicationFactor: 3 }],
  ["assigned", assigned([0, [1]])],
  ["assigned, two partitions", assigned([0, [1]], [1, [1]])],
  ["assigned to an unknown broker", assigned([0, [77]])],
  ["assigned to nobody", assigned([0, []])],
  ["assigned twice to one", assigned([0, [1, 1]])],
  ["assigned with a gap", assigned([0, [1]], [2, [1]])],
  ["assigned not from 0", assigned([1, [1]])],
  ["assigned a partition twice", assigned([0, [1]], [0, [1]])],
  ["assigned a negative partition", assigned([-1, [1]])],
  ["assigned with a count", { ...assigned([0, [1]]), numPartitions: 1 }],
  ["assigned with a factor", { ...assigned([0, [1]]), replicationFactor: 1 }],
  ["assigned unevenly", assigned([0, [1]], [1, [1, 2]])],
  ["config", configured(["retention.ms", "1000"])],
  ["unknown config", configured(["no.such.config", "1"])],
  ["bad config", configured(["retention.ms", "soon"])],
  ["config below its least", configured(["retention.ms", "-2"])],
  ["null config", configured(["retention.ms", null])],
  ["empty config", configured(["cleanup.policy", ""])],
  ["bad word", configured(["cleanup.policy", "burn"])],
  ["a config twice", configured(["retention.ms", "1"], ["retention.ms", "2"])],
  ["local retention above retention", configured(["retention.ms", "1000"], ["local.retention.ms", "2000"])],
  ["segment.bytes of 1", configured(["segment.bytes", "1"])],
  ["min.compaction.lag above max", configured(["min.compaction.lag.ms", "10"], ["max.compaction.lag.ms", "5"])],
  ["remote storage", configured(["remote.storage.enable", "true"])],
  ["min.insync.replicas of 0", configured(["min.insync.replicas", "0"])],
  ["internal segment bytes", configured(["internal.segment.bytes", "1000"])],
];

function assigned(...assignments: readonly (readonly [number, readonly number[]])[]): Message {
  const list = assignments.map(([partitionIndex, brokerIds]) => ({ partitionIndex, brokerIds }));
  return { numPartitions: -1, replicationFactor: -1, assignments: list };
}

function configured(...configs: readonly (readonly [string, string | null])[]): Message {
  return { configs: configs.map(([name, value]) => ({ name, value })) };
}

export const createTopics: Scenario = {
  name: "create topics",
  async run(context) {
    for (const [label, wish] of WISHES) {
      const name = context.named(label.replace(/[^a-z0-9]+/g, "-"));
      await context.eachVersion(
        `${label}, only checked`,
        "CreateTopics",
        creation([{ name, ...wish }], { validateOnly: true }),
      );
      for (const version of [2, 7]) {
        await context.call(label, "CreateTopics", version, creation([{ name: `${name}-${version}`, ...wish }]));
      }
      await context.until(`${label} is seen`, () => isSettled(context, `${name}-7`));
    }
    for (const name of ["", ".", "..", "a b", "a/b", "ü", "x".repeat(249), "x".repeat(250), "__cluster_metadata"]) {
      await context.eachVersion(
        `name '${name.slice(0, 9)}' of ${name.length}`,
        "CreateTopics",
        creation([{ name }], { validateOnly: true }),
      );
    }
    await names(context);
  },
};

/** Whether the brokers agree on a topic's being there: what comes next may ask for it. */
async function isSettled(context: Context, name: string): Promise<boolean> {
  const { topics } = await context.quiet("CreateTopics", creation([{ name }], { validateOnly: true }));
  if (topics[0].errorCode !== 36) return true;
  const answer = await context.quiet("Metadata", { topics: [{ name }], allowAutoTopicCreation: false }, 12);
  return answer.topics[0].errorCode === 0;
}

async function names(context: Context): Promise<void> {
  const topic = await context.topic("exists.a");
  await context.eachVersion("exists", "CreateTopics", creation([{ name: topic }]));
  await context.eachVersion(
    "exists, only checked",
    "CreateTopics",
    creation([{ name: topic }], { validateOnly: true }),
  );
  await context.eachVersion("collides", "CreateTopics", creation([{ name: topic.replaceAll(".", "_") }]));
  const two = [{ name: context.named("twice") }, { name: context.named("twice") }, { name: context.named("once") }];
  await context.eachVersion("twice in one request", "CreateTopics", creation(two, { validateOnly: true }));
  await context.eachVersion(
    "good and bad",
    "CreateTopics",
    creation([{ name: context.named("good") }, { name: topic }, { name: "a b" }], { validateOnly: true }),
  );
  await context.eachVersion(
    "colliding in one request",
    "CreateTopics",
    creation([{ name: context.named("x.y") }, { name: context.named("x_y") }], { validateOnly: true }),
  );
  await context.eachVersion("none", "CreateTopics", creation([]));
  await context.call(
    "timeout 0",
    "CreateTopics",
    7,
    creation([{ name: context.named("timeout") }], { timeoutMs: 0, validateOnly: true }),
  );
}

export const deleteTopics: Scenario = {
  name: "delete topics",
  async run(context) {
    const byName = (...names: string[]): Message => ({
      topicNames: names,
      topics: names.map((name) => ({ name, topicId: ZERO_ID })),
      timeoutMs: 60_000,
    });
    for (const version of [1, 3, 5, 6]) {
      const topic = await context.topic(`v${version}`);
      await context.call("by name", "DeleteTopics", version, byName(topic));
      await context.until(
        "it is gone",
        async () =>
          (await context.quiet("Metadata", { topics: [{ name: topic }], allowAutoTopicCreation: false }, 12)).topics[0]
            .errorCode === 3,
      );
      await context.call("again", "DeleteTopics", version, byName(topic));
    }
    await context.eachVersion("unknown", "DeleteTopics", byName(context.named("none")));
    for (const name of ["", "a b", "x".repeat(250)])
      await context.eachVersion(`name '${name.slice(0, 3)}' of ${name.length}`, "DeleteTopics", byName(name));
    await context.eachVersion("none", "DeleteTopics", byName());
    await context.eachVersion("unknown twice", "DeleteTopics", byName(context.named("none"), context.named("none")));
    await byIds(context);
  },
};

async function byIds(context: Context): Promise<void> {
  const topic = await context.topic("ids");
  const topicId = context.topicId(topic);
  const ask = async (label: string, ...topics: Message[]): Promise<void> => {
    await context.call(label, "DeleteTopics", 6, { topics, timeoutMs: 60_000 });
  };
  await ask("unknown id", { name: null, topicId: STRANGE_ID });
  await ask("neither name nor id", { name: null, topicId: ZERO_ID });
  await ask("name and id", { name: topic, topicId });
  await ask("an id twice", { name: null, topicId }, { name: null, topicId });
  await ask("by name and by id", { name: topic, topicId: ZERO_ID }, { name: null, topicId });
  await ask("by id", { name: null, topicId });
  await context.until(
    "it is gone",
    async () =>
      (await context.quiet("Metadata", { topics: [{ name: topic }], allowAutoTopicCreation: false }, 12)).topics[0]
        .errorCode === 3,
  );
  await ask("by id, again", { name: null, topicId });
}

export const createPartitions: Scenario = {
  name: "create partitions",
  async run(context) {
    const topic = await context.topic("t", { partitions: 2 });
    const ask = async (label: string, wishes: readonly Message[], rest: Message = {}): Promise<void> => {
      const topics = wishes.map((wish) => ({ name: topic, count: 3, assignments: null, ...wish }));
      await context.eachVersion(label, "CreatePartitions", { topics, timeoutMs: 60_000, validateOnly: true, ...rest });
    };
    await ask("one more", [{}]);
    for (const count of [2, 1, 0, -1, 10_000_000]) await ask(`count ${count}`, [{ count }]);
    await ask("unknown topic", [{ name: context.named("none") }]);
    for (const name of ["", "a b"]) await ask(`name '${name}'`, [{ name }]);
    await ask("a topic twice", [{}, { count: 4 }]);
    const assignments: readonly (readonly [string, readonly (readonly number[])[]])[] = [
      ["assigned", [[1]]],
      ["assigned to an unknown broker", [[77]]],
      ["assigned to nobody", [[]]],
      ["assigned twice to one", [[1, 1]]],
      ["assigned, too few", []],
      ["assigned, too many", [[1], [1]]],
      ["assigned with another factor", [[1, 2]]],
    ];
    for (const [label, list] of assignments)
      await ask(label, [{ assignments: list.map((brokerIds) => ({ brokerIds })) }]);
    await ask("none", []);
    for (const [version, count] of [
      [0, 3],
      [1, 4],
      [3, 5],
    ] as const) {
      const topics = [{ name: topic, count, assignments: null }];
      await context.call("in earnest", "CreatePartitions", version, { topics, timeoutMs: 60_000, validateOnly: false });
      await context.awaitTopic(topic, count);
    }
    await context.call("then there are five", "Metadata", 12, {
      topics: [{ name: topic }],
      allowAutoTopicCreation: false,
    });
  },
};

/** With delete.topic.enable and others set apart from their defaults. */
export const strictTopics: Scenario = {
  name: "strict topics",
  async run(context) {
    const name = context.named("defaults");
    await context.call("defaults", "CreateTopics", 7, creation([{ name, numPartitions: -1, replicationFactor: -1 }]));
    await context.awaitTopic(name, 3);
    await context.call("what came of it", "Metadata", 12, { topics: [{ name }], allowAutoTopicCreation: false });
    for (const version of [1, 2, 3, 6])
      await context.call("deleting is off", "DeleteTopics", version, {
        topicNames: [name],
        topics: [{ name, topicId: ZERO_ID }],
        timeoutMs: 1000,
      });
    await context.call("configs", "DescribeConfigs", 4, {
      resources: [{ resourceType: 2, resourceName: name, configurationKeys: null }],
      includeSynonyms: true,
    });
  },
};
