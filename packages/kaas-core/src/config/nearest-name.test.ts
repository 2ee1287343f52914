import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.js";

const names = ["retention.ms", "retention.bytes", "segment.ms"];

test.each([
  ["retention.mz", "retention.ms"],
  ["RETENTION.MS", "retention.ms"],
  ["retentionms", "retention.ms"],
  ["segments.ms", "segment.ms"],
  ["something.else.entirely", undefined],
  ["", undefined],
])("%j is near %j", (name, near) => {
  expect(nearestName(name, names)).toBe(near);
});
