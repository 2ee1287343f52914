import type { Scenario } from "../scenario.js";
import { consumeScenarios } from "./consume.js";
import { latencyScenarios } from "./latency.js";
import { partitionScenarios } from "./partitions.js";
import { limitScenarios } from "./physical-limit.js";
import { produceScenarios } from "./produce.js";
import { startScenarios } from "./start.js";

/** All of them, in the order that the table has. */
export const scenarios: readonly Scenario[] = [
  ...produceScenarios,
  ...consumeScenarios,
  ...latencyScenarios,
  ...partitionScenarios,
  ...limitScenarios,
  ...startScenarios,
];
