import { describe, expect, test } from "vitest";
import { BrokerConfig } from "./broker-config.js";
import { ConfigSource } from "./config-entry.js";
import { logConfigOf, resolveTopicConfig, validateTopicOverrides } from "./topic-config.js";
import { topicConfigDefinitions } from "./topic-config-definitions.js";
import { describeTopicConfigs } from "./topic-config-description.js";

const defaults = new BrokerConfig({});

describe("what a topic has without a value of its own", () => {
  test("each default is that of the broker configuration behind it", () => {
    for (const { name, brokerConfig, defaultValue } of topicConfigDefinitions) {
      if (brokerConfig !== undefined) expect(defaults.text(brokerConfig), name).toBe(defaultValue);
    }
  });

  test("each default is valid, and needs no refusal", () => {
    const overrides = topicConfigDefinitions.filter(({ defaultValue }) => defaultValue !== null);
    const all = Object.fromEntries(overrides.map(({ name, defaultValue }) => [name, defaultValue as string]));
    expect(validateTopicOverrides(all)).toBeUndefined();
  });

  test("every group of appends is fsynced, and records are kept for a week", () => {
    const config = resolveTopicConfig({}, defaults);
    expect(config).toMatchObject({ flushMessages: 1, retentionMs: 604_800_000, segmentBytes: 1 << 30 });
    expect(config.cleanupPolicy).toEqual({ delete: true, compact: false });
  });

  test("hours and minutes of the broker stand for milliseconds", () => {
    const retention = (values: Record<string, string>) => resolveTopicConfig({}, new BrokerConfig(values)).retentionMs;
    expect(retention({ "log.retention.hours": "2" })).toBe(7_200_000);
    expect(retention({ "log.retention.hours": "2", "log.retention.minutes": "3" })).toBe(180_000);
    expect(retention({ "log.retention.ms": "5", "log.retention.minutes": "3" })).toBe(5);
    expect(retention({ "log.retention.hours": "-1" })).toBe(-1);
    const rolled = resolveTopicConfig({}, new BrokerConfig({ "log.roll.hours": "1", "log.roll.jitter.hours": "1" }));
    expect(rolled).toMatchObject({ segmentMs: 3_600_000, segmentJitterMs: 3_600_000 });
  });
});

describe("what a topic says itself", () => {
  test("wins over the broker", () => {
    const broker = new BrokerConfig({ "log.segment.bytes": "2097152", "log.cleanup.policy": "compact" });
    const config = resolveTopicConfig({ "segment.bytes": "1048576", "cleanup.policy": "delete,compact" }, broker);
    expect(config.segmentBytes).toBe(1_048_576);
    expect(config.cleanupPolicy).toEqual({ delete: true, compact: true });
  });

  test("says how it is compacted", () => {
    const broker = new BrokerConfig({ "log.cleaner.min.cleanable.ratio": "0.25" });
    const config = resolveTopicConfig({ "delete.retention.ms": "7", "max.compaction.lag.ms": "9" }, broker);
    expect(config).toMatchObject({
      deleteRetentionMs: 7,
      minCompactionLagMs: 0,
      maxCompactionLagMs: 9,
      minCleanableDirtyRatio: 0.25,
    });
  });

  test("an empty policy removes nothing", () => {
    expect(resolveTopicConfig({ "cleanup.policy": "" }, defaults).cleanupPolicy).toEqual({
      delete: false,
      compact: false,
    });
  });

  test("tests may have segments below the lower bound", () => {
    expect(resolveTopicConfig({ "internal.segment.bytes": "1000" }, defaults).segmentBytes).toBe(1000);
  });

  test("a stored value that cannot be read is an error that names it", () => {
    expect(() => resolveTopicConfig({ "segment.bytes": "big" }, defaults)).toThrow(/segment\.bytes/);
  });
});

