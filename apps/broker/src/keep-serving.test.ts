import { KaasError, silentLog } from "@kaas/core";
import { expect, test } from "vitest";
import type { ServingBroker } from "./compose.js";
import { keepServing } from "./keep-serving.js";

const fenced = new KaasError("KAAS_FENCED", "its fuse is blown");
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Brokers that do nothing but end as told. */
function brokers() {
  const events: string[] = [];
  const fences: ((error: KaasError) => void)[] = [];
  const breaks: ((error: Error) => void)[] = [];
  let now = 0;
  let failing = false;
  let superseded: () => Promise<boolean> = async () => false;
  const start = async (): Promise<ServingBroker> => {
    if (failing) throw new Error("no");
    const number = fences.length;
    events.push(`start ${number}`);
    return {
      broker: undefined as never,
      fenced: new Promise((resolve, reject) => {
        fences.push(resolve);
        breaks.push(reject);
      }),
      isSuperseded: () => superseded(),
      close: async () => void events.push(`close ${number}`),
    };
  };
  const options = {
    start,
    log: silentLog,
    monotonic: () => now,
    started: () => void events.push("started"),
    gaveUp: () => void events.push("gave up"),
  };
  return {
    events,
    fences,
    breaks,
    options,
    pass(ms: number) {
      now += ms;
    },
    fail() {
      failing = true;
    },
    supersede(how: () => Promise<boolean>) {
      superseded = how;
    },
  };
}

test("a broker whose fuse is blown is closed and started again", async () => {
  const { events, fences, options, pass } = brokers();
  const kept = await keepServing(options);
  for (let n = 0; n < 2; n++) {
    pass(60_000);
    fences[n]?.(fenced);
    await turn();
  }
  await kept.close();
  expect(events).toEqual([
    "start 0",
    "started",
    "close 0",
    "start 1",
    "started",
    "close 1",
    "start 2",
    "started",
    "close 2",
  ]);
});

test("one that loses it at once to a broker of another name is started again all the same", async () => {
  const { events, fences, options } = brokers();
  const kept = await keepServing(options);
  for (let n = 0; n < 2; n++) {
    fences[n]?.(fenced);
    await turn();
  }
  await kept.close();
  expect(events.filter((event) => event !== "started")).toEqual([
    "start 0",
    "close 0",
    "start 1",
    "close 1",
    "start 2",
    "close 2",
  ]);
});

test.each([
  ["is another of its name", async () => true],
  ["may be one", () => Promise.reject(new Error("EIO"))],
])("one that loses it at once where there %s is given up", async (_what, superseded) => {
  const again = brokers();
  again.supersede(superseded);
  await keepServing(again.options);
  again.pass(9_999);
  again.fences[0]?.(fenced);
  await turn();
  expect(again.events).toEqual(["start 0", "started", "gave up"]);
});

test("one that cannot start again is given up", async () => {
  const failing = brokers();
  await keepServing(failing.options);
  failing.pass(60_000);
  failing.fail();
  failing.fences[0]?.(fenced);
  await turn();
  expect(failing.events).toEqual(["start 0", "started", "close 0", "gave up"]);
});

test("one that is being stopped stays so", async () => {
  const { events, fences, options, pass } = brokers();
  const kept = await keepServing(options);
  pass(60_000);
  const closed = kept.close();
  fences[0]?.(fenced);
  await closed;
  await turn();
  expect(events).toEqual(["start 0", "started", "close 0"]);
});

test("one whose control plane ends is closed in order, and given up", async () => {
  const { events, breaks, options } = brokers();
  await keepServing(options);
  breaks[0]?.(new Error("the worker is out of memory"));
  await turn();
  expect(events).toEqual(["start 0", "started", "close 0", "gave up"]);
});

test("a control plane that ends while the broker is stopped changes nothing", async () => {
  const { events, breaks, options } = brokers();
  const kept = await keepServing(options);
  const closed = kept.close();
  breaks[0]?.(new Error("the worker is out of memory"));
  await closed;
  await turn();
  expect(events).toEqual(["start 0", "started", "close 0"]);
});
