import type { Chance } from "../../../packages/kaas-storage/src/testing/simulated/chance.js";
import { drawClusterScenario, type Scenario } from "../scenario.js";

/** What may happen to those who decide, and to the ways between brokers: how often, at each step of the adversary. */
export interface GovernedScenario {
  /**
   * `storm`: anything fails at any time. `outages`: what fails is the API server, for as long as it likes, and brokers while
   * it is away and when it is not; volume and network are well. What is promised to those that nothing is wrong with is
   * seen best there.
   */
  readonly kind: "storm" | "outages";
  readonly steps: number;
  readonly stepMs: number;
  readonly latencyMs: number;
  /** Share of messages between brokers, and to the API server, that do not arrive. */
  readonly losses: number;
  /** Share of those that take a hundred times as long. */
  readonly delays: number;
  /** A broker that no other reaches. */
  readonly isolations: number;
  readonly apiOutages: number;
  /** A lease that somebody removes or takes. */
  readonly tampering: number;
  /** A broker that is told to end, in order. */
  readonly drains: number;
  /** A pod that is started elsewhere while it still runs. */
  readonly doubles: number;
  /** How wrong wall clocks are. */
  readonly clockErrorMs: number;
}

/** Anything at any time. */
export function drawStorm(chance: Chance): GovernedScenario {
  const rate = (probability: number, low: number, high: number): number =>
    chance.happens(probability) ? chance.between(low, high) : 0;
  return {
    kind: "storm",
    steps: 8 + chance.below(20),
    stepMs: chance.pick([500, 2_000, 6_000]),
    latencyMs: chance.pick([1, 5, 50]),
    losses: rate(0.4, 0.001, 0.05),
    delays: 0.02,
    isolations: rate(0.5, 0.05, 0.3),
    apiOutages: rate(0.4, 0.05, 0.3),
    tampering: rate(0.3, 0.05, 0.2),
    drains: rate(0.5, 0.05, 0.3),
    doubles: rate(0.3, 0.05, 0.2),
    // An hour and a bit: wall clocks need not agree.
    clockErrorMs: chance.pick([0, 4_000_000]),
  };
}

/** Outages of the API server. */
export function drawOutages(chance: Chance): GovernedScenario {
  return {
    kind: "outages",
    steps: 1 + chance.below(3),
    stepMs: chance.pick([2_000, 8_000, 20_000]),
    latencyMs: chance.pick([1, 5, 20]),
    losses: 0,
    delays: 0,
    isolations: 0,
    apiOutages: 1,
    tampering: chance.happens(0.2) ? 0.5 : 0,
    drains: 0,
    doubles: 0,
    clockErrorMs: 0,
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

/** The same on a volume that is well: what is to be handed over is so within a second. */
export function drawQuietScenarioBelow(chance: Chance): Scenario {
  const scenario = drawScenarioBelow(chance);
  return {
    ...scenario,
    partitions: scenario.partitions.map((partition) => ({ ...partition, segmentBytes: 100_000 })),
    concurrentSyncs: 12,
    delayMs: chance.pick([0.3, 1]),
    slowness: 0,
    stalls: 0,
    writeDelayMs: 0,
    syncFailures: 0,
    hangs: 0,
    lostReplies: 0,
    cluster: { ...scenario.cluster, delegations: 0 },
  };
}
