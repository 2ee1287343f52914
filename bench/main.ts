// npm run bench: kaas and Apache Kafka, one after the other on the same disk, driven by the same clients. Prints a
// table and writes the figures to bench/results/. No figure is a pass or a fail.
//   SCALE=0.1        multiplies the record counts
//   RUNS=3           repeats both brokers in turns; the table has medians
//   CASES=fsync      only scenarios whose name has this
//   BROKERS=kaas     only these (default kaas,kafka)
//   BENCH_DIR=DIR    where the brokers' data goes
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { measure } from "./measure.js";
import { type Run, table } from "./table.js";

const scale = Number(env.SCALE ?? "1");
const brokers = (env.BROKERS ?? "kaas,kafka").split(",");
const only = new RegExp(env.CASES ?? ".");
const results = fileURLToPath(new URL("results", import.meta.url));

const runs: Run[] = [];
const load = loadavg()[0];
for (let run = 0; run < Number(env.RUNS ?? "1"); run++) {
  const figures: Record<string, Awaited<ReturnType<typeof measure>>> = {};
  for (const broker of brokers) figures[broker] = await measure(broker, scale, only);
  runs.push(figures);
}
mkdirSync(results, { recursive: true });
const file = `${results}/${new Date().toISOString().replaceAll(":", "-").slice(0, 19)}.json`;
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load };
writeFileSync(file, `${JSON.stringify({ scale, machine, runs }, null, 2)}\n`);
console.log(table(runs, brokers));
console.log(`\nScale ${scale}, ${runs.length} run(s), load ${load?.toFixed(1)} at the start; figures in ${file}`);
