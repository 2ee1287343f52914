/**
 * Runs histories of clusters that govern themselves: lease, controllers, heartbeats and assignments as they are, over a
 * network, an API server and an NFS server that are simulated and fail. Checks the same invariants, and that everything
 * becomes available again, evenly shared out, once nothing fails any more.
 */
import { loadSimulation, type Simulation } from "../bundle.js";
import type { Mutation } from "../mutations.js";
import type { Outcome } from "../outcome.js";
import { type GovernedMutation, governedMutations } from "./governed-mutations.js";

const ENTRY = "governed/simulate-governed.ts";
const LINES_SHOWN = 80;
/** Seeds that are run twice, to see that a history is the same again. */
const SEEDS_TWICE = 2;
const SEEDS = 100;
const SEEDS_PER_MUTANT = 40;

/** Which of them are run; see `main.ts`. */
export interface GovernedHistories {
  readonly from: number;
  readonly seeds: number | undefined;
  readonly seed: number | undefined;
  readonly suiteSeconds: number | undefined;
  readonly mutation: Mutation | undefined;
  readonly report: (isGood: boolean, text: string) => void;
}

export async function runGovernedHistories(options: GovernedHistories): Promise<void> {
  const simulation = await loadSimulation(options.mutation, ENTRY);
  const { seed, suiteSeconds, seeds = SEEDS } = options;
  if (seed !== undefined) return runOne(simulation, seed, options);
  if (suiteSeconds === undefined) return runSeeds(simulation, seeds, Number.POSITIVE_INFINITY, options);
  const endMs = performance.now() + suiteSeconds * 1_000;
  await runTwice(simulation, options);
  await runSeeds(simulation, Number.POSITIVE_INFINITY, endMs, options);
  for (const one of governedMutations) await runMutant(simulation, one, options);
}

async function runOne({ simulate }: Simulation, seed: number, { report }: GovernedHistories): Promise<void> {
  const outcome = await simulate(seed);
  show(outcome, Number.POSITIVE_INFINITY);
  report(outcome.violation === undefined, `seed ${outcome.seed}: ${outcome.violation ?? "all invariants hold"}`);
}

async function runTwice({ simulate }: Simulation, { report }: GovernedHistories): Promise<void> {
  for (let seed = 1; seed <= SEEDS_TWICE; seed++) {
    const [once, again] = [await simulate(seed), await simulate(seed)];
    if (once.checksum === again.checksum && once.events === again.events) continue;
    return report(false, `seed ${seed} of the governed clusters gives another history when it is run again`);
  }
  report(true, `${SEEDS_TWICE} seeds of governed clusters give the same history twice`);
}

async function runSeeds(
  { simulate }: Simulation,
  count: number,
  endMs: number,
  { from, report }: GovernedHistories,
): Promise<void> {
  const beganMs = performance.now();
  let [seeds, claims, events] = [0, 0, 0];
  for (; seeds < count && (seeds === 0 || performance.now() < endMs); seeds++) {
    const outcome = await simulate(from + seeds);
    if (outcome.violation !== undefined) {
      show(outcome, LINES_SHOWN);
      report(false, `seed ${outcome.seed}: ${outcome.violation}`);
      console.log(`# to replay: npm run test:sim -- --governed --seed ${outcome.seed}`);
      return;
    }
    claims += outcome.claims;
    events += outcome.events;
  }
  const speed = ((seeds * 1_000) / (performance.now() - beganMs)).toFixed(1);
  const did = `${claims} records, ${events} events, ${speed} seeds a second`;
  report(true, `${seeds} seeds of governed clusters keep what was promised (${did})`);
}

/** The seed that is known to tell it first; where it does not any more, others. */
async function runMutant(
  sound: Simulation,
  { mutation, seed }: GovernedMutation,
  { report }: GovernedHistories,
): Promise<void> {
  const mutant = await loadSimulation(mutation, ENTRY);
  for (const tried of [seed, ...Array.from({ length: SEEDS_PER_MUTANT }, (_, index) => index + 1)]) {
    const { violation } = await mutant.simulate(tried);
    if (violation === undefined) continue;
    const isTold = (await sound.simulate(tried)).violation === undefined;
    return report(isTold, `${mutation.name} is noticed by seed ${tried}: ${violation.split("\n")[0] ?? ""}`);
  }
  report(false, `${mutation.name} is not noticed in ${SEEDS_PER_MUTANT} seeds of governed clusters`);
}

function show({ scenario, lines }: Outcome, count: number): void {
  console.log(`# scenario ${JSON.stringify(scenario)}`);
  for (const line of lines.slice(-count)) console.log(`# ${line}`);
}
