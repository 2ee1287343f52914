import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LeaseMachine, type ObservedLease } from "./lease-machine.js";

const TIMING = { durationMs: 3000, renewDeadlineMs: 2000, retryMs: 500 };

/** The API server's part: one lease, written only over what was read. */
class Store {
  lease: ObservedLease | undefined;
  #version = 0;

  write(over: ObservedLease | undefined, holder: string, transitions: number): ObservedLease | undefined {
    if (over?.resourceVersion !== this.lease?.resourceVersion) return undefined;
    const resourceVersion = String(++this.#version);
    this.lease = { holder, transitions, durationMs: TIMING.durationMs, resourceVersion };
    return this.lease;
  }
}

type Fate = "done" | "never sent" | "answer lost" | "answer late";

/** A process with a clock of its own, which began at another time than everybody else's. */
class Process {
  readonly machine: LeaseMachine;
  readonly acquired: number[] = [];
  readonly #name: string;
  readonly #offset: number;
  #late: ((heardAt: number) => void) | undefined;

  constructor(name: string, offset: number) {
    this.#name = name;
    this.#offset = offset;
    this.machine = new LeaseMachine(name, TIMING);
  }

  /** Does whatever is next; a write meets its fate. */
  step(now: number, store: Store, fate: Fate): void {
    const mine = now + this.#offset;
    this.#late?.(mine);
    this.#late = undefined;
    const step = this.machine.next(mine);
    if (step.do === "look") this.machine.looked(store.lease, mine);
    if (step.do !== "acquire" && step.do !== "renew") return;
    if (fate === "never sent") return this.machine.failed(mine);
    const epoch = step.do === "acquire" ? step.epoch : step.over.transitions;
    const written = store.write(step.over, this.#name, epoch);
    if (written === undefined) return this.machine.outdated();
    if (fate === "answer lost") return this.machine.failed(mine);
    const hear = (heardAt: number): void => {
      this.machine.wrote(written, mine, heardAt);
      if (step.do === "acquire") this.acquired.push(epoch);
    };
    if (fate === "answer late") this.#late = hear;
    else hear(mine);
  }

  notice(now: number, lease: ObservedLease | undefined): void {
    this.machine.noticed(lease, now + this.#offset);
  }

  epochAt(now: number): number | undefined {
    return this.machine.epochAt(now + this.#offset);
  }
}

const ACTIONS = fc.array(
  fc.record({
    who: fc.nat({ max: 2 }),
    afterMs: fc.constantFrom(0, 1, 100, 499, 500, 1999, 2000, 2999, 3000, 10_000),
    fate: fc.constantFrom<Fate>("done", "done", "done", "never sent", "answer lost", "answer late"),
    act: fc.constantFrom("step", "step", "step", "step", "notice", "stale notice", "remove", "edit"),
  }),
  { minLength: 5, maxLength: 120 },
);

describe("whatever is delayed, lost, removed or edited", () => {
  const histories = (isMeddled: boolean) =>
    fc.property(ACTIONS, (actions) => {
      const store = new Store();
      const processes = [0, 70_000, -5000].map((offset, index) => new Process(`p${index}`, offset));
      const seen: (ObservedLease | undefined)[] = [undefined];
      let now = 100_000;
      for (const { who, afterMs, fate, act } of actions) {
        now += afterMs;
        const process = processes[who] as Process;
        if (act === "notice") process.notice(now, store.lease);
        else if (act === "stale notice") process.notice(now, seen[(who * 7 + afterMs) % seen.length]);
        else if (act === "remove" && isMeddled) store.lease = undefined;
        else if (act === "edit" && isMeddled) store.write(store.lease, "somebody", store.lease?.transitions ?? 0);
        else process.step(now, store, fate);
        seen.push(store.lease);
        if (!isMeddled) {
          const holders = processes.filter((one) => one.epochAt(now) !== undefined);
          expect(holders.length).toBeLessThanOrEqual(1);
        }
      }
      for (const { acquired } of processes) {
        expect(acquired).toEqual([...new Set(acquired)].sort((a, b) => a - b));
      }
      if (!isMeddled) {
        const all = processes.flatMap(({ acquired }) => acquired);
        expect(new Set(all).size).toBe(all.length);
      }
    });

  test("no two hold it at once, and no epoch is held twice", () => {
    fc.assert(histories(false), { numRuns: 2000 });
  });

  test("nobody's own epochs go back, also when people meddle with the lease", () => {
    fc.assert(histories(true), { numRuns: 2000 });
  });

  test("somebody holds it in the end", () => {
    fc.assert(
      fc.property(ACTIONS, (actions) => {
        const store = new Store();
        const processes = [0, 70_000, -5000].map((offset, index) => new Process(`p${index}`, offset));
        let now = 100_000;
        for (const { who, afterMs, fate } of actions) {
          now += afterMs;
          processes[who]?.step(now, store, fate);
        }
        // All is well from now on, and each has its turn every tenth of a second.
        for (let round = 0; round < 100; round++) {
          now += 100;
          for (const process of processes) {
            process.notice(now, store.lease);
            process.step(now, store, "done");
          }
        }
        expect(processes.filter((one) => one.epochAt(now) !== undefined)).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });
});

describe("step by step", () => {
  const lease = (holder: string, transitions: number, resourceVersion: string): ObservedLease => ({
    holder,
    transitions,
    resourceVersion,
    durationMs: 5000,
  });

  test("another's lease is waited for as long as that says, from when it was seen to change last", () => {
    const machine = new LeaseMachine("me", TIMING);
    expect(machine.next(0)).toEqual({ do: "look", leftMs: 2000 });
    machine.looked(lease("other", 3, "a"), 10);
    expect(machine.next(10)).toEqual({ do: "wait", untilMs: 5010 });
    machine.noticed(lease("other", 3, "a"), 4000);
    expect(machine.next(4000)).toEqual({ do: "wait", untilMs: 5010 });
    machine.noticed(lease("other", 3, "b"), 4000);
    expect(machine.next(4000)).toEqual({ do: "wait", untilMs: 9000 });
    expect(machine.next(9000)).toEqual({ do: "acquire", epoch: 4, over: lease("other", 3, "b") });
  });

  test("what is held is renewed, counted from before the renewal was sent", () => {
    const machine = new LeaseMachine("me", TIMING);
    machine.looked(undefined, 0);
    expect(machine.next(0)).toEqual({ do: "acquire", epoch: 1, over: undefined });
    machine.wrote(lease("me", 1, "a"), 0, 900);
    expect(machine.next(900)).toMatchObject({ do: "renew", leftMs: 1100 });
    machine.failed(1500);
    expect(machine.next(1000)).toEqual({ do: "wait", untilMs: 1500 });
    expect(machine.next(1500)).toEqual({ do: "look", leftMs: 500 });
    expect(machine.epochAt(1999)).toBe(1);
    expect(machine.epochAt(2000)).toBeUndefined();
    expect(machine.next(2000)).toMatchObject({ do: "lose" });
    expect(machine.release(2000)).toBeUndefined();
  });

  test("a holder does not take an echo of its past for news", () => {
    const machine = new LeaseMachine("me", TIMING);
    machine.looked(lease("other", 3, "a"), 0);
    machine.looked(lease("", 3, "b"), 1);
    machine.wrote(lease("me", 4, "c"), 1, 2);
    machine.wrote(lease("me", 4, "d"), 500, 501);
    for (const old of [lease("other", 3, "a"), lease("me", 4, "c"), undefined]) machine.noticed(old, 502);
    expect(machine.next(1001)).toMatchObject({ do: "renew", over: { resourceVersion: "d" } });
    machine.noticed(lease("thief", 4, "e"), 1002);
    expect(machine.next(1002)).toMatchObject({ do: "lose", reason: 'it is held by "thief"' });
  });
});
