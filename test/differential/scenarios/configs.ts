import type { Context, Message, Scenario } from "../context.js";

const TYPE = { UNKNOWN: 0, TOPIC: 2, BROKER: 4, LOGGER: 8, CLIENT_METRICS: 16, GROUP: 32 } as const;

export const describeConfigs: Scenario = {
  name: "describe configs",
  async run(context) {
    const topic = await context.topic("t", { configs: { "retention.ms": "1234567" } });
    const ask = async (label: string, resources: readonly Message[], rest: Message = {}): Promise<void> =>
      context.eachVersion(label, "DescribeConfigs", {
        resources: resources.map((one) => ({ configurationKeys: null, ...one })),
        includeSynonyms: true,
        ...rest,
      });
    await ask("topic", [{ resourceType: TYPE.TOPIC, resourceName: topic }]);
    await ask("broker", [{ resourceType: TYPE.BROKER, resourceName: "1" }]);
    await ask("cluster", [{ resourceType: TYPE.BROKER, resourceName: "" }]);
    await ask("group", [{ resourceType: TYPE.GROUP, resourceName: context.named("g") }]);
    await ask("client metrics", [{ resourceType: TYPE.CLIENT_METRICS, resourceName: context.named("m") }]);
    await ask("topic, without synonyms", [{ resourceType: TYPE.TOPIC, resourceName: topic }], {
      includeSynonyms: false,
    });
    const some = ["retention.ms", "cleanup.policy", "no.such.config"];
    await ask("some keys", [{ resourceType: TYPE.TOPIC, resourceName: topic, configurationKeys: some }]);
    await ask("no keys", [{ resourceType: TYPE.TOPIC, resourceName: topic, configurationKeys: [] }]);
    await ask("some keys of a broker", [
      { resourceType: TYPE.BROKER, resourceName: "1", configurationKeys: ["num.partitions", "log.retention.ms", "x"] },
    ]);
    await ask("documented", [{ resourceType: TYPE.TOPIC, resourceName: topic, configurationKeys: ["retention.ms"] }], {
      includeDocumentation: true,
    });
    await refusals(ask, context);
    await ask("none", []);
    const twice = { resourceType: TYPE.TOPIC, resourceName: topic, configurationKeys: ["retention.ms"] };
    await ask("twice", [twice, twice]);
  },
};

async function refusals(
  ask: (label: string, resources: readonly Message[]) => Promise<void>,
  context: Context,
): Promise<void> {
  const names: readonly (readonly [number, string])[] = [
    [TYPE.TOPIC, context.named("none")],
    [TYPE.TOPIC, ""],
    [TYPE.TOPIC, "a b"],
    [TYPE.BROKER, "77"],
    [TYPE.BROKER, "x"],
    [TYPE.BROKER, "-1"],
    [TYPE.LOGGER, "77"],
    [TYPE.LOGGER, ""],
    [TYPE.LOGGER, "x"],
    [TYPE.GROUP, ""],
    [TYPE.CLIENT_METRICS, ""],
    [TYPE.UNKNOWN, "x"],
    [99, "x"],
    [-1, "x"],
  ];
  for (const [resourceType, resourceName] of names)
    await ask(`type ${resourceType} '${resourceName}'`, [{ resourceType, resourceName }]);
}

/** Every rule of altering, the two ways there are; what came of it is described after each. */
export const alterConfigs: Scenario = {
  name: "alter configs",
  async run(context) {
    const topic = await context.topic("t");
    for (const [label, change] of CHANGES) {
      for (const validateOnly of [true, false]) {
        const resources = [{ resourceType: TYPE.TOPIC, resourceName: topic, configs: change }];
        const word = validateOnly ? ", only checked" : "";
        await context.eachVersion(`incremental: ${label}${word}`, "IncrementalAlterConfigs", {
          resources,
          validateOnly,
        });
        await context.eachVersion(`whole: ${label}${word}`, "AlterConfigs", {
          resources: wholly(resources),
          validateOnly,
        });
      }
    }
    await resources(context, topic);
  },
};

