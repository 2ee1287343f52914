import type { Assignment, Clock, Log, Timer } from "@kaas/core";
import { silentLog } from "@kaas/core";
import { expect, test } from "vitest";
import { AssignmentFollower } from "./follower.js";

/** Time that passes when it is told to. */
class ManualClock implements Clock {
  #now = 0;
  readonly #timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  schedule(delayMs: number, callback: () => void): Timer {
    const timer = { at: this.#now + delayMs, callback };
    this.#timers.push(timer);
    return { cancel: () => void this.#timers.splice(this.#timers.indexOf(timer) >>> 0, 1) };
  }

  async pass(ms: number): Promise<void> {
    this.#now += ms;
    for (const timer of this.#timers.filter(({ at }) => at <= this.#now)) {
      this.#timers.splice(this.#timers.indexOf(timer), 1);
      timer.callback();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const assignment = (controllerEpoch: number, version: number): Assignment => ({
  controllerEpoch,
  version,
  controllerId: 0,
  createdMs: 0,
  brokers: [],
  topics: [],
  slots: { groups: [], transactions: [] },
});

function follower(log: Log = silentLog) {
  const clock = new ManualClock();
  const adopted: string[] = [];
  let found: Assignment | Error | undefined;
  const one = new AssignmentFollower({
    self: { nodeId: 0, name: "kaas-0" },
    clock,
    log,
    source: {
      async newer() {
        if (found instanceof Error) throw found;
        return found;
      },
    },
    adopted: ({ controllerEpoch, version }) => void adopted.push(`${controllerEpoch}-${version}`),
  });
  const find = (next: Assignment | Error | undefined): void => {
    found = next;
  };
  return { one, clock, adopted, find };
}

test("the newest counts, whoever tells of it", async () => {
  const { one, clock, adopted, find } = follower();
  expect(one.ageMs).toBe(-1);
  find(assignment(1, 1));
  await one.start();
  one.offer(assignment(1, 3));
  one.offer(assignment(1, 2));
  find(assignment(2, 1));
  await clock.pass(1_000);
  one.offer(assignment(1, 9));
  expect(adopted).toEqual(["1-1", "1-3", "2-1"]);
  expect(one.current).toMatchObject({ controllerEpoch: 2 });
  await clock.pass(500);
  expect(one.ageMs).toBe(500);
  one.stop();
  one.offer(assignment(3, 1));
  await clock.pass(5_000);
  expect(adopted).toHaveLength(3);
});

test("a volume that cannot be read is complained of once a minute, and looked at again", async () => {
  const warnings: string[] = [];
  const { one, clock, adopted, find } = follower({ ...silentLog, warn: (_fields, text) => void warnings.push(text) });
  find(new Error("EIO"));
  await one.start();
  for (let n = 0; n < 61; n++) await clock.pass(1_000);
  expect(warnings).toHaveLength(2);
  find(assignment(1, 1));
  await clock.pass(1_000);
  expect(adopted).toEqual(["1-1"]);
  one.stop();
});

test("one in which another broker that lives has the node id is not taken, until that broker is gone", async () => {
  const errors: string[] = [];
  const { one, clock, adopted, find } = follower({ ...silentLog, error: (_fields, text) => void errors.push(text) });
  const led = (version: number, name: string, isAlive: boolean): Assignment => ({
    ...assignment(1, version),
    brokers: [{ nodeId: 0, name, incarnation: "i", rack: null, listeners: [], isFenced: false, isAlive }],
  });
  find(led(1, "other-0", true));
  await one.start();
  await clock.pass(1_000);
  one.offer(led(2, "other-0", true));
  expect([adopted, one.current, one.nodeIdOwner]).toEqual([[], undefined, "other-0"]);
  expect(errors).toEqual(["node id 0 is that of other-0, which lives: kaas-0 leads nothing until it is gone"]);
  one.offer(led(3, "other-0", false));
  expect([adopted, one.nodeIdOwner]).toEqual([["1-3"], undefined]);
  one.offer(led(4, "kaas-0", true));
  expect(adopted).toEqual(["1-3", "1-4"]);
  one.stop();
});
