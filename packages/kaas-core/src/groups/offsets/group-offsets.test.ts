import { expect, test } from "vitest";
import { GroupOffsets } from "./group-offsets.js";

const at = (offset: number) => ({ offset, leaderEpoch: -1, metadata: "", committedAt: 0, expiresAt: null });

test("offsets of one incarnation of a topic are not mixed with those of another", () => {
  const offsets = new GroupOffsets();
  offsets.ensureTopic("t", "first").set(0, at(5));
  offsets.ensureTopic("t", "second").set(1, at(6));
  expect(offsets.topic("t")).toEqual({ topicId: "second", partitions: new Map([[1, at(6)]]) });
  offsets.deleteTopic("t", "first");
  expect(offsets.isEmpty).toBe(false);
  offsets.deleteTopic("t", "second");
  expect(offsets.isEmpty).toBe(true);
});

test("a topic without offsets is no topic of the group", () => {
  const offsets = new GroupOffsets();
  offsets.ensureTopic("t", "id").set(0, at(5)).set(1, at(6));
  offsets.delete("t", [0, 7]);
  offsets.delete("unknown", [0]);
  expect([...offsets.topics()]).toHaveLength(1);
  offsets.delete("t", [1]);
  expect(offsets.isEmpty).toBe(true);
});