/** The same without operations. */
function wholly(resources: readonly Message[]): Message {
  return resources.map((one) => ({
    ...one,
    configs: one.configs.map(({ name, value }: Message) => ({ name, value })),
  }));
}

const [SET, DELETE, APPEND, SUBTRACT] = [0, 1, 2, 3];

function change(name: string, value: string | null, configOperation = SET): Message {
  return { name, value, configOperation };
}

const CHANGES: readonly (readonly [string, readonly Message[]])[] = [
  ["one", [change("retention.ms", "1000")]],
  ["nothing", []],
  ["unknown", [change("no.such.config", "1")]],
  ["no number", [change("retention.ms", "soon")]],
  ["below the least", [change("retention.ms", "-2")]],
  ["too large", [change("segment.bytes", "99999999999")]],
  ["padded", [change("retention.ms", " 7 ")]],
  ["empty name", [change("", "1")]],
  ["no boolean", [change("preallocate", "yes")]],
  ["null", [change("retention.ms", null)]],
  ["null list", [change("cleanup.policy", null)]],
  ["empty list", [change("cleanup.policy", "")]],
  ["two in a list", [change("cleanup.policy", "compact,delete")]],
  ["twice in a list", [change("cleanup.policy", "compact,compact")]],
  ["bad word", [change("cleanup.policy", "compact,burn")]],
  ["the same twice", [change("retention.ms", "1"), change("retention.ms", "2")]],
  ["good and bad", [change("retention.ms", "1"), change("segment.bytes", "x")]],
  ["two that do not fit", [change("min.compaction.lag.ms", "10"), change("max.compaction.lag.ms", "5")]],
  ["deleted", [change("retention.ms", null, DELETE)]],
  ["deleted with a value", [change("retention.ms", "5", DELETE)]],
  ["deleted, never set", [change("segment.ms", null, DELETE)]],
  ["deleted, unknown", [change("no.such.config", null, DELETE)]],
  ["appended", [change("cleanup.policy", "compact", APPEND)]],
  ["appended, bad word", [change("cleanup.policy", "burn", APPEND)]],
  ["appended null", [change("cleanup.policy", null, APPEND)]],
  ["appended to no list", [change("retention.ms", "5", APPEND)]],
  ["subtracted", [change("cleanup.policy", "compact", SUBTRACT)]],
  ["subtracted, not there", [change("cleanup.policy", "compact", SUBTRACT)]],
  ["subtracted from no list", [change("retention.ms", "5", SUBTRACT)]],
  ["unknown operation", [change("retention.ms", "5", 9)]],
  ["set and deleted", [change("retention.ms", "5"), change("retention.ms", null, DELETE)]],
  ["throttled replicas", [change("leader.replication.throttled.replicas", "0:1,1:1")]],
  ["bad throttled replicas", [change("leader.replication.throttled.replicas", "zero")]],
  ["remote storage", [change("remote.storage.enable", "true")]],
  ["gzip level", [change("compression.gzip.level", "99")]],
  ["internal", [change("internal.segment.bytes", "1000")]],
];

