import type { Outcome } from "../simulate.js";
import { World } from "../world.js";
import { runGoverned } from "./governed.js";
import { drawScenarioBelow } from "./governed-scenario.js";

/** One history of a cluster that governs itself, from the seed to the last invariant. */
export async function simulate(seed: number): Promise<Outcome> {
  const world = new World(seed, drawScenarioBelow);
  const { scheduler, history } = world;
  const onRejection = (reason: unknown): void => world.fail(reason);
  process.on("unhandledRejection", onRejection);
  let violation: string | undefined;
  try {
    await scheduler.run(Promise.race([runGoverned(world), world.violated]), 86_400_000);
  } catch (error) {
    violation = (error as Error).message;
  } finally {
    process.off("unhandledRejection", onRejection);
  }
  return {
    seed,
    violation,
    lines: history.lines,
    scenario: world.scenario,
    events: scheduler.count,
    checksum: history.checksum,
    claims: world.partitions.reduce((sum, { model }) => sum + model.claimCount, 0),
  };
}
