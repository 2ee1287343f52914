import { expect, test } from "vitest";
import { heapCounts } from "./gc-trace.js";

test("what collections found beyond what the one before had left was allocated", () => {
  const trace = `
[1:0x1]  10 ms: Scavenge 10.0 (20.0) -> 4.0 (20.0) MB, 0.9 / 0.0 ms  (average mu = 1, current mu = 1) task;
{"level":"info","msg":"something else"}
[1:0x1]  20 ms: Scavenge 7.5 (20.0) -> 4.5 (20.0) MB, 0.9 / 0.0 ms  (average mu = 1, current mu = 1) task;
[1:0x1]  30 ms: Mark-Compact (reduce) 5.0 (20.0) -> 3.0 (20.0) MB, 1.5 / 0.0 ms  (average mu = 1) external memory;
`;
  expect(heapCounts(trace)).toEqual({ allocatedBytes: 4 * 1024 * 1024, fullCollections: 1 });
});
