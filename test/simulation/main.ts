/**
 * Runs histories of the storage engine on simulated machines.
 *
 *   npm run test:sim -- --seeds N [--seed S] [--mutant NAME | --mutants]
 */
import { parseArgs } from "node:util";
import { loadSimulation } from "./bundle.js";
import { mutations } from "./mutations.js";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "500" },
    seed: { type: "string" },
    mutant: { type: "string" },
  },
});
const first = Number(values.seed ?? 1);
const count = values.seed === undefined ? Number(values.seeds) : 1;
const mutation = mutations.find(({ name }) => name === values.mutant);
const { simulate } = await loadSimulation(mutation);
const began = performance.now();
let events = 0;
for (let seed = first; seed < first + count; seed++) {
  const outcome = await simulate(seed);
  events += outcome.events;
  if (outcome.violation !== undefined) {
    console.log(outcome.lines.slice(-120).join("\n"));
    console.log(JSON.stringify(outcome.scenario));
    console.log(`seed ${seed}: ${outcome.violation}`);
    process.exitCode = 1;
    break;
  }
}
const seconds = (performance.now() - began) / 1000;
console.log(`${events} events, ${(events / count).toFixed(0)} a seed, ${(count / seconds).toFixed(1)} seeds/s`);
