import * as tools from "../kafka-tools.js";
import { createTopic, type Measure, measured, type Scenario, scaled } from "../scenario.js";
import { cpu } from "./produce.js";

function endToEnd(name: string, title: string, configs: Readonly<Record<string, string>>, atMost?: number): Scenario {
  const p99: Measure = { key: "p99Ms", unit: "p99 ms", ...(atMost === undefined ? {} : { atMost }) };
  return {
    name,
    title,
    measures: [p99, { key: "p50Ms", unit: "p50 ms" }, cpu()],
    async run(contender) {
      const topic = `latency-${contender.round}`;
      const records = scaled(3000, contender.scale);
      await createTopic(contender, topic, 1, configs);
      return measured(contender, records, () => tools.endToEnd(contender.bootstrap, topic, records));
    },
  };
}

export const latencyScenarios: readonly Scenario[] = [
  endToEnd("latency", "end to end 1 KiB, fsync on each append", { "flush.messages": "1" }, 0.5),
  endToEnd("latency-default", "end to end 1 KiB, each side's default", {}),
];