async function resources(context: Context, topic: string): Promise<void> {
  const one = (resourceType: number, resourceName: string, ...configs: readonly Message[]): Message => ({
    resourceType,
    resourceName,
    configs,
  });
  const retention = change("retention.ms", "1000");
  const list: readonly (readonly [string, readonly Message[]])[] = [
    ["unknown topic", [one(TYPE.TOPIC, context.named("none"), retention)]],
    ["empty topic", [one(TYPE.TOPIC, "", retention)]],
    ["a topic twice", [one(TYPE.TOPIC, topic, retention), one(TYPE.TOPIC, topic, retention)]],
    ["two topics, one unknown", [one(TYPE.TOPIC, topic, retention), one(TYPE.TOPIC, context.named("none"), retention)]],
    ["unknown broker", [one(TYPE.BROKER, "77", change("log.retention.ms", "1000"))]],
    ["no broker", [one(TYPE.BROKER, "x", change("log.retention.ms", "1000"))]],
    ["broker: dynamic", [one(TYPE.BROKER, "1", change("log.retention.ms", "1000000"))]],
    ["broker: for the cluster only", [one(TYPE.BROKER, "1", change("message.max.bytes", "2000000"))]],
    ["broker: read only", [one(TYPE.BROKER, "1", change("log.dirs", "/x"))]],
    ["broker: unknown", [one(TYPE.BROKER, "1", change("no.such.config", "1"))]],
    ["broker: a bad value", [one(TYPE.BROKER, "1", change("log.retention.ms", "soon"))]],
    ["cluster: dynamic", [one(TYPE.BROKER, "", change("log.retention.ms", "1000000"))]],
    ["cluster: a broker's own", [one(TYPE.BROKER, "", change("listeners", "PLAINTEXT://:1"))]],
    ["cluster: read only", [one(TYPE.BROKER, "", change("node.id", "5"))]],
    ["cluster: a bad value", [one(TYPE.BROKER, "", change("message.max.bytes", "-1"))]],
    ["group", [one(TYPE.GROUP, context.named("g"), change("consumer.session.timeout.ms", "50000"))]],
    ["group: unknown", [one(TYPE.GROUP, context.named("g"), change("no.such.config", "1"))]],
    ["group: a bad value", [one(TYPE.GROUP, context.named("g"), change("consumer.session.timeout.ms", "-5"))]],
    ["group without name", [one(TYPE.GROUP, "", change("consumer.session.timeout.ms", "50000"))]],
    ["client metrics", [one(TYPE.CLIENT_METRICS, context.named("m"), change("interval.ms", "1000"))]],
    ["client metrics: unknown", [one(TYPE.CLIENT_METRICS, context.named("m"), change("no.such", "1000"))]],
    ["client metrics: a bad value", [one(TYPE.CLIENT_METRICS, context.named("m"), change("interval.ms", "1"))]],
    ["client metrics without name", [one(TYPE.CLIENT_METRICS, "", change("interval.ms", "1000"))]],
    ["unknown type", [one(99, "x", retention)]],
    ["type 0", [one(0, "x", retention)]],
    ["logger", [one(TYPE.LOGGER, "1", change("no.such.logger", "INFO"))]],
    ["logger: a bad level", [one(TYPE.LOGGER, "1", change("ROOT", "LOUD"))]],
    ["logger of another broker", [one(TYPE.LOGGER, "77", change("root", "INFO"))]],
    ["none", []],
  ];
  for (const [label, wish] of list) {
    await context.eachVersion(`incremental: ${label}`, "IncrementalAlterConfigs", {
      resources: wish,
      validateOnly: true,
    });
    if (label === "a topic twice") continue; // which Kafka never answers
    await context.eachVersion(`whole: ${label}`, "AlterConfigs", { resources: wholly(wish), validateOnly: true });
  }
  await inEarnest(context, topic);
}

