import { silentLog } from "@kaas/core";
import { describe, expect, test } from "vitest";
import { TestClock } from "../../../packages/kaas-storage/src/testing/test-clock.js";
import { type Turn, WorkQueue } from "../src/reconciling/work-queue.js";

function queueOf(process: (key: string) => Promise<Turn>, concurrency = 2) {
  const clock = new TestClock();
  const random = { uuid: () => "", integer: () => 0 };
  return { clock, queue: new WorkQueue({ name: "q", process, concurrency, clock, random, log: silentLog }) };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Turns that a test ends. */
function gates() {
  const begun: string[] = [];
  const open = new Map<string, () => void>();
  const process = (key: string): Promise<Turn> => {
    begun.push(key);
    return new Promise((resolve) => open.set(key, () => resolve({})));
  };
  return { begun, process, end: (key: string) => open.get(key)?.() };
}

describe("work queue", () => {
  test("a key that waits has one turn, one that is added during its turn has another", async () => {
    const { begun, process, end } = gates();
    const { queue } = queueOf(process, 1);
    queue.add("a");
    queue.add("b");
    queue.add("b");
    queue.add("a");
    await turn();
    expect(begun).toEqual(["a"]);
    end("a");
    await turn();
    end("b");
    await turn();
    end("a");
    await queue.idle();
    expect(begun).toEqual(["a", "b", "a"]);
  });

  test("never works on one key twice at once, and on so many keys", async () => {
    const { begun, process, end } = gates();
    const { queue } = queueOf(process, 2);
    for (const key of ["a", "a", "b", "c"]) queue.add(key);
    queue.add("a");
    expect(begun).toEqual(["a", "b"]);
    end("b");
    await turn();
    expect(begun).toEqual(["a", "b", "c"]);
    end("a");
    await turn();
    expect(begun).toEqual(["a", "b", "c", "a"]);
    end("a");
    end("c");
    await queue.idle();
  });

  test("a key that fails waits twice as long each time, and begins anew once it works", async () => {
    let fails = true;
    const turns: number[] = [];
    const { clock, queue } = queueOf(async () => {
      turns.push(clock.now());
      if (fails) throw new Error("no");
      return {};
    });
    const began = clock.now();
    queue.add("a");
    await queue.idle();
    for (let second = 0; second < 15; second++) {
      clock.advance(1_000);
      await queue.idle();
    }
    expect(turns.map((at) => at - began)).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
    fails = false;
    clock.advance(16_000);
    await queue.idle();
    fails = true;
    queue.add("a");
    await queue.idle();
    const count = turns.length;
    clock.advance(1_000);
    await queue.idle();
    expect(turns).toHaveLength(count + 1);
  });

  test("the longest wait is two minutes, and other keys do not wait", async () => {
    const turns: string[] = [];
    const { clock, queue } = queueOf(async (key) => {
      turns.push(key);
      if (key === "bad") throw new Error("no");
      return {};
    });
    queue.add("bad");
    await queue.idle();
    for (let minute = 0; minute < 30; minute++) {
      clock.advance(120_000);
      await queue.idle();
    }
    const before = turns.length;
    clock.advance(120_000);
    queue.add("good");
    await queue.idle();
    expect(turns.slice(before).sort()).toEqual(["bad", "good"]);
  });

  test("a key comes again after the time that its turn says, or before when it is added", async () => {
    const turns: number[] = [];
    const { clock, queue } = queueOf(async () => {
      turns.push(clock.now());
      return { againAfterMs: 300_000 };
    });
    queue.add("a");
    await queue.idle();
    clock.advance(100_000);
    queue.add("a");
    await queue.idle();
    clock.advance(299_999);
    await queue.idle();
    expect(turns).toHaveLength(2);
    clock.advance(1);
    await queue.idle();
    expect(turns).toHaveLength(3);
    queue.forget("a");
    clock.advance(900_000);
    await queue.idle();
    expect(turns).toHaveLength(3);
  });

  test("stopping lets what has begun end, and begins nothing any more", async () => {
    const { begun, process, end } = gates();
    const { queue } = queueOf(process, 1);
    queue.add("a");
    queue.add("b");
    const stopped = queue.stop();
    queue.add("c");
    end("a");
    await stopped;
    expect(begun).toEqual(["a"]);
  });
});
