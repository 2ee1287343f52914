import { beforeEach, describe, expect, test } from "vitest";
import { type ConfigHarness, configHarness } from "../../test/fakes/config-harness.js";
import { incrementalAlterConfigs } from "./44-incremental-alter-configs.js";

const SET = 0;
const DELETE = 1;
const APPEND = 2;
const SUBTRACT = 3;

type Change = [name: string, operation: number, value?: string | null];

interface Resource {
  readonly type: number;
  readonly name: string;
  readonly changes: Change[];
}

let harness: ConfigHarness;

beforeEach(async () => {
  harness = await configHarness();
});

async function alterAll(resources: Resource[], validateOnly = false): Promise<string[]> {
  const { responses } = await harness.call(incrementalAlterConfigs, 1, {
    resources: resources.map(({ type, name, changes }) => ({
      resourceType: type,
      resourceName: name,
      configs: changes.map(([config, configOperation, value = null]) => ({ name: config, configOperation, value })),
    })),
    validateOnly,
  });
  return responses.map(
    ({ errorCode, errorMessage }) => `${errorCode}${errorMessage === null ? "" : ` ${errorMessage}`}`,
  );
}

async function alter(type: number, name: string, changes: Change[], validateOnly = false): Promise<string> {
  return (await alterAll([{ type, name, changes }], validateOnly))[0] as string;
}

const topic = (...changes: Change[]): Promise<string> => alter(2, "t", changes);
const overrides = (): Readonly<Record<string, string>> => ({ ...harness.topics.byName("t")?.overrides });

describe("topics", () => {
  test("a value is set, in force at once, and others stay", async () => {
    expect(await topic(["segment.bytes", SET, "2000000"])).toBe("0");
    expect(overrides()).toEqual({ "retention.ms": "1000", "segment.bytes": "2000000" });
    expect(harness.topics.byName("t")?.config.segmentBytes).toBe(2_000_000);
  });

  test("a value is deleted, and what was never set may be", async () => {
    expect(await topic(["retention.ms", DELETE], ["segment.ms", DELETE], ["foo.bar", DELETE])).toBe("0");
    expect(overrides()).toEqual({});
  });

  test("lists grow and shrink, from the value in force", async () => {
    expect(await topic(["cleanup.policy", APPEND, "compact"])).toBe("0");
    expect(overrides()["cleanup.policy"]).toBe("delete,compact");
    expect(await topic(["cleanup.policy", APPEND, "compact,delete"])).toBe("0");
    expect(overrides()["cleanup.policy"]).toBe("delete,compact");
    expect(await topic(["cleanup.policy", SUBTRACT, "delete"])).toBe("0");
    expect(overrides()["cleanup.policy"]).toBe("compact");
    expect(await topic(["cleanup.policy", SUBTRACT, "delete"])).toBe("0");
    expect(overrides()["cleanup.policy"]).toBe("compact");
  });

  test.each<[Change[], string]>([
    [[["retention.ms", APPEND, "5"]], "40 Can't APPEND to key retention.ms because its type is not LIST."],
    [[["retention.ms", SUBTRACT, "5"]], "40 Can't SUBTRACT to key retention.ms because its type is not LIST."],
    [[["foo", APPEND, "5"]], "40 Can't APPEND to key foo because its type is not LIST."],
    [[["retention.ms", SET]], "42 Null value not supported for : retention.ms"],
    [[["cleanup.policy", APPEND]], "42 Null value not supported for : cleanup.policy"],
    [
      [
        ["segment.ms", SET, "5"],
        ["segment.ms", SET, "6"],
      ],
      "42 Error due to duplicate config keys",
    ],
    [[["segment.ms", 9, "5"]], "42 Unknown operation 9 for segment.ms"],
    [[["foo.bar", SET, "1"]], "40 Unknown topic config name: foo.bar"],
    [[["retention.ms", SET, "abc"]], "40 Invalid value abc for configuration retention.ms: Not a number of type LONG"],
    [
      [["cleanup.policy", SET, "shred"]],
      "40 Invalid value shred for configuration cleanup.policy: String must be one of: compact, delete",
    ],
  ])("%j is refused, and nothing changes", async (changes, answer) => {
    expect(await topic(["segment.index.bytes", SET, "100"], ...changes)).toBe(answer);
    expect(overrides()).toEqual({ "retention.ms": "1000" });
  });

  test("a topic that is not there, or cannot be", async () => {
    expect(await alter(2, "u", [["retention.ms", SET, "1"]])).toBe("3 The topic 'u' does not exist.");
    expect(await alter(2, "a b", [["retention.ms", SET, "1"]])).toMatch(/^17 /);
    expect(await alter(2, "", [["retention.ms", SET, "1"]])).toBe("42 Default topic resources are not allowed.");
  });

  test("validate-only changes nothing and finds the same faults", async () => {
    expect(await alter(2, "t", [["retention.ms", SET, "5"]], true)).toBe("0");
    expect(await alter(2, "t", [["retention.ms", SET, "x"]], true)).toMatch(/^40 /);
    expect(overrides()).toEqual({ "retention.ms": "1000" });
  });

  test("alterations at the same time do not lose one another", async () => {
    await Promise.all([topic(["segment.ms", SET, "5"]), topic(["segment.jitter.ms", SET, "6"])]);
    expect(overrides()).toEqual({ "retention.ms": "1000", "segment.ms": "5", "segment.jitter.ms": "6" });
  });

  test("a volume that fails is told, and the next alteration is made", async () => {
    harness.fakeTopics.failing = true;
    expect(await topic(["segment.ms", SET, "5"])).toMatch(/^56 .*read-only/);
    harness.fakeTopics.failing = false;
    expect(await topic(["segment.ms", SET, "5"])).toBe("0");
  });
});

