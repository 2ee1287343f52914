/**
 * Runs npm scripts one after the other, says how each went and how long it took, and goes on after a failure, so that
 * one run shows all there is to repair: `node scripts/run-steps.mjs check:format check:types …`.
 */
import { spawnSync } from "node:child_process";

const steps = process.argv.slice(2);
/** @type {string[]} */
const failed = [];

for (const step of steps) {
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", step], { encoding: "utf8" });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${status === 0 ? "✓" : "✗"} ${step} (${seconds} s)`);
  if (status === 0) continue;
  failed.push(step);
  process.stdout.write(`${stdout}${stderr}`);
}
if (failed.length > 0) console.log(`failed: ${failed.join(", ")}`);
console.log(`${steps.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
