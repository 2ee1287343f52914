import * as tools from "../kafka-tools.js";
import { residentMiB } from "../process-figures.js";
import { createTopic, pause, type Scenario } from "../scenario.js";

const SETTLING_MS = 5000;

/** From the start of the process to its first answer, on an empty folder and on one with 100 partitions. */
export const startScenarios: readonly Scenario[] = [
  {
    name: "start",
    title: "start to first answer, and idle memory",
    roundsMax: 1,
    measures: [
      { key: "emptyMs", unit: "ms, empty", atMost: 0.4 },
      { key: "filledMs", unit: "ms, 100 partitions", atMost: 0.4 },
      { key: "idleMiB", unit: "RSS MiB, idle, 100 partitions", atMost: 0.35 },
    ],
    async run(contender) {
      const { process, bootstrap } = contender;
      await process.stop();
      await process.start();
      const emptyMs = process.startMs;
      await createTopic(contender, "start", 100, {});
      await tools.produce(bootstrap, "start", { records: 10_000, warmup: 1000, size: 100 });
      await process.stop();
      await process.start();
      const filledMs = process.startMs;
      await pause(SETTLING_MS);
      return { emptyMs, filledMs, idleMiB: Math.round(residentMiB(process.pid)) };
    },
  },
];
