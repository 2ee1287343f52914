import { describe, expect, test } from "vitest";
import { parseCommandLine } from "./command-line.js";
import { type Settings, settingsOf } from "./settings.js";
import { UsageError } from "./usage-error.js";

interface Given {
  readonly args?: string[];
  readonly environment?: Record<string, string>;
  readonly file?: string;
}

function settings({ args = [], environment = {}, file }: Given): Settings {
  const all = file === undefined ? args : ["--config", "f.properties", ...args];
  const readFile = (path: string): string => {
    if (file === undefined || path !== "f.properties") throw new Error("ENOENT");
    return file;
  };
  return settingsOf({ commandLine: parseCommandLine(all), environment, readFile });
}

const partitions = (given: Given): number => settings(given).config.number("num.partitions");

describe("which value is in force", () => {
  const file = "num.partitions=2\nbroker.rack=r";
  const environment = { KAAS_CFG_NUM_PARTITIONS: "3" };
  const args = ["--override", "num.partitions=4"];

  test("the default, the file, the environment, the override: each is stronger than those before", () => {
    expect(partitions({})).toBe(1);
    expect(partitions({ file })).toBe(2);
    expect(partitions({ file, environment })).toBe(3);
    expect(partitions({ file, environment, args })).toBe(4);
    expect(settings({ file, environment, args }).config.text("broker.rack")).toBe("r");
  });

  test("the last of several", () => {
    expect(partitions({ args: ["--override", "num.partitions=4", "--override", "num.partitions=5"] })).toBe(5);
    expect(partitions({ file: "num.partitions=2\nnum.partitions=6" })).toBe(6);
  });

  test("where the data is", () => {
    const directory = (given: Given): readonly string[] => settings(given).config.list("log.dirs");
    const data = { file: "log.dirs=/file" };
    expect(directory({})).toEqual(["kaas-data"]);
    expect(directory({ file: "log.dir=/one" })).toEqual(["/one"]);
    expect(directory(data)).toEqual(["/file"]);
    const both = { ...data, environment: { KAAS_CFG_LOG_DIRS: "/cfg", KAAS_DATA_DIR: "/env" } };
    expect(directory(both)).toEqual(["/env"]);
    expect(directory({ ...both, args: ["--override", "log.dirs=/override"] })).toEqual(["/override"]);
    expect(directory({ ...both, args: ["--override", "log.dirs=/o", "--data-dir", "/option"] })).toEqual(["/option"]);
  });

  test("where to listen", () => {
    const listeners = (given: Given): string => settings(given).config.list("listeners").join(",");
    const environment = { KAAS_LISTENERS: "PLAINTEXT://:3", KAAS_CFG_LISTENERS: "PLAINTEXT://:2" };
    const file = "listeners=PLAINTEXT://:1";
    expect(listeners({ file, environment })).toBe("PLAINTEXT://:3");
    expect(listeners({ file, environment: { KAAS_LISTENERS: "" } })).toBe("PLAINTEXT://:1");
    expect(listeners({ file, environment, args: ["--listeners", "PLAINTEXT://:4"] })).toBe("PLAINTEXT://:4");
  });

  test("variables stand for dots, underscores and dashes; others are not looked at", () => {
    const environment = { KAAS_CFG_LOG_RETENTION_MS: "5", NUM_PARTITIONS: "9", KAFKA_NUM_PARTITIONS: "9" };
    const { config } = settings({ environment });
    expect(config.number("log.retention.ms")).toBe(5);
    expect(config.number("num.partitions")).toBe(1);
    expect(() => settings({ environment: { KAAS_CFG_A__B___C_D: "1" } })).toThrow(
      "Unknown broker config name: a_b-c.d",
    );
  });
});

describe("what is refused, and where it was given", () => {
  test.each<[Given, string]>([
    [
      { args: ["--override", "num.partitons=4"] },
      "--override: Unknown broker config name: num.partitons. Did you mean num.partitions?",
    ],
    [
      { environment: { KAAS_CFG_NUM_PARTITIONS: "x" } },
      "KAAS_CFG_NUM_PARTITIONS: Invalid value x for configuration num.partitions",
    ],
    [
      { file: "# c\nnum.partitions=0" },
      "f.properties:2: Invalid value 0 for configuration num.partitions: Value must be at least 1",
    ],
    [{ file: "a=\\u1" }, "f.properties, line 1: \\u needs four"],
    [{ file: "authorizer.class.name=x" }, "f.properties:1: Invalid value x for configuration authorizer.class.name"],
    [{ args: ["--config", "missing"] }, "--config missing cannot be read: ENOENT"],
    [{ args: ["--memory", "--data-dir", "/d"] }, "--memory and --data-dir exclude each other"],
    [{ file: "node.id=1", args: ["--override", "broker.id=2"] }, "node.id=1 and broker.id=2 must be the same"],
  ])("%j", (given, message) => {
    expect(() => settings(given)).toThrow(UsageError);
    expect(() => settings(given)).toThrow(message);
  });

  test("a value that a stronger one hides is not looked at", () => {
    expect(partitions({ file: "num.partitions=0", args: ["--override", "num.partitions=4"] })).toBe(4);
  });

  test("memory needs no directory, and a directory of the environment does not matter then", () => {
    expect(settings({ args: ["--memory"], environment: { KAAS_DATA_DIR: "/d" } }).memory).toBe(true);
  });
});

describe("a properties file of Kafka's own", () => {
  test("serves, and its listener for controllers is left out of the warnings' way", () => {
    const file = `
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=localhost:9093
listeners=PLAINTEXT://:9092,CONTROLLER://:9093
inter.broker.listener.name=PLAINTEXT
advertised.listeners=PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL
num.network.threads=3
num.io.threads=8
socket.send.buffer.bytes=102400
socket.receive.buffer.bytes=102400
socket.request.max.bytes=104857600
log.dirs=/tmp/kraft-combined-logs
num.partitions=1
num.recovery.threads.per.data.dir=1
offsets.topic.replication.factor=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.retention.hours=168
log.segment.bytes=1073741824
log.retention.check.interval.ms=300000
`;
    const { config } = settings({ file });
    expect(config.list("log.dirs")).toEqual(["/tmp/kraft-combined-logs"]);
    expect(config.warnings.join("\n")).toContain("controller.quorum.bootstrap.servers");
  });
});
