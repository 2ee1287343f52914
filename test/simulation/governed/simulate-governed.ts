import { type Outcome, outcomeOf } from "../outcome.js";
import { World } from "../world.js";
import { runGoverned } from "./governed.js";
import { drawScenarioBelow } from "./governed-scenario.js";

/** One history of a cluster that governs itself, from the seed to the last invariant. */
export function simulate(seed: number): Promise<Outcome> {
  return outcomeOf(seed, new World(seed, drawScenarioBelow), runGoverned);
}
