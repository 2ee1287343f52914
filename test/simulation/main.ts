/**
 * Runs histories of the storage engine on simulated machines and disks, and checks what testing calls invariants.
 *
 *   npm run test:sim -- --seeds N              seeds 1…N of the sources as they are
 *   npm run test:sim -- --mutants [--seeds N]  each guard taken out, up to N seeds until that is noticed
 *   npm run test:sim -- --seed S [--mutant M]  one history, to be read
 *   npm run test:sim -- --suite SECONDS        both, within about so much time; prints lines for a test suite
 */
import { parseArgs } from "node:util";
import { loadSimulation, type Simulation } from "./bundle.js";
import { type Mutation, mutations } from "./mutations.js";
import type { Outcome } from "./simulate.js";

const SEEDS_PER_MUTANT = 2_000;
/** Of each history that goes wrong, the end is what tells why. */
const LINES_SHOWN = 60;
/** Seeds that are run twice, to see that a history is the same again. */
const SEEDS_TWICE = 10;

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    seed: { type: "string" },
    from: { type: "string", default: "1" },
    mutant: { type: "string" },
    mutants: { type: "boolean", default: false },
    suite: { type: "string" },
  },
});

interface Campaign {
  readonly seeds: number;
  readonly violated: Outcome | undefined;
  readonly events: number;
  readonly seconds: number;
}

const secondsNow = (): number => performance.now() / 1_000;

/** Seeds from the first on, until one is violated, all are done or time is up. */
async function campaign(
  { simulate }: Simulation,
  first: number,
  count: number,
  endSeconds: number,
  step = 1,
): Promise<Campaign> {
  const began = secondsNow();
  let events = 0;
  let seeds = 0;
  while (seeds < count && secondsNow() < endSeconds) {
    const outcome = await simulate(first + step * seeds++);
    events += outcome.events;
    if (outcome.violation !== undefined) return { seeds, violated: outcome, events, seconds: secondsNow() - began };
  }
  return { seeds, violated: undefined, events, seconds: secondsNow() - began };
}

function replayCommand(seed: number, mutation?: Mutation): string {
  return `npm run test:sim -- --seed ${seed}${mutation === undefined ? "" : ` --mutant ${mutation.name}`}`;
}

function show(outcome: Outcome, lines: number): void {
  console.log(`# scenario ${JSON.stringify(outcome.scenario)}`);
  for (const line of outcome.lines.slice(-lines)) console.log(`# ${line}`);
}

function report(isGood: boolean, text: string): void {
  console.log(`${isGood ? "ok  " : "FAIL"}  ${text}`);
  if (!isGood) process.exitCode = 1;
}

async function runSound(simulation: Simulation, first: number, count: number, endSeconds: number): Promise<void> {
  const { seeds, violated, events, seconds } = await campaign(simulation, first, count, endSeconds);
  const speed = `${events} events, ${(seeds / seconds).toFixed(1)} seeds a second`;
  if (violated === undefined) return report(true, `${seeds} seeds from ${first} on keep what was promised (${speed})`);
  show(violated, LINES_SHOWN);
  report(false, `seed ${violated.seed}: ${violated.violation}`);
  console.log(`# to replay: ${replayCommand(violated.seed)}`);
}

async function runTwice({ simulate }: Simulation): Promise<void> {
  for (let seed = 1; seed <= SEEDS_TWICE; seed++) {
    const [once, again] = [await simulate(seed), await simulate(seed)];
    if (once.checksum !== again.checksum || once.events !== again.events) {
      return report(false, `seed ${seed} gives another history when it is run again`);
    }
  }
  report(true, `${SEEDS_TWICE} seeds give the same history twice`);
}

async function runMutant(mutation: Mutation, count: number, endSeconds: number): Promise<void> {
  if (mutation.heldBy !== undefined && values.mutant === undefined) {
    console.log(`skip  ${mutation.name} is not met within ${count} seeds; ${mutation.heldBy} fails without it`);
    return;
  }
  const simulation = await loadSimulation(mutation);
  // Odd seeds are of one node, even ones of a cluster.
  const start = mutation.world === "node" ? 1 : 2;
  const { seeds, violated } = await campaign(simulation, start, count, endSeconds, 2);
  if (violated !== undefined) {
    const [message] = (violated.violation ?? "").split("\n");
    return report(true, `${mutation.name} is noticed after ${seeds} (seed ${violated.seed}): ${message}`);
  }
  report(false, `${mutation.name} is not noticed in ${seeds} seeds`);
}

const chosen = mutations.filter(({ name }) => values.mutant === undefined || name === values.mutant);
if (chosen.length === 0) throw new Error(`no mutant is called ${values.mutant}`);
const first = Number(values.from);

if (values.seed !== undefined) {
  const { simulate } = await loadSimulation(values.mutant === undefined ? undefined : chosen[0]);
  const outcome = await simulate(Number(values.seed));
  show(outcome, Number.POSITIVE_INFINITY);
  report(outcome.violation === undefined, `seed ${outcome.seed}: ${outcome.violation ?? "all invariants hold"}`);
} else if (values.suite !== undefined) {
  const began = secondsNow();
  const budget = Number(values.suite);
  const simulation = await loadSimulation();
  await runTwice(simulation);
  await runSound(simulation, first, Number.POSITIVE_INFINITY, began + budget * 0.4);
  for (const one of chosen) await runMutant(one, SEEDS_PER_MUTANT, Number.POSITIVE_INFINITY);
} else if (values.mutants || values.mutant !== undefined) {
  for (const one of chosen) await runMutant(one, Number(values.seeds ?? SEEDS_PER_MUTANT), Number.POSITIVE_INFINITY);
} else {
  await runSound(await loadSimulation(), first, Number(values.seeds ?? 500), Number.POSITIVE_INFINITY);
}
console.log("done");
