import { expect, test } from "vitest";
import { KubernetesError, unreachable } from "../api/kubernetes-error.js";
import { evenRandom } from "../testing/test-clock.js";
import { Backoff } from "./backoff.js";
import { recoveryFrom } from "./recovery.js";

const refused = (code: number, retryAfterSeconds?: number) =>
  new KubernetesError("watch", {
    code,
    reason: "",
    message: "",
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });

test.each([
  ["no answer", unreachable("watch", "reset"), 9, false, false],
  ["410 the first time", refused(410), 1, true, true],
  ["410 again", refused(410), 2, true, false],
  ["401", refused(401), 50, false, false],
  ["403", refused(403), 50, false, false],
  ["429", refused(429), 50, false, false],
  ["404", refused(404), 1, true, false],
  ["400", refused(400), 1, true, false],
  ["500 at first", refused(500), 2, false, false],
  ["500 again and again", refused(500), 3, true, false],
  ["a defect", new Error("x"), 1, true, false],
])("after %s", (_, error, refusals, mustRelist, isImmediate) => {
  expect(recoveryFrom(error, refusals)).toEqual({ mustRelist, isImmediate, waitMsMin: 0 });
});

test("what the server asks for is waited for at least", () => {
  expect(recoveryFrom(refused(429, 12), 1).waitMsMin).toBe(12_000);
});

test("waits double up to the longest, are shortened by chance, and begin anew", () => {
  const waits = (integer: (limit: number) => number): number[] => {
    const backoff = new Backoff({ firstMs: 100, longestMs: 1000 }, { ...evenRandom, integer });
    return Array.from({ length: 6 }, () => backoff.nextMs());
  };
  expect(waits((limit) => limit - 1)).toEqual([100, 200, 400, 800, 1000, 1000]);
  expect(waits(() => 0)).toEqual([50, 100, 200, 400, 500, 500]);
  const backoff = new Backoff({ firstMs: 100, longestMs: 1000 }, { ...evenRandom, integer: () => 0 });
  for (let attempt = 0; attempt < 2000; attempt++) expect(backoff.nextMs()).toBeLessThanOrEqual(1000);
  backoff.reset();
  expect(backoff.nextMs()).toBe(50);
});