describe("resources of one request", () => {
  test("each stands for itself", async () => {
    const answers = await alterAll([
      { type: 2, name: "t", changes: [["segment.ms", SET, "5"]] },
      { type: 2, name: "u", changes: [["segment.ms", SET, "5"]] },
      { type: 99, name: "x", changes: [] },
    ]);
    expect(answers).toEqual(["0", "3 The topic 'u' does not exist.", "42 Unknown resource type 99"]);
    expect(overrides()["segment.ms"]).toBe("5");
  });

  test("none may be named twice", async () => {
    const resource: Resource = { type: 2, name: "t", changes: [["segment.ms", SET, "5"]] };
    const repeated = "42 Each resource must appear at most once.";
    expect(await alterAll([resource, resource])).toEqual([repeated, repeated]);
    expect(overrides()).toEqual({ "retention.ms": "1000" });
  });

  test("an error of the whole request is told to every resource", () => {
    const resources = [{ resourceType: 2, resourceName: "t", configs: [] }];
    expect(incrementalAlterConfigs.fail({ resources, validateOnly: false }, -1)?.responses).toEqual([
      { errorCode: -1, errorMessage: null, resourceType: 2, resourceName: "t" },
    ]);
  });
});

describe("brokers", () => {
  test("a value for the cluster, and one for this broker", async () => {
    expect(await alter(4, "", [["message.max.bytes", SET, "2"]])).toBe("0");
    expect(harness.config.number("message.max.bytes")).toBe(2);
    expect(await alter(4, "1", [["message.max.bytes", SET, "3"]])).toBe("0");
    expect(harness.config.number("message.max.bytes")).toBe(3);
    expect(JSON.parse(harness.files.documents.get("broker-configs") ?? "")).toEqual({
      cluster: { "message.max.bytes": "2" },
      brokers: { "1": { "message.max.bytes": "3" } },
    });
    expect(await alter(4, "1", [["message.max.bytes", DELETE]])).toBe("0");
    expect(harness.config.number("message.max.bytes")).toBe(2);
  });

  test("what another broker of the cluster sets at the same time is kept", async () => {
    const write = harness.files.writeDocument.bind(harness.files);
    const other = { cluster: {}, brokers: { "2": { "message.max.bytes": "5" } } };
    const subscriptions = { other: { metrics: "*" } };
    harness.files.writeDocument = async (name, version, content) => {
      harness.files.writeDocument = write;
      await write(name, version, name === "broker-configs" ? other : subscriptions);
      return write(name, version, content);
    };
    const overtaken = harness.files.writeDocument;
    expect(await alter(4, "1", [["message.max.bytes", SET, "3"]])).toBe("0");
    expect(JSON.parse(harness.files.documents.get("broker-configs") ?? "")).toEqual({
      cluster: {},
      brokers: { "1": { "message.max.bytes": "3" }, "2": { "message.max.bytes": "5" } },
    });
    harness.files.writeDocument = overtaken;
    expect(await alter(16, "s", [["interval.ms", SET, "5000"]])).toBe("0");
    expect(JSON.parse(harness.files.documents.get("client-metrics-configs") ?? "")).toEqual({
      ...subscriptions,
      s: { "interval.ms": "5000" },
    });
  });

  test("a document that is always overtaken is given up", async () => {
    harness.files.writeDocument = () => Promise.resolve(false);
    expect(await alter(4, "1", [["message.max.bytes", SET, "3"]])).toMatch(/^56 .*all the time/);
  });

  test("a default of topics reaches the topics that do not override it", async () => {
    expect(
      await alter(4, "", [
        ["log.segment.bytes", SET, "3000000"],
        ["log.retention.ms", SET, "7"],
      ]),
    ).toBe("0");
    expect(harness.topics.byName("t")?.config).toMatchObject({ segmentBytes: 3_000_000, retentionMs: 1000 });
  });

  test("a list grows from what the broker was started with", async () => {
    expect(await alter(4, "1", [["log.cleanup.policy", APPEND, "compact"]])).toBe("0");
    expect(harness.config.list("log.cleanup.policy")).toEqual(["delete", "compact"]);
  });

  test("throttles of replication are taken, as reassignment tools set them", async () => {
    expect(await alter(4, "1", [["leader.replication.throttled.rate", SET, "1000"]])).toBe("0");
  });

  test.each<[string, Change, string]>([
    ["1", ["num.partitions", SET, "3"], "42 Cannot update these configs dynamically: [num.partitions]"],
    [
      "1",
      ["mesage.max.bytes", SET, "3"],
      "42 Unknown broker config name: mesage.max.bytes. Did you mean message.max.bytes?",
    ],
    [
      "1",
      ["message.max.bytes", SET, "x"],
      "42 Invalid value x for configuration message.max.bytes: Not a number of type INT",
    ],
    [
      "",
      ["cordoned.log.dirs", SET, "a"],
      "42 Cannot update these configs at default cluster level, broker id must be specified: [cordoned.log.dirs]",
    ],
    ["5", ["message.max.bytes", SET, "3"], "42 Unexpected broker id, expected 1 or empty string, but received 5"],
    ["abc", ["message.max.bytes", SET, "3"], "42 Broker id must be an integer, but it is: abc"],
  ])("broker %j: %j is refused", async (name, change, answer) => {
    expect(await alter(4, name, [change])).toBe(answer);
    expect(harness.files.documents.size).toBe(0);
  });

  test("what cannot be stored is told", async () => {
    harness.files.failing = true;
    expect(await alter(4, "", [["message.max.bytes", SET, "2"]])).toMatch(/^56 .*read-only/);
    expect(harness.config.number("message.max.bytes")).toBe(1_048_588);
  });
});

