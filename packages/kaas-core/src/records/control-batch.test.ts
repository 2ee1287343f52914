import { expect, test } from "vitest";
import * as batch from "./batch.js";
import { buildBatch } from "./build-batch.js";
import { buildTransactionMarker, ControlType, readControlBatch } from "./control-batch.js";
import { validateBatch } from "./validate-batch.js";

const marker = { producerId: 77, producerEpoch: 3, coordinatorEpoch: 12, timestamp: 1_700_000_000_000 };

test.each([
  [true, ControlType.COMMIT],
  [false, ControlType.ABORT],
])("a marker that commits: %s", (isCommit, type) => {
  const built = buildTransactionMarker({ ...marker, isCommit }, { baseOffset: 5, leaderEpoch: 2 });
  expect(validateBatch(built, 0, built.length, { maxMessageBytes: 1000, origin: "coordinator" })).toBeUndefined();
  expect(readControlBatch(built, 0)).toEqual({ type, coordinatorEpoch: 12 });
  expect(batch.isControl(built, 0)).toBe(true);
  expect(batch.isTransactional(built, 0)).toBe(true);
  expect(batch.producerId(built, 0)).toBe(77);
  expect(batch.producerEpoch(built, 0)).toBe(3);
  expect(batch.baseSequence(built, 0)).toBe(-1);
  expect(batch.maxTimestamp(built, 0)).toBe(marker.timestamp);
  expect(batch.baseOffset(built, 0)).toBe(5);
  expect(batch.leaderEpoch(built, 0)).toBe(2);
});

test("control records of other kinds have a type and nothing else", () => {
  const leaderChange = buildBatch([{ key: Buffer.from([0, 0, 0, 2]), value: Buffer.from("whatever") }]);
  expect(readControlBatch(leaderChange, 0)).toEqual({ type: 2, coordinatorEpoch: undefined });
});

test("a control record cut short is refused", () => {
  const short = buildBatch([{ key: Buffer.from([0, 0, 0]), value: Buffer.alloc(6) }]);
  expect(() => readControlBatch(short, 0)).toThrow("malformed");
});
