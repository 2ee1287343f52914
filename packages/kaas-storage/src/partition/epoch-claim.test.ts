import { expect, test } from "vitest";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { TestRandom } from "../testing/test-clock.js";
import { claimEpoch } from "./epoch-claim.js";

test("of all who claim at once, no two get the same epoch", async () => {
  const fileSystem = new LosingFileSystem();
  await fileSystem.makeDirectory("/p");
  const claims = await Promise.allSettled(
    Array.from({ length: 6 }, (_, n) =>
      claimEpoch({ fileSystem, random: new TestRandom(n * 1_000), broker: `kaas-${n}`, incarnation: `${n}` }, "/p"),
    ),
  );
  const epochs = claims.flatMap((one) => (one.status === "fulfilled" ? [one.value.epoch] : []));
  expect(epochs.length).toBeGreaterThan(0);
  expect(new Set(epochs).size).toBe(epochs.length);
  // Whoever has the highest knows that nobody is above him.
  const claimed = (await fileSystem.list("/p")).filter(({ name }) => name.endsWith(".claim")).length;
  expect(Math.max(...epochs)).toBe(claimed - 1);
});
