import { describe, expect, test } from "vitest";
import { type Acknowledgement, afterwards, lookedMs, readEpochs, strangers, takenFrom } from "./epochs.js";

const BOOK = `/srv/export/orders/0/00000001.claim:{"format":1,"epoch":1,"broker":"kaas-0","incarnation":"a"}
/srv/export/orders/0/00000001.seal:{"format":1,"epoch":1,"epochs":[{"epoch":1,"startOffset":0}]}
100.500000000 /srv/export/orders/0/00000001.claim
101.000000000 looked
/srv/export/orders/0/00000003.claim:{"format":1,"epoch":3,"broker":"kaas-0","incarnation":"b"}
/srv/export/orders/0/00000002.claim:{"format":1,"epoch":2,"broker":"kaas-1","incarnation":"c"}
/srv/export/orders/0/00000003.seal:{"format":1,"epoch":3,"epochs":[{"epoch":1,"startOffset":0},{"epoch":2,"startOffset":10},{"epoch":3,"startOffset":20}]}
110.000000000 /srv/export/orders/0/00000002.claim
120.000000000 /srv/export/orders/0/00000003.claim
121.250000000 looked
/srv/export/orders/0/00000004.cla`;

const epochs = readEpochs(BOOK);
const taken = takenFrom("kaas-0", 105_000, epochs);
const acknowledged = (broker: string, offset: number, atMs: number): Acknowledgement[] => [
  { broker, partition: 0, offset, value: "x", atMs },
];

test("what the server wrote down is read, but for what it was cut off in", () => {
  expect(epochs.get(0)?.claims.map(({ epoch, broker, atMs }) => [epoch, broker, atMs])).toEqual([
    [1, "kaas-0", 100_500],
    [2, "kaas-1", 110_000],
    [3, "kaas-0", 120_000],
  ]);
  expect(lookedMs(BOOK)).toBe(121_250);
});

describe("a broker may acknowledge offsets of its own epochs", () => {
  test.each([
    ["kaas-0", 9, 0],
    ["kaas-0", 10, 1],
    ["kaas-1", 9, 1],
    ["kaas-1", 19, 0],
    ["kaas-0", 20, 0],
  ])("%s at offset %i: %i faults", (broker, offset, faults) => {
    expect(strangers(acknowledged(broker, offset, 0), epochs)).toHaveLength(faults);
  });
});

describe("a broker that was taken over from acknowledges nothing until it leads again", () => {
  test("what was taken, and until when", () => {
    expect(taken.get(0)).toMatchObject({ claim: { epoch: 2, broker: "kaas-1" }, untilMs: 120_000 });
    expect(takenFrom("kaas-0", 111_000, epochs).size).toBe(0);
  });

  test.each([
    ["kaas-0", 109_999, 0],
    ["kaas-0", 110_001, 1],
    ["kaas-0", 119_999, 1],
    ["kaas-0", 120_001, 0],
    ["kaas-1", 115_000, 0],
  ])("%s at %i ms: %i faults", (broker, atMs, faults) => {
    expect(afterwards(acknowledged(broker, 5, atMs), "kaas-0", taken)).toHaveLength(faults);
  });
});
