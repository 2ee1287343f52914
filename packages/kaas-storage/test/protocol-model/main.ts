/**
 * Searches the protocol: whole in each configuration, then with each step left out, which must be found.
 * Prints what `test/lib/suite.sh` counts, and the shortest way to each fault.
 */
import { CONFIGURATIONS, type Model, modelOf } from "./configuration.js";
import { REMOVED_STEPS, WORLDS } from "./removed-steps.js";
import { type Finding, type SearchResult, search } from "./search.js";
import { traceOf } from "./trace.js";

const STATES_MAX = 6_000_000;

function figures({ states, steps, depth }: SearchResult, began: number): string {
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  return `${states} states, ${steps} steps, ${depth} deep, ${seconds} s`;
}

function printTrace(model: Model, name: string, { path, violation }: Finding): void {
  console.log(`# ${name}`);
  traceOf(model, path).forEach((line, index) => {
    console.log(`#   ${String(index + 1).padStart(2)}  ${line}`);
  });
  console.log(`#    →  ${violation}`);
}

let failed = 0;
for (const settings of CONFIGURATIONS) {
  const began = performance.now();
  const model = modelOf(settings);
  const result = search(model, STATES_MAX);
  if (result.finding === undefined) {
    console.log(`ok the whole protocol, ${settings.name}: ${figures(result, began)}`);
  } else {
    failed++;
    console.log(`FAIL the whole protocol, ${settings.name}: ${result.finding.violation}`);
    printTrace(model, settings.name, result.finding);
  }
}
for (const step of REMOVED_STEPS) {
  for (const settings of WORLDS[step]) {
    const began = performance.now();
    const model = modelOf(settings, step);
    const result = search(model, STATES_MAX);
    const name = `without "${step}" (${settings.name})`;
    if (result.finding === undefined) {
      failed++;
      console.log(`FAIL ${name}: nothing is found in ${figures(result, began)}`);
      continue;
    }
    console.log(`ok ${name}: found in ${result.finding.path.length} steps, ${figures(result, began)}`);
    printTrace(model, name, result.finding);
  }
}
console.log("done");
process.exitCode = failed === 0 ? 0 : 1;
