import { residentMiB } from "../process-figures.js";
import { createTopic, type Scenario } from "../scenario.js";
import { cpu, DEFAULT, type Load, produceTo, rate, WARM_UP } from "./produce.js";

const load = (partitions: number): Load => ({ records: 200_000, warmup: WARM_UP, size: 1024, partitions });

/** 16 busy partitions alone; then 1 000 that are open, 100 of them busy. */
export const partitionScenarios: readonly Scenario[] = [
  {
    name: "partitions",
    title: "1 000 partitions open, 100 busy, 1 KiB, each side's default",
    measures: [
      rate(),
      { key: "ofSixteen", unit: "rate as a share of that with 16 partitions" },
      { key: "residentMiB", unit: "RSS MiB", atMost: 0.3 },
      cpu(),
    ],
    async run(contender) {
      const { round, process } = contender;
      if (round === 0) await createTopic(contender, "idle", 900, {});
      const sixteen = await produceTo(contender, `sixteen-${round}`, load(16), DEFAULT);
      const busy = await produceTo(contender, `busy-${round}`, load(100), DEFAULT);
      const [of, all] = [sixteen["recordsPerSecond"], busy["recordsPerSecond"]];
      const ofSixteen = of === undefined || all === undefined ? undefined : all / of;
      return { ...busy, ofSixteen, residentMiB: residentMiB(process.pid) };
    },
  },
];
