/**
 * Coverage that cannot fall: compares `coverage/coverage-summary.json`, written by `vitest run --coverage`, with the
 * floors in `coverage-floors.json`. `-- --raise` lifts the floors to what was reached. With KAAS_TEST_COVERAGE=1, which
 * has `npm test` measure coverage, the tests have run already and do not run again.
 */
import { spawnSync } from "node:child_process";
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

if (process.env["KAAS_TEST_COVERAGE"] !== "1") {
  const vitest = fileURLToPath(new URL("node_modules/.bin/vitest", root));
  const { status } = spawnSync(vitest, ["run", "--coverage", "--reporter=dot"], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

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
