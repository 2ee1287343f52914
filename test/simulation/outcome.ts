import type { World } from "./world.js";

/** Of simulated time: a history that has not ended by then never ends. */
const HISTORY_MS_MAX = 86_400_000;

/** What became of a history. */
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

/** Lets a world's history happen, to the last invariant. */
export async function outcomeOf(seed: number, world: World, run: (world: World) => Promise<unknown>): Promise<Outcome> {
  const { scheduler, history } = world;
  const onRejection = (reason: unknown): void => world.fail(reason);
  process.on("unhandledRejection", onRejection);
  let violation: string | undefined;
  try {
    await scheduler.run(Promise.race([run(world), world.violated]), HISTORY_MS_MAX);
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
