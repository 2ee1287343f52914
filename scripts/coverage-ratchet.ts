/**
 * Coverage that cannot fall: compares `coverage/coverage-summary.json`, written by `vitest run --coverage`, with the
 * floors in `coverage-floors.json`. `-- --raise` lifts the floors to what was reached.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  coverageFalls,
  coverageGains,
  type Floors,
  raiseFloors,
  sumByPackage,
  type Summary,
} from "./checks/coverage.js";

const root = new URL("..", import.meta.url);
const floorsFile = new URL("coverage-floors.json", import.meta.url);

const read = (url: URL): unknown => JSON.parse(readFileSync(url, "utf8"));
const reached = sumByPackage(read(new URL("coverage/coverage-summary.json", root)) as Summary, fileURLToPath(root));
for (const [name, { lines, branches }] of Object.entries(reached)) {
  console.log(`${name}: ${lines} % of lines, ${branches} % of branches`);
}

let floors = read(floorsFile) as Floors;
if (process.argv.includes("--raise")) {
  floors = raiseFloors(reached, floors);
  writeFileSync(floorsFile, `${JSON.stringify(floors, null, 2)}\n`);
}
for (const gain of coverageGains(reached, floors)) console.log(gain);
const falls = coverageFalls(reached, floors);
for (const fall of falls) console.log(`✗ ${fall}`);
process.exitCode = falls.length === 0 ? 0 : 1;
