import { runCluster } from "./cluster.js";
import { drawClusterScenario, drawScenario } from "./scenario.js";
import { runSingleNode } from "./single-node.js";
import { World } from "./world.js";

export interface Outcome {
  readonly seed: number;
  /** Undefined when every invariant held. */
  readonly violation: string | undefined;
  readonly lines: readonly string[];
  readonly scenario: object;
  readonly events: number;
  readonly checksum: number;
  readonly claims: number;
}

/** One history, from the seed to the last invariant. */
export async function simulate(seed: number): Promise<Outcome> {
  // Odd seeds are one node on a disk, even ones a cluster on a file server.
  const isCluster = seed % 2 === 0;
  const world = new World(seed, isCluster ? drawClusterScenario : drawScenario);
  const { scheduler, history } = world;
  const onRejection = (reason: unknown): void => world.fail(reason);
  process.on("unhandledRejection", onRejection);
  let violation: string | undefined;
  try {
    await scheduler.run(
      Promise.race([isCluster ? runCluster(world) : runSingleNode(world), world.violated]),
      86_400_000,
    );
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
