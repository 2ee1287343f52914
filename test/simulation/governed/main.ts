/**
 * Runs histories of clusters that govern themselves: lease, controllers, heartbeats and assignments as they are, over a
 * network, an API server and an NFS server that are simulated and fail. Checks the same invariants, and that everything
 * becomes available again, evenly shared out, once nothing fails any more.
 *
 *   npm run test:sim:governed -- --seeds N [--from S]   seeds from S (1) on
 *   npm run test:sim:governed -- --seed S               one history, to be read
 *   npm run test:sim:governed -- --suite SECONDS        as many as there is time for
 */
import { parseArgs } from "node:util";
import { loadSimulation } from "../bundle.js";
import type { Outcome } from "../simulate.js";

const LINES_SHOWN = 80;
/** Seeds that are run twice, to see that a history is the same again. */
const SEEDS_TWICE = 3;

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    seed: { type: "string" },
    from: { type: "string", default: "1" },
    suite: { type: "string" },
  },
});
const { simulate } = await loadSimulation(undefined, "governed/simulate-governed.ts");

function report(isGood: boolean, text: string): void {
  console.log(`${isGood ? "ok  " : "FAIL"}  ${text}`);
  if (!isGood) process.exitCode = 1;
}

function show({ scenario, lines }: Outcome, count: number): void {
  console.log(`# scenario ${JSON.stringify(scenario)}`);
  for (const line of lines.slice(-count)) console.log(`# ${line}`);
}

async function runTwice(): Promise<void> {
  for (let seed = 1; seed <= SEEDS_TWICE; seed++) {
    const [once, again] = [await simulate(seed), await simulate(seed)];
    if (once.checksum === again.checksum && once.events === again.events) continue;
    return report(false, `seed ${seed} gives another history when it is run again`);
  }
  report(true, `${SEEDS_TWICE} seeds of clusters that govern themselves give the same history twice`);
}

async function runSeeds(count: number, endMs: number): Promise<void> {
  const first = Number(values.from);
  const beganMs = performance.now();
  let [seeds, claims, events] = [0, 0, 0];
  for (; seeds < count && performance.now() < endMs; seeds++) {
    const outcome = await simulate(first + seeds);
    if (outcome.violation !== undefined) {
      show(outcome, LINES_SHOWN);
      report(false, `seed ${outcome.seed}: ${outcome.violation}`);
      console.log(`# to replay: npm run test:sim:governed -- --seed ${outcome.seed}`);
      return;
    }
    claims += outcome.claims;
    events += outcome.events;
  }
  const speed = ((seeds * 1_000) / (performance.now() - beganMs)).toFixed(1);
  const did = `${claims} records, ${events} events, ${speed} seeds a second`;
  report(seeds > 0, `${seeds} seeds of clusters that govern themselves keep what was promised (${did})`);
}

if (values.seed !== undefined) {
  const outcome = await simulate(Number(values.seed));
  show(outcome, Number.POSITIVE_INFINITY);
  report(outcome.violation === undefined, `seed ${outcome.seed}: ${outcome.violation ?? "all invariants hold"}`);
} else if (values.suite !== undefined) {
  await runTwice();
  await runSeeds(Number.POSITIVE_INFINITY, performance.now() + Number(values.suite) * 1_000);
} else {
  await runSeeds(Number(values.seeds ?? 100), Number.POSITIVE_INFINITY);
}
console.log("done");
