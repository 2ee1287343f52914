import { beforeEach, describe, expect, test } from "vitest";
import { type ConfigHarness, configHarness } from "../../test/fakes/config-harness.js";
import type { DescribeConfigsResponseDescribeConfigsResultInit } from "../messages/generated/index.js";
import { describeConfigs } from "./32-describe-configs.js";

let harness: ConfigHarness;

beforeEach(async () => {
  harness = await configHarness({ "num.partitions": "3", "ssl.keystore.password": "secret" });
});

interface Asked {
  readonly type: number;
  readonly name: string;
  readonly keys?: string[] | null;
  readonly synonyms?: boolean;
  readonly documentation?: boolean;
}

async function describeOne(asked: Asked): Promise<DescribeConfigsResponseDescribeConfigsResultInit> {
  const { results } = await harness.call(describeConfigs, 4, {
    resources: [{ resourceType: asked.type, resourceName: asked.name, configurationKeys: asked.keys ?? null }],
    includeSynonyms: asked.synonyms ?? false,
    includeDocumentation: asked.documentation ?? false,
  });
  return results[0] as DescribeConfigsResponseDescribeConfigsResultInit;
}

async function names(asked: Asked): Promise<string[]> {
  return (await describeOne(asked)).configs.map(({ name }) => name);
}

describe("topics", () => {
  test("everything without keys, and with an empty list of keys", async () => {
    expect(await names({ type: 2, name: "t" })).toHaveLength(37);
    expect(await names({ type: 2, name: "t", keys: [] })).toHaveLength(37);
  });

  test("only the keys that are asked for; unknown ones are left out", async () => {
    expect(await names({ type: 2, name: "t", keys: ["retention.ms", "foo"] })).toEqual(["retention.ms"]);
  });

  test("value, source, type, synonyms and documentation", async () => {
    const plain = await describeOne({ type: 2, name: "t", keys: ["retention.ms"] });
    expect(plain.configs[0]).toEqual({
      name: "retention.ms",
      value: "1000",
      readOnly: false,
      configSource: 1,
      isSensitive: false,
      synonyms: [],
      configType: 5,
      documentation: null,
    });
    const full = await describeOne({
      type: 2,
      name: "t",
      keys: ["segment.bytes"],
      synonyms: true,
      documentation: true,
    });
    expect(full.configs[0]).toMatchObject({
      configSource: 5,
      configType: 3,
      synonyms: [{ name: "log.segment.bytes", value: "1073741824", source: 5 }],
      documentation: expect.stringMatching(/segment/),
    });
  });

  test("what is not there, or cannot be", async () => {
    expect(await describeOne({ type: 2, name: "u" })).toMatchObject({ errorCode: 3, configs: [] });
    expect(await describeOne({ type: 2, name: "a b" })).toMatchObject({ errorCode: 17 });
    expect(await describeOne({ type: 2, name: "" })).toMatchObject({ errorCode: 17 });
  });
});

describe("brokers", () => {
  test("everything, read-only but for what can change at run time", async () => {
    const { configs } = await describeOne({ type: 4, name: "1" });
    const entry = (name: string) => configs.find((config) => config.name === name);
    expect(entry("num.partitions")).toMatchObject({ value: "3", configSource: 4, readOnly: true });
    expect(entry("log.retention.ms")).toMatchObject({ value: null, configSource: 5, readOnly: false });
    expect(entry("leader.replication.throttled.rate")).toBeUndefined();
    expect(configs.length).toBeGreaterThan(300);
  });

  test("secrets are never shown", async () => {
    const result = await describeOne({ type: 4, name: "1", keys: ["ssl.keystore.password"], synonyms: true });
    expect(result.configs[0]).toMatchObject({ value: null, isSensitive: true, synonyms: [{ value: null, source: 4 }] });
  });

  test("the sources of a value, the strongest first", async () => {
    await harness.config.setDynamic(undefined, { "log.retention.ms": "2" });
    await harness.config.setDynamic(1, { "log.retention.ms": "3" });
    const result = await describeOne({ type: 4, name: "1", keys: ["log.retention.ms"], synonyms: true });
    expect(result.configs[0]).toMatchObject({
      value: "3",
      configSource: 2,
      synonyms: [
        { name: "log.retention.ms", value: "3", source: 2 },
        { name: "log.retention.ms", value: "2", source: 3 },
        { name: "log.retention.hours", value: "168", source: 5 },
      ],
    });
  });

  test("the whole cluster has what was set for it", async () => {
    expect(await names({ type: 4, name: "" })).toEqual([]);
    await harness.config.setDynamic(undefined, { "message.max.bytes": "2" });
    const result = await describeOne({ type: 4, name: "", synonyms: true });
    expect(result.configs).toEqual([
      expect.objectContaining({
        name: "message.max.bytes",
        value: "2",
        configSource: 3,
        readOnly: false,
        synonyms: [{ name: "message.max.bytes", value: "2", source: 3 }],
      }),
    ]);
  });

  test("other brokers, and names that are no broker", async () => {
    expect(await describeOne({ type: 4, name: "5" })).toMatchObject({
      errorCode: 42,
      errorMessage: "Unexpected broker id, expected 1 or empty string, but received 5",
    });
    expect(await describeOne({ type: 4, name: "x" })).toMatchObject({ errorCode: 42 });
  });
});

describe("the rest", () => {
  test("the log level", async () => {
    const result = await describeOne({ type: 8, name: "1", synonyms: true });
    expect(result.configs).toEqual([
      expect.objectContaining({ name: "root", value: "INFO", configSource: 6, configType: 0 }),
    ]);
    expect(await describeOne({ type: 8, name: "" })).toMatchObject({ errorCode: 42 });
    expect(await describeOne({ type: 8, name: "5" })).toMatchObject({ errorCode: 42 });
  });

  test("a client metrics subscription has defaults even when there is none", async () => {
    const result = await describeOne({ type: 16, name: "s" });
    expect(result.configs.map(({ name, value, configSource }) => [name, value, configSource])).toEqual([
      ["interval.ms", "300000", 5],
      ["match", "", 5],
      ["metrics", "", 5],
    ]);
    expect(await describeOne({ type: 16, name: "" })).toMatchObject({ errorCode: 42 });
  });

  test("groups have none, and unknown types are refused", async () => {
    expect(await describeOne({ type: 32, name: "g" })).toMatchObject({ errorCode: 0, configs: [] });
    expect(await describeOne({ type: 32, name: "" })).toMatchObject({ errorCode: 42 });
    expect(await describeOne({ type: 99, name: "x" })).toMatchObject({ errorCode: 42 });
  });

  test("an error of the whole request is told to every resource", () => {
    const request = {
      resources: [{ resourceType: 2, resourceName: "t", configurationKeys: null }],
      includeSynonyms: false,
      includeDocumentation: false,
    };
    expect(describeConfigs.fail(request, -1)?.results).toEqual([
      { errorCode: -1, errorMessage: null, resourceType: 2, resourceName: "t", configs: [] },
    ]);
  });
});
