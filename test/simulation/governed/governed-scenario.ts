import type { Chance } from "../../../packages/kaas-storage/src/testing/simulated/chance.js";
import { drawClusterScenario, type Scenario } from "../scenario.js";

/** What may happen to those who decide, and to the ways between brokers: how often, at each step of the adversary. */
export interface GovernedScenario {
  readonly steps: number;
  readonly stepMs: number;
  readonly latencyMs: number;
  /** Share of messages between brokers, and to the API server, that do not arrive. */
  readonly losses: number;
  /** A broker that no other reaches. */
  readonly isolations: number;
  readonly apiOutages: number;
  /** A lease that somebody removes or takes. */
  readonly tampering: number;
  /** A broker that is told to end, in order. */
  readonly drains: number;
  /** A pod that is started elsewhere while it still runs. */
  readonly doubles: number;
}

export function drawGovernedScenario(chance: Chance): GovernedScenario {
  const rate = (probability: number, low: number, high: number): number =>
    chance.happens(probability) ? chance.between(low, high) : 0;
  return {
    steps: 8 + chance.below(20),
    stepMs: chance.pick([500, 2_000, 6_000]),
    latencyMs: chance.pick([1, 5, 50]),
    losses: rate(0.4, 0.001, 0.05),
    isolations: rate(0.5, 0.05, 0.3),
    apiOutages: rate(0.4, 0.05, 0.3),
    tampering: rate(0.3, 0.05, 0.2),
    drains: rate(0.5, 0.05, 0.3),
    doubles: rate(0.3, 0.05, 0.2),
  };
}

/** Storage and machines as in the other world, with several partitions of one topic and three brokers. */
export function drawScenarioBelow(chance: Chance): Scenario {
  const scenario = drawClusterScenario(chance);
  const [first] = scenario.partitions;
  if (first === undefined) return scenario;
  return {
    ...scenario,
    partitions: Array.from({ length: 2 + chance.below(3) }, () => first),
    slots: chance.below(3),
    cluster: { ...scenario.cluster, brokers: 3 },
  };
}
