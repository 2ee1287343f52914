import type { Context, Message, Scenario } from "../context.js";

const [TOPIC, BROKER] = [2, 4];

/** What a person may write for a number, a word, a list or a switch. */
const ODD_VALUES = [
  "",
  " ",
  "0",
  "1",
  "-1",
  "-2",
  "7",
  " 7",
  "7 ",
  "+7",
  "07",
  "7.0",
  "7.5",
  "1e3",
  "0x10",
  "1_000",
  "0.5",
  "1.5",
  ".5",
  "NaN",
  "Infinity",
  "2147483647",
  "2147483648",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775809",
  "true",
  "TRUE",
  " true",
  "yes",
  "null",
  "delete",
  "Delete",
  "delete,compact",
  "compact, delete",
  " compact ,delete ",
  "delete,",
  ",delete",
  "delete,,compact",
  "delete,delete",
  "none",
  "gzip",
  "GZIP",
  "zstd",
  "producer",
  "uncompressed",
  "CreateTime",
  "createtime",
  "LogAppendTime",
  "*",
  "0:1",
  "0:1,1:2",
  "a:b",
];

async function namesOf(context: Context, resourceType: number, resourceName: string): Promise<Message[]> {
  const { results } = await context.quiet("DescribeConfigs", {
    resources: [{ resourceType, resourceName, configurationKeys: null }],
  });
  return results[0].configs;
}

/** Whether a config may be set so; the error of each value in one case a config. */
async function verdicts(
  context: Context,
  resourceType: number,
  resourceName: string,
  name: string,
  values: readonly string[],
): Promise<Message> {
  const answers = values.map((value) => {
    const configs = [{ name, value, configOperation: 0 }];
    const resources = [{ resourceType, resourceName, configs }];
    return context.quiet("IncrementalAlterConfigs", { resources, validateOnly: true });
  });
  const verdict: Record<string, unknown> = {};
  for (const [place, answer] of (await Promise.all(answers)).entries()) {
    verdict[`'${values[place]}'`] = { errorCode: answer.responses[0].errorCode };
  }
  return verdict;
}

/** Every config of a topic with every odd value: taken or not; then, what became of some that are taken. */
export const topicConfigValues: Scenario = {
  name: "topic config values",
  async run(context) {
    await inherited(context, await context.topic("heir"));
    const topic = await context.topic("t");
    for (const { name } of await namesOf(context, TOPIC, topic)) {
      context.keep(name, await verdicts(context, TOPIC, topic, name, ODD_VALUES));
    }
    const kept: readonly (readonly [string, string])[] = [
      ["retention.ms", " 7 "],
      ["retention.bytes", "+7"],
      ["cleanup.policy", "compact, delete"],
      ["preallocate", "TRUE"],
      ["min.cleanable.dirty.ratio", ".5"],
      ["message.timestamp.type", "LogAppendTime"],
    ];
    for (const [name, value] of kept) {
      const resource = { resourceType: TOPIC, resourceName: topic };
      const configs = [{ name, value, configOperation: 0 }];
      await context.call(`${name} = '${value}'`, "IncrementalAlterConfigs", 1, {
        resources: [{ ...resource, configs }],
        validateOnly: false,
      });
      const asked = { resources: [{ ...resource, configurationKeys: [name] }], includeSynonyms: true };
      await context.until(
        "it is heard of",
        async () => (await context.quiet("DescribeConfigs", asked, 4)).results[0].configs[0].configSource === 1,
      );
      await context.call(`${name} = '${value}', described`, "DescribeConfigs", 4, asked);
    }
  },
};

/** The same of a value for all brokers, which a topic inherits. */
async function inherited(context: Context, topic: string): Promise<void> {
  const resource = { resourceType: BROKER, resourceName: "" };
  const set = (value: string | null, configOperation: number): Message => {
    const configs = [
      { name: "log.retention.ms", value, configOperation },
      { name: "log.cleanup.policy", value: value === null ? null : "compact , delete", configOperation },
    ];
    return { resources: [{ ...resource, configs }], validateOnly: false };
  };
  await context.call("for all brokers", "IncrementalAlterConfigs", 1, set(" +7000000 ", 0));
  const asked = (resourceType: number, resourceName: string, ...configurationKeys: readonly string[]): Message => ({
    resources: [{ resourceType, resourceName, configurationKeys }],
    includeSynonyms: true,
  });
  const ofBroker = asked(BROKER, "1", "log.retention.ms", "log.cleanup.policy");
  const source = async (): Promise<number> =>
    (await context.quiet("DescribeConfigs", ofBroker, 4)).results[0].configs[0].configSource;
  await context.until("it is heard of", async () => (await source()) === 3);
  await context.call("for all brokers, one described", "DescribeConfigs", 4, ofBroker);
  const ofAll = asked(BROKER, "", "log.retention.ms", "log.cleanup.policy");
  await context.call("for all brokers, all described", "DescribeConfigs", 4, ofAll);
  const ofTopic = asked(TOPIC, topic, "retention.ms", "cleanup.policy");
  await context.call("for all brokers, a topic described", "DescribeConfigs", 4, ofTopic);
  await context.quiet("IncrementalAlterConfigs", set(null, 1));
  await context.until("it is forgotten", async () => (await source()) !== 3);
}

/** Which configs of a broker can be changed at run time, for it and for all. */
export const brokerConfigRules: Scenario = {
  name: "broker config rules",
  async run(context) {
    for (const { name } of await namesOf(context, BROKER, "1")) {
      const values = ["1", "x", "-7", ""];
      context.keep(`${name} of a broker`, await verdicts(context, BROKER, "1", name, values));
      context.keep(`${name} of all`, await verdicts(context, BROKER, "", name, values));
    }
  },
};
