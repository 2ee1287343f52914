import { runCluster } from "./cluster.js";
import { type Outcome, outcomeOf } from "./outcome.js";
import { drawClusterScenario, drawMovingScenario, drawScenario, MOVING_SEEDS } from "./scenario.js";
import { runSingleNode } from "./single-node.js";
import { World } from "./world.js";

/** One history, from the seed to the last invariant. */
export function simulate(seed: number): Promise<Outcome> {
  // Odd seeds are one node on a disk, even ones a cluster on a file server.
  const isCluster = seed % 2 === 0;
  const drawCluster = seed % MOVING_SEEDS === 0 ? drawMovingScenario : drawClusterScenario;
  const world = new World(seed, isCluster ? drawCluster : drawScenario);
  return outcomeOf(seed, world, isCluster ? runCluster : runSingleNode);
}