describe("log levels", () => {
  test("the root logger's can be set, and only looked at", async () => {
    expect(await alter(8, "1", [["root", SET, "DEBUG"]], true)).toBe("0");
    expect(harness.log.level).toBe("info");
    expect(await alter(8, "1", [["root", SET, "DEBUG"]])).toBe("0");
    expect(harness.log.level).toBe("debug");
  });

  test.each<[string, Change, RegExp]>([
    ["1", ["root", SET, "LOUD"], /^40 Cannot set the log level of root to LOUD/],
    ["1", ["kafka.server", SET, "INFO"], /^40 Logger kafka\.server does not exist!/],
    ["1", ["root", DELETE], /^42 Removing the log level/],
    ["1", ["root", APPEND, "INFO"], /^42 APPEND operation is not allowed/],
    ["5", ["root", SET, "INFO"], /^42 Unexpected broker id/],
    ["", ["root", SET, "INFO"], /^42 /],
  ])("logger %j: %j is refused", async (name, change, answer) => {
    expect(await alter(8, name, [change])).toMatch(answer);
    expect(harness.log.level).toBe("info");
  });
});

describe("client metrics subscriptions", () => {
  const stored = (): unknown => JSON.parse(harness.files.documents.get("client-metrics-configs") ?? "null");

  test("begin with their first configuration and end with their last", async () => {
    const match = "client_id=a.*,client_software_name=x";
    expect(
      await alter(16, "s", [
        ["interval.ms", SET, "5000"],
        ["match", SET, match],
      ]),
    ).toBe("0");
    expect(stored()).toEqual({ s: { "interval.ms": "5000", match } });
    expect(await alter(16, "s", [["metrics", APPEND, "org.apache."]])).toBe("0");
    expect(
      await alter(16, "s", [
        ["interval.ms", DELETE],
        ["match", DELETE],
        ["metrics", DELETE],
      ]),
    ).toBe("0");
    expect(stored()).toEqual({});
  });

  test.each<[string, Change, string]>([
    ["s", ["interval.ms", SET, "50"], "42 Invalid value 50 for interval.ms"],
    ["s", ["interval.ms", SET, "3600001"], "42 Invalid value 3600001 for interval.ms"],
    ["s", ["interval.ms", SET, "x"], "40 Invalid value x for configuration interval.ms"],
    ["s", ["match", SET, "foo=bar"], "40 Illegal client matching pattern: foo=bar"],
    ["s", ["match", SET, "client_id=("], "40 Illegal client matching pattern: client_id=("],
    ["s", ["match", SET, "client_id"], "40 Illegal client matching pattern: client_id"],
    ["s", ["foo", SET, "bar"], "42 Unknown client metrics configuration: foo"],
    ["", ["metrics", SET, "*"], "42 Subscription name can't be empty"],
  ])("%j: %j is refused", async (name, change, answer) => {
    expect(await alter(16, name, [change])).toContain(answer);
    expect(stored()).toBeNull();
  });

  test("a stored document that is none is an error", async () => {
    harness.files.documents.set("client-metrics-configs", '{"s":1}');
    expect(await alter(16, "s", [["metrics", SET, "*"]])).toMatch(/^56 .*client-metrics-configs/);
  });
});

describe("groups", () => {
  test("have no configuration that could be set", async () => {
    expect(await alter(32, "g", [["consumer.session.timeout.ms", SET, "50000"]])).toMatch(
      /^40 consumer\.session\.timeout\.ms is not supported/,
    );
    expect(await alter(32, "g", [["consumer.session.timeout.ms", DELETE]])).toBe("0");
    expect(await alter(32, "", [])).toBe("42 Default group resources are not allowed.");
  });
});
