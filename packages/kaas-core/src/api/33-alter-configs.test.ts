import { beforeEach, describe, expect, test } from "vitest";
import { type ConfigHarness, configHarness } from "../../test/fakes/config-harness.js";
import { alterConfigs } from "./33-alter-configs.js";

let harness: ConfigHarness;

beforeEach(async () => {
  harness = await configHarness();
});

interface Resource {
  readonly type: number;
  readonly name: string;
  readonly configs: [string, string | null][];
}

async function alter(resources: Resource[], validateOnly = false): Promise<string[]> {
  const { responses } = await harness.call(alterConfigs, 2, {
    resources: resources.map(({ type, name, configs }) => ({
      resourceType: type,
      resourceName: name,
      configs: configs.map(([config, value]) => ({ name: config, value })),
    })),
    validateOnly,
  });
  return responses.map(
    ({ errorCode, errorMessage }) => `${errorCode}${errorMessage === null ? "" : ` ${errorMessage}`}`,
  );
}

const overrides = (): Readonly<Record<string, string>> => ({ ...harness.topics.byName("t")?.overrides });

describe("AlterConfigs", () => {
  test("replaces everything that a topic has", async () => {
    expect(await alter([{ type: 2, name: "t", configs: [["segment.ms", "5"]] }])).toEqual(["0"]);
    expect(overrides()).toEqual({ "segment.ms": "5" });
    expect(await alter([{ type: 2, name: "t", configs: [] }])).toEqual(["0"]);
    expect(overrides()).toEqual({});
  });

  test("replaces what was set for the cluster and for a broker, each by itself", async () => {
    await harness.config.setDynamic(undefined, { "message.max.bytes": "2" });
    await harness.config.setDynamic(1, { "message.max.bytes": "3", "max.connections": "4" });
    expect(await alter([{ type: 4, name: "1", configs: [["max.connections", "5"]] }])).toEqual(["0"]);
    expect(harness.config.number("max.connections")).toBe(5);
    expect(harness.config.number("message.max.bytes")).toBe(2);
  });

  test.each<[[string, string | null][], RegExp]>([
    [[["retention.ms", null]], /^42 Null value not supported for : retention\.ms/],
    [
      [
        ["retention.ms", "1"],
        ["retention.ms", "2"],
      ],
      /^42 Error due to duplicate config keys/,
    ],
    [[["foo", "1"]], /^40 Unknown topic config name: foo/],
    [[["retention.ms", "-9"]], /^40 Invalid value -9/],
  ])("%j is refused, and nothing changes", async (configs, answer) => {
    expect((await alter([{ type: 2, name: "t", configs }]))[0]).toMatch(answer);
    expect(overrides()).toEqual({ "retention.ms": "1000" });
  });

  test("validate-only changes nothing", async () => {
    expect(await alter([{ type: 2, name: "t", configs: [] }], true)).toEqual(["0"]);
    expect(overrides()).toEqual({ "retention.ms": "1000" });
  });

  test("log levels cannot be replaced, nor what is no resource", async () => {
    const answers = await alter([
      { type: 8, name: "1", configs: [["root", "INFO"]] },
      { type: 99, name: "x", configs: [] },
      { type: 2, name: "u", configs: [] },
    ]);
    expect(answers).toEqual([
      "42 Unknown resource type 8",
      "42 Unknown resource type 99",
      "3 The topic 'u' does not exist.",
    ]);
  });

  test("a resource named twice is refused twice", async () => {
    const resource: Resource = { type: 2, name: "t", configs: [] };
    expect(await alter([resource, resource])).toEqual(Array(2).fill("42 Each resource must appear at most once."));
  });

  test("an error of the whole request is told to every resource", () => {
    const resources = [{ resourceType: 2, resourceName: "t", configs: [] }];
    expect(alterConfigs.fail({ resources, validateOnly: false }, 56)?.responses).toEqual([
      { errorCode: 56, errorMessage: null, resourceType: 2, resourceName: "t" },
    ]);
  });
});
