import { beforeEach, describe, expect, test } from "vitest";
import { type ConfigHarness, configHarness } from "../../test/fakes/config-harness.js";
import { writeSubscriptions } from "../config/client-metrics-config.js";
import { listConfigResources } from "./74-list-config-resources.js";

let harness: ConfigHarness;

beforeEach(async () => {
  harness = await configHarness();
  await writeSubscriptions(harness.files, 0, { s: { metrics: "*" } });
});

async function list(resourceTypes: number[], version = 1): Promise<unknown> {
  const { errorCode, configResources } = await harness.call(listConfigResources, version, { resourceTypes });
  if (errorCode !== 0) return errorCode;
  return configResources?.map(({ resourceType, resourceName }) => `${resourceType}:${resourceName}`);
}

describe("ListConfigResources", () => {
  test("no type means all", async () => {
    expect(await list([])).toEqual(["2:t", "4:1", "8:1", "16:s"]);
  });

  test.each([
    [[2], ["2:t"]],
    [[2, 2], ["2:t"]],
    [
      [4, 8],
      ["4:1", "8:1"],
    ],
    [[32], []],
  ])("types %j", async (types, listed) => {
    expect(await list(types)).toEqual(listed);
  });

  test("a type that does not exist fails the request", async () => {
    expect(await list([2, 99])).toBe(35);
    expect(await list([0])).toBe(35);
  });

  test("version 0 lists client metrics subscriptions", async () => {
    expect(await list([], 0)).toEqual(["16:s"]);
  });

  test("an error of the whole request", () => {
    expect(listConfigResources.fail({ resourceTypes: [] }, -1)).toMatchObject({ errorCode: -1 });
  });
});