describe("validation", () => {
  test.each<[Record<string, string>, string | RegExp]>([
    [{ "retention.ms": "-2" }, "Invalid value -2 for configuration retention.ms: Value must be at least -1"],
    [{ "retention.mz": "1" }, "Unknown topic config name: retention.mz. Did you mean retention.ms?"],
    [{ "what.is.this.config": "1" }, "Unknown topic config name: what.is.this.config"],
    [{ "follower.replication.throttled.replicas": "x" }, /partitionId/],
    [{ "remote.storage.enable": "true" }, /remote\.storage\.enable=true is not supported/],
    [{ "min.compaction.lag.ms": "2", "max.compaction.lag.ms": "1" }, /conflict topic config setting/],
  ])("%j is refused", (overrides, message) => {
    const problem = validateTopicOverrides(overrides);
    expect(problem?.name).toBe(Object.keys(overrides)[0]);
    if (typeof message === "string") expect(problem?.message).toBe(message);
    else expect(problem?.message).toMatch(message);
  });

  test("what clients set though it means nothing here is taken", () => {
    const overrides = {
      "min.insync.replicas": "2",
      "unclean.leader.election.enable": "true",
      "leader.replication.throttled.replicas": "0:1,1:1",
      "follower.replication.throttled.replicas": "*",
      "remote.storage.enable": "false",
      "local.retention.ms": "1000",
      "cleanup.policy": "compact",
      "min.cleanable.dirty.ratio": "0.1",
      "flush.messages": "0",
    };
    expect(validateTopicOverrides(overrides)).toBeUndefined();
  });
});

describe("description", () => {
  const entry = (name: string, overrides: Record<string, string>, config: BrokerConfig = defaults) =>
    describeTopicConfigs(overrides, config).find((candidate) => candidate.name === name);

  test("names every configuration but the internal one, until it is set", () => {
    const names = describeTopicConfigs({}, defaults).map(({ name }) => name);
    expect(names).toHaveLength(37);
    expect(names).not.toContain("internal.segment.bytes");
    expect(entry("internal.segment.bytes", { "internal.segment.bytes": "9" })?.value).toBe("9");
  });

  test("a default is the broker's, by its name there", () => {
    expect(entry("segment.bytes", {})).toMatchObject({
      value: "1073741824",
      source: ConfigSource.DEFAULT,
      synonyms: [{ name: "log.segment.bytes", value: "1073741824", source: ConfigSource.DEFAULT }],
    });
  });

  test("values are described as they are understood; what a topic inherits is named as it was given", () => {
    expect(entry("cleanup.policy", { "cleanup.policy": "compact , delete" })).toMatchObject({
      value: "compact,delete",
      synonyms: [{ value: "compact,delete" }, { name: "log.cleanup.policy" }],
    });
    const config = new BrokerConfig({ "log.retention.ms": " +7 " });
    expect(entry("retention.ms", {}, config)).toMatchObject({
      value: "7",
      synonyms: [{ name: "log.retention.ms", value: " +7 " }, { name: "log.retention.hours" }],
    });
  });

  test("a default by another name gives the value and is not named", () => {
    expect(entry("retention.ms", {})).toMatchObject({ value: "604800000", source: 5, synonyms: [] });
  });

  test("a value given at the start in hours is named in hours", () => {
    expect(entry("retention.ms", {}, new BrokerConfig({ "log.retention.hours": "24" }))).toMatchObject({
      value: "86400000",
      source: ConfigSource.STATIC_BROKER,
      synonyms: [
        { name: "log.retention.hours", value: "24", source: ConfigSource.STATIC_BROKER },
        { name: "log.retention.hours", value: "168", source: ConfigSource.DEFAULT },
      ],
    });
  });

  test("the topic's own value comes first", () => {
    expect(entry("max.message.bytes", { "max.message.bytes": "5" })).toMatchObject({
      value: "5",
      source: ConfigSource.DYNAMIC_TOPIC,
      synonyms: [
        { name: "max.message.bytes", value: "5", source: ConfigSource.DYNAMIC_TOPIC },
        { name: "message.max.bytes", value: "1048588", source: ConfigSource.DEFAULT },
      ],
    });
  });

  test("an empty list is a value", () => {
    expect(entry("cleanup.policy", { "cleanup.policy": "" })?.value).toBe("");
  });
});

describe("a log's configuration without a broker", () => {
  test("is the topic's over the defaults: fsynced each time, kept for a week", () => {
    expect(logConfigOf()).toMatchObject({ flushMessages: 1, retentionMs: 604_800_000, compressionType: "producer" });
    expect(logConfigOf({ "retention.ms": "-1" })).toEqual({ ...logConfigOf(), retentionMs: -1 });
  });

  test.each([{ "retention.msx": "1" }, { "retention.ms": "week" }])("refuses %o", (overrides) => {
    expect(() => logConfigOf(overrides)).toThrow(expect.objectContaining({ code: "KAAS_CONFIG_INVALID" }));
  });
});
