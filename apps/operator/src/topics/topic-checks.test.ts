import type { KafkaTopic } from "@kaas/operator-api";
import { expect, test } from "vitest";
import { configRefusal } from "./topic-checks.js";

const topic = (config: Readonly<Record<string, string | number | boolean>>): KafkaTopic => ({
  apiVersion: "kaas.rs/v1alpha1",
  kind: "KafkaTopic",
  metadata: { name: "t" },
  spec: { partitions: 1, config },
});

test("a number that lost digits is refused by name, with what to write instead", () => {
  const config = { "retention.ms": 1000, "flush.messages": Number("9223372036854775807") };
  expect(configRefusal(topic(config))).toEqual({
    reason: "InvalidConfig",
    message: expect.stringMatching(/^spec\.config: flush\.messages is a number beyond 2\^53.*write it in quotes/),
  });
});

test.each([{ a: 1 }, ["compact", "delete"]])("%j is no value", (value) => {
  const config = { "cleanup.policy": value } as unknown as Readonly<Record<string, string>>;
  expect(configRefusal(topic(config))?.message).toMatch(/^spec\.config: cleanup\.policy is a list or an object: write/);
});

test("in quotes it is what it says, and fractions are no such numbers", () => {
  const config = { "flush.messages": "9223372036854775807", "min.cleanable.dirty.ratio": 0.25, preallocate: false };
  expect(configRefusal(topic(config))).toBeUndefined();
});