/** What is described after changes to a topic, the cluster, a broker and client metrics. */
async function inEarnest(context: Context, topic: string): Promise<void> {
  const described: readonly (readonly [string, number, string, readonly string[] | null])[] = [
    ["topic", TYPE.TOPIC, topic, ["retention.ms", "cleanup.policy", "compression.type"]],
    [
      "broker",
      TYPE.BROKER,
      "1",
      ["log.retention.ms", "log.cleanup.policy", "compression.type", "log.retention.minutes"],
    ],
    ["cluster", TYPE.BROKER, "", null],
    ["client metrics", TYPE.CLIENT_METRICS, context.named("earnest"), null],
  ];
  const steps: readonly (readonly [string, readonly Message[]])[] = [
    [
      "set for the cluster",
      [
        {
          resourceType: TYPE.BROKER,
          resourceName: "",
          configs: [change("log.retention.ms", "7000000"), change("compression.type", "gzip")],
        },
      ],
    ],
    [
      "set for the broker",
      [{ resourceType: TYPE.BROKER, resourceName: "1", configs: [change("log.retention.ms", "8000000")] }],
    ],
    [
      "set for the topic",
      [{ resourceType: TYPE.TOPIC, resourceName: topic, configs: [change("retention.ms", "9000000")] }],
    ],
    [
      "set for client metrics",
      [
        {
          resourceType: TYPE.CLIENT_METRICS,
          resourceName: context.named("earnest"),
          configs: [change("interval.ms", "5000"), change("metrics", "a,b")],
        },
      ],
    ],
    [
      "deleted for the topic",
      [{ resourceType: TYPE.TOPIC, resourceName: topic, configs: [change("retention.ms", null, DELETE)] }],
    ],
    [
      "deleted for the broker",
      [{ resourceType: TYPE.BROKER, resourceName: "1", configs: [change("log.retention.ms", null, DELETE)] }],
    ],
    [
      "deleted for client metrics",
      [
        {
          resourceType: TYPE.CLIENT_METRICS,
          resourceName: context.named("earnest"),
          configs: [change("interval.ms", null, DELETE), change("metrics", null, DELETE)],
        },
      ],
    ],
    [
      "deleted for the cluster",
      [
        {
          resourceType: TYPE.BROKER,
          resourceName: "",
          configs: [change("log.retention.ms", null, DELETE), change("compression.type", null, DELETE)],
        },
      ],
    ],
  ];
  for (const [label, wish] of steps) {
    await context.call(label, "IncrementalAlterConfigs", 1, { resources: wish, validateOnly: false });
    await context.until("brokers have heard of it", async () => hasHeard(context, wish));
    for (const [what, resourceType, resourceName, configurationKeys] of described) {
      const asked = [{ resourceType, resourceName, configurationKeys }];
      await context.call(`${label}: ${what}`, "DescribeConfigs", 4, { resources: asked, includeSynonyms: true });
    }
    await context.call(`${label}: listed`, "ListConfigResources", 1, { resourceTypes: [TYPE.CLIENT_METRICS] });
  }
}

/** Kafka's brokers hear of changes by the metadata log. */
async function hasHeard(context: Context, wish: readonly Message[]): Promise<boolean> {
  const [{ resourceType, resourceName, configs }] = wish as [Message];
  const resources = [{ resourceType, resourceName, configurationKeys: configs.map(({ name }: Message) => name) }];
  const { results } = await context.quiet("DescribeConfigs", { resources, includeSynonyms: true }, 4);
  const sources = { [TYPE.TOPIC]: 1, [TYPE.CLIENT_METRICS]: 7 } as Record<number, number>;
  const own = sources[resourceType] ?? (resourceName === "" ? 3 : 2);
  return configs.every(({ name, value }: Message) => {
    const found = results[0].configs.find((config: Message) => config.name === name);
    const isOwn = found?.configSource === own && (value === null || found.value === value);
    return value === null ? !isOwn : isOwn;
  });
}

export const configResources: Scenario = {
  name: "config resources",
  async run(context) {
    const topic = await context.topic("t");
    for (const types of [
      [TYPE.TOPIC],
      [TYPE.BROKER],
      [TYPE.GROUP],
      [TYPE.CLIENT_METRICS],
      [TYPE.LOGGER],
      [99],
      [0],
      [TYPE.TOPIC, TYPE.BROKER],
      [],
    ]) {
      const answer = await context.quiet("ListConfigResources", { resourceTypes: types }, 1);
      context.asked.add("ListConfigResources");
      const own = answer.configResources.filter(
        ({ resourceName, resourceType }: Message) =>
          resourceName === topic || resourceType === TYPE.BROKER || resourceType === TYPE.LOGGER,
      );
      context.keep(`types ${types} v1`, { ...answer, configResources: own });
    }
    await context.call("client metrics", "ListConfigResources", 0, {});
  },
};
