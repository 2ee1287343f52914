/**
 * Runs histories of the storage engine on simulated machines and disks, and checks what testing calls invariants.
 *
 *   npm run test:sim -- --seeds N              seeds 1…N of the sources as they are
 *   npm run test:sim -- --mutants [--seeds N]  each guard taken out, up to N seeds until that is noticed
 *   npm run test:sim -- --seed S [--mutant M]  one history, to be read
 *   npm run test:sim -- --suite SECONDS        so much of the former, and each guard by a seed that is known to tell it
 *
 * With --governed, of clusters in which a lease, controllers and assignments decide who leads what; without, somebody
 * decides it at random, which storage has to live with.
 */
import { parseArgs } from "node:util";
import { loadSimulation, type Simulation } from "./bundle.js";
import { governedMutations } from "./governed/governed-mutations.js";
import { runGovernedHistories } from "./governed/histories.js";
import { knownSeeds } from "./known-seeds.js";
import { type Mutation, mutations } from "./mutations.js";
import type { Outcome } from "./outcome.js";
import { MOVING_SEEDS } from "./scenario.js";

const SEEDS_PER_MUTANT = 2_000;
/** Of each history that goes wrong, the end is what tells why. */
const LINES_SHOWN = 60;
/** A long run says how far it has come. */
const SEEDS_BETWEEN_NOTES = 1_000;
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
    governed: { type: "boolean", default: false },
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
    if (seeds % SEEDS_BETWEEN_NOTES === 0) console.log(`# ${seeds} seeds from ${first} on so far`);
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

/** Odd seeds are of one node, even ones of a cluster; in some of those partitions move. */
const seedsOf = ({ world }: Mutation): { readonly lowest: number; readonly step: number } => {
  if (world === "moving") return { lowest: MOVING_SEEDS, step: MOVING_SEEDS };
  return { lowest: world === "node" ? 1 : 2, step: 2 };
};

/** Whether a seed is violated with the guard taken out, and not with it in place. */
async function tells(sound: Simulation, { seed }: Outcome): Promise<boolean> {
  const { violation } = await sound.simulate(seed);
  if (violation !== undefined) report(false, `seed ${seed}, of the sources as they are: ${violation}`);
  return violation === undefined;
}

/** Seeds that are known to show what the guard is for. Where none does so any more, they are looked for anew. */
async function knownToTell(mutant: Simulation, { name }: Mutation): Promise<Outcome | undefined> {
  for (const seed of knownSeeds[name] ?? []) {
    const outcome = await mutant.simulate(seed);
    if (outcome.violation !== undefined) return outcome;
    console.log(`# seed ${seed} does not show ${name} any more`);
  }
  return undefined;
}

async function runMutant(sound: Simulation, mutation: Mutation, count: number, known: boolean): Promise<void> {
  const mutant = await loadSimulation(mutation);
  const told = known ? await knownToTell(mutant, mutation) : undefined;
  if (told !== undefined && (await tells(sound, told))) {
    return report(true, `${mutation.name} is noticed by seed ${told.seed}: ${firstLineOf(told)}`);
  }
  for (let done = 0; done < count; ) {
    const { lowest, step } = seedsOf(mutation);
    const start = lowest + step * done;
    const { seeds, violated } = await campaign(mutant, start, count - done, Number.POSITIVE_INFINITY, step);
    done += seeds;
    if (violated !== undefined && (await tells(sound, violated))) {
      return report(
        true,
        `${mutation.name} is noticed after ${done} (seed ${violated.seed}): ${firstLineOf(violated)}`,
      );
    }
  }
  report(false, `${mutation.name} is not noticed in ${count} seeds`);
}

function firstLineOf({ violation }: Outcome): string {
  return (violation ?? "").split("\n")[0] ?? "";
}

const ofGoverned = values.governed ? governedMutations.map(({ mutation }) => mutation) : [];
const chosen = [...ofGoverned, ...mutations].filter(
  ({ name }) => values.mutant === undefined || name === values.mutant,
);
if (chosen.length === 0) throw new Error(`no mutant is called ${values.mutant}`);
const first = Number(values.from);

const given = (value: string | undefined): number | undefined => (value === undefined ? undefined : Number(value));

if (values.governed) {
  const mutation = values.mutant === undefined ? undefined : chosen[0];
  const [seeds, seed, suiteSeconds] = [given(values.seeds), given(values.seed), given(values.suite)];
  await runGovernedHistories({ from: first, seeds, seed, suiteSeconds, mutation, report });
} else if (values.seed !== undefined) {
  const { simulate } = await loadSimulation(values.mutant === undefined ? undefined : chosen[0]);
  const outcome = await simulate(Number(values.seed));
  show(outcome, Number.POSITIVE_INFINITY);
  report(outcome.violation === undefined, `seed ${outcome.seed}: ${outcome.violation ?? "all invariants hold"}`);
} else if (values.suite !== undefined) {
  const began = secondsNow();
  const budget = Number(values.suite);
  const simulation = await loadSimulation();
  await runTwice(simulation);
  await runSound(simulation, first, Number.POSITIVE_INFINITY, began + budget);
  for (const one of chosen) await runMutant(simulation, one, SEEDS_PER_MUTANT, true);
} else if (values.mutants || values.mutant !== undefined) {
  const sound = await loadSimulation();
  for (const one of chosen) await runMutant(sound, one, Number(values.seeds ?? SEEDS_PER_MUTANT), false);
} else {
  await runSound(await loadSimulation(), first, Number(values.seeds ?? 500), Number.POSITIVE_INFINITY);
}
console.log("done");
