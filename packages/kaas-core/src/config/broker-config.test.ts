import { describe, expect, test } from "vitest";
import { FakeClusterFiles } from "../../test/fakes/fake-cluster-files.js";
import { BrokerConfig } from "./broker-config.js";
import { brokerConfigDefinitions, brokerConfigsByName } from "./broker-config-definitions.js";
import { parseConfigValue, refusal } from "./config-value.js";

describe("the table", () => {
  test("names nothing twice, and every default is valid and supported", () => {
    expect(brokerConfigsByName.size).toBe(brokerConfigDefinitions.length);
    for (const definition of brokerConfigDefinitions) {
      if (definition.defaultValue === null) continue;
      const parsed = parseConfigValue(definition, definition.defaultValue);
      expect(parsed, definition.name).not.toHaveProperty("problem");
      if ("value" in parsed) expect(refusal(definition, parsed.value), definition.name).toBeUndefined();
    }
  });
});

describe("what a broker is started with", () => {
  test("is read by type", () => {
    const config = new BrokerConfig({
      "num.partitions": " 3 ",
      "delete.topic.enable": "FALSE",
      listeners: "A://:1,B://:2",
    });
    expect(config.number("num.partitions")).toBe(3);
    expect(config.boolean("delete.topic.enable")).toBe(false);
    expect(config.list("listeners")).toEqual(["A://:1", "B://:2"]);
    expect(config.text("broker.rack")).toBeUndefined();
    expect(config.list("advertised.listeners")).toEqual([]);
  });

  test("a name that does not exist, or of another type, is a bug of ours", () => {
    const config = new BrokerConfig({});
    expect(() => config.number("no.such.config")).toThrow(/assertion failed/);
    expect(() => config.number("delete.topic.enable")).toThrow(/assertion failed/);
    expect(() => config.boolean("num.partitions")).toThrow(/assertion failed/);
    expect(() => config.list("num.partitions")).toThrow(/assertion failed/);
  });

  test("node.id and broker.id are one", () => {
    expect(new BrokerConfig({}).nodeId).toBe(1);
    expect(new BrokerConfig({ "broker.id": "7" }).nodeId).toBe(7);
    expect(new BrokerConfig({ "node.id": "7" }).text("broker.id")).toBe("7");
    expect(() => new BrokerConfig({ "node.id": "7", "broker.id": "8" })).toThrow(/must be the same/);
    expect(() => new BrokerConfig({ "broker.id": "-1" })).toThrow(/at least 0/);
  });

  test("a level of gzip is held to what a topic's is", () => {
    expect(() => new BrokerConfig({ "compression.gzip.level": "-7" })).toThrow(/between 1 and 9 or equal to -1/);
    expect(new BrokerConfig({ "compression.gzip.level": "-1" }).number("compression.gzip.level")).toBe(-1);
  });

  test.each([
    [{ "num.partitons": "3" }, "Unknown broker config name: num.partitons. Did you mean num.partitions?"],
    [{ "num.partitions": "0" }, "Invalid value 0 for configuration num.partitions: Value must be at least 1"],
    [{ "log.retention.ms": "0" }, /retention must be unlimited/],
    [{ "max.connections.per.ip.overrides": "host" }, /host:limit/],
    [{ "authorizer.class.name": "com.example.Authorizer" }, /Java authorizers cannot be run/],
    [{ "listener.name.internal.max.connections": "5" }, /Unknown broker config name/],
  ])("%j stops the start", (values, message) => {
    expect(() => new BrokerConfig(values as Record<string, string>)).toThrow(message);
  });

  test("what means nothing here is taken with one warning for each reason", () => {
    const { warnings } = new BrokerConfig({
      "num.io.threads": "8",
      "num.network.threads": "3",
      "zookeeper.connect": "localhost:2181",
      "log.message.format.version": "3.0",
      "listener.name.internal.ssl.keystore.location": "/k",
      "listener.name.internal.scram-sha-256.sasl.jaas.config": "x",
      "num.partitions": "3",
    });
    expect(warnings).toEqual([
      "no effect in kaas: num.io.threads, num.network.threads (What it tunes does not exist in kaas)",
      "no effect in kaas: zookeeper.connect (there is no ZooKeeper)",
      "no effect in kaas: log.message.format.version (the format is always version 2)",
      "no effect in kaas: listener.name.internal.scram-sha-256.sasl.jaas.config (SCRAM users are those of credentials.json)",
    ]);
  });
});

describe("what is set at run time", () => {
  test("this broker's value is stronger than the cluster's, and that than the start's", async () => {
    const config = new BrokerConfig({ "message.max.bytes": "1" });
    await config.setDynamic(undefined, { "message.max.bytes": "2" });
    expect(config.number("message.max.bytes")).toBe(2);
    await config.setDynamic(1, { "message.max.bytes": "3" });
    expect(config.number("message.max.bytes")).toBe(3);
    expect(config.sourced("message.max.bytes").map(({ source, text }) => `${source}=${text}`)).toEqual([
      "broker=3",
      "cluster=2",
      "static=1",
      "default=1048588",
    ]);
    await config.setDynamic(1, {});
    expect(config.number("message.max.bytes")).toBe(2);
  });

  test("another broker's value is kept, and not in force here", async () => {
    const config = new BrokerConfig({});
    await config.setDynamic(2, { "message.max.bytes": "3" });
    expect(config.number("message.max.bytes")).toBe(1_048_588);
    expect(config.dynamicTexts(2)).toEqual({ "message.max.bytes": "3" });
  });

  test("listeners hear of it once it is in force, until they stop listening", async () => {
    const config = new BrokerConfig({});
    const heard: number[] = [];
    const stop = config.onChange(() => heard.push(config.number("message.max.bytes")));
    await config.setDynamic(undefined, { "message.max.bytes": "2" });
    stop();
    await config.setDynamic(undefined, { "message.max.bytes": "4" });
    expect(heard).toEqual([2]);
  });

  test("it outlives the process", async () => {
    const files = new FakeClusterFiles();
    const first = new BrokerConfig({});
    await first.loadDynamic(files);
    await first.setDynamic(undefined, { "log.retention.ms": "1000" });
    await first.setDynamic(1, { "max.connections": "9" });
    const second = new BrokerConfig({});
    await second.loadDynamic(files);
    expect(second.number("log.retention.ms")).toBe(1000);
    expect(second.number("max.connections")).toBe(9);
  });

  test("what cannot be stored is not in force", async () => {
    const files = new FakeClusterFiles();
    const config = new BrokerConfig({});
    await config.loadDynamic(files);
    files.failing = true;
    await expect(config.setDynamic(undefined, { "message.max.bytes": "2" })).rejects.toThrow(/read-only/);
    expect(config.number("message.max.bytes")).toBe(1_048_588);
  });

  test.each(["[]", '{"cluster":{}}', '{"cluster":{"a":1},"brokers":{}}', '{"cluster":{},"brokers":{"1":[]}}', "3"])(
    "a stored document %s is an error that names it",
    async (text) => {
      const files = new FakeClusterFiles();
      files.documents.set("broker-configs", text);
      await expect(new BrokerConfig({}).loadDynamic(files)).rejects.toThrow(/broker-configs/);
    },
  );
});
