import { type Outcome, outcomeOf } from "../outcome.js";
import { World } from "../world.js";
import { runGoverned } from "./governed.js";
import { drawOutages, drawQuietScenarioBelow, drawScenarioBelow, drawStorm } from "./governed-scenario.js";

/** One history of a cluster that governs itself, from the seed to the last invariant. */
export function simulate(seed: number): Promise<Outcome> {
  // In odd seeds anything fails at any time, in even ones the API server goes away and brokers fail.
  const isStorm = seed % 2 === 1;
  const world = new World(seed, isStorm ? drawScenarioBelow : drawQuietScenarioBelow);
  return outcomeOf(seed, world, () => runGoverned(world, isStorm ? drawStorm : drawOutages));
}
