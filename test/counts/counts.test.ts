import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COUNT_NAMES, CountedBroker, type Counts } from "./counted-broker.js";
import { steps } from "./workload.js";

const ceilings = JSON.parse(readFileSync(new URL("ceilings.json", import.meta.url), "utf8")) as {
  readonly inProcess: Readonly<Record<string, Counts>>;
};

test("no request costs more writes, fsyncs, reads, buffers and copies than it did", async () => {
  const broker = await CountedBroker.start({ tailCacheBytes: 0, poisons: false });
  try {
    for (const step of steps) {
      const counts = await broker.count(step);
      console.log(`${step.name}: ${COUNT_NAMES.map((name) => `${name} ${counts[name].toFixed(3)}`).join(", ")}`);
      for (const name of COUNT_NAMES) {
        expect
          .soft(counts[name], `${step.name}: ${name}`)
          .toBeLessThanOrEqual(ceilings.inProcess[step.name]?.[name] ?? -1);
      }
    }
  } finally {
    await broker.close();
  }
});
