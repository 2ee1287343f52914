import { describe, expect, test } from "vitest";
import { configuration, modelOf, SMALL_CONFIGURATIONS } from "./configuration.js";
import { REMOVED_STEPS, WORLDS } from "./removed-steps.js";
import { search } from "./search.js";
import { StateSet } from "./state-set.js";
import { layoutOf } from "./state.js";
import { Symmetry } from "./symmetry.js";
import { traceOf } from "./trace.js";

const STATES_MAX = 500_000;

describe("the whole protocol", () => {
  test.each(SMALL_CONFIGURATIONS)("holds: $name", (settings) => {
    const { finding, states } = search(modelOf(settings), STATES_MAX);
    expect(finding).toBeUndefined();
    expect(states).toBeGreaterThan(500);
  });
});

/** The quick ones; `npm run test:model` has them all. */
const QUICK = REMOVED_STEPS.flatMap((step) => {
  const settings = WORLDS[step][0];
  return settings === undefined || settings.epochs > 3 || settings.sweeps ? [] : [{ step, settings }];
});

describe("each step is needed", () => {
  test.each(QUICK)("$step", ({ step, settings }) => {
    expect(search(modelOf(settings, step), STATES_MAX).finding?.violation).toBeDefined();
  });
});

describe("the search", () => {
  test("says who does what on the shortest way to what is wrong", () => {
    const model = modelOf(configuration("two", { processes: 2, epochs: 2 }), "a record is synced");
    const { finding } = search(model);
    expect(finding?.violation).toBe("offset 0 of epoch 1 was served, and is not durable");
    expect(traceOf(model, finding?.path ?? [])).toEqual([
      "A claims epoch 1",
      "A lists again",
      "A lists seals, markers and manifests",
      "A seals epoch 1",
      "A reads its fuse before it shows anything: LIVE",
      "A shows what its seal holds, up to offset 0",
      "A appends offset 0",
      "A syncs, up to offset 1",
      "A reads its fuse: LIVE",
      "A acknowledges offset 0",
    ]);
  });

  test("gives up on a model that has grown too large", () => {
    expect(() => search(modelOf(configuration("three", {})), 100)).toThrow("more than 100 states");
  });

  test("finds as many states, by as many steps, as it has always found", () => {
    // A model that is changed by accident finds fewer.
    const { states, steps, depth } = search(modelOf(configuration("three", { serverCrashes: 1 })));
    expect({ states, steps, depth }).toEqual({ states: 18_979, steps: 56_502, depth: 37 });
  });

  test("takes states that differ in who is who for one", () => {
    const layout = layoutOf(3, 2);
    const symmetry = new Symmetry(layout, 0);
    const states = [0, 1, 2].map((who) => {
      const state = new Uint8Array(layout.bytes);
      state[layout.process[who] as number] = 5;
      state[layout.epoch[1] as number] = who + 1;
      symmetry.apply(state);
      return [...state];
    });
    expect(states[1]).toEqual(states[0]);
    expect(states[2]).toEqual(states[0]);
  });

  test("keeps every state once, and gives it back", () => {
    const set = new StateSet(8);
    const state = new Uint32Array(2);
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 70_000; n++) {
        state[0] = n >> 3;
        state[1] = n & 7;
        if (set.add(state) >= 0 !== (round === 0)) throw new Error(`state ${n} in round ${round}`);
      }
    }
    const out = new Uint8Array(8);
    set.get(69_999, out);
    expect([...new Uint32Array(out.buffer)]).toEqual([69_999 >> 3, 69_999 & 7]);
    expect(set.count).toBe(70_000);
  });
});
