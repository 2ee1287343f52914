import { expect, test } from "vitest";
import { ApiRegistry } from "./api-registry.js";
import { apiHandlers } from "./index.js";
import { unservedApis } from "./unserved.js";

/** Apache Kafka 4.4 numbers its APIs from 0 to this, without gaps. */
const LAST_API_KEY = 94;

test("every API key of Kafka is either served or listed with a reason, and none is both", () => {
  const served = new ApiRegistry(apiHandlers).all().map(({ handler }) => handler.key);
  const keys = [...served, ...unservedApis.map(({ key }) => key)].sort((a, b) => a - b);
  expect(keys).toEqual(Array.from({ length: LAST_API_KEY + 1 }, (_unused, key) => key));
});

test("Produce 0 is advertised though it is refused", () => {
  const api = new ApiRegistry(apiHandlers).lookup(0);
  expect(api?.advertisedMin).toBe(0);
  expect(api?.handler.versionMin).toBe(3);
});
