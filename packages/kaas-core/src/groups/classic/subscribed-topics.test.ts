import { expect, test } from "vitest";
import { GroupHarness, subscription } from "../../../test/fakes/group-harness.js";
import { ErrorCode } from "../../errors/error-codes.js";

async function deleteOf(topic: string, ...metadata: Buffer[]): Promise<number | undefined> {
  const harness = await new GroupHarness().start();
  await harness.stableGroup(...metadata.map((bytes) => ({ protocols: [{ name: "range", metadata: bytes }] })));
  const result = await harness.coordinator.deleteOffsets("g", [{ topic, partitions: [0] }]);
  return result.topicErrors[0];
}

test("a group subscribes to what any of its members subscribes to", async () => {
  const members = [subscription("a", "b"), subscription("c")];
  for (const topic of ["a", "b", "c"])
    expect(await deleteOf(topic, ...members)).toBe(ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC);
  expect(await deleteOf("d", ...members)).toBe(ErrorCode.NONE);
});

test("later versions of the subscription begin as the first", async () => {
  const later = subscription("a");
  later.writeInt16BE(3);
  const withMore = Buffer.concat([later, Buffer.from([0, 0, 0, 0, 0, 0, 0, 7, 0, 1, 65])]);
  expect(await deleteOf("a", withMore)).toBe(ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC);
  expect(await deleteOf("d", withMore)).toBe(ErrorCode.NONE);
});

test.each([
  ["too short", Buffer.from([0])],
  ["of a negative version", Buffer.from([255, 255, 0, 0, 0, 0])],
  ["cut off", subscription("topic").subarray(0, 9)],
])("a subscription that is %s may be to anything", async (_what, metadata) => {
  expect(await deleteOf("d", metadata)).toBe(ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC);
});
