// npm run bench -- [NAME…] [--quick] [--rounds N] [--list] [--help]: see USAGE.
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Contest, contest } from "./contest.js";
import { scenarios } from "./scenarios/index.js";
import { table } from "./table.js";

const USAGE = `npm run bench -- [NAME…] [--quick] [--rounds N] [--list] [--help]

kaas and Apache Kafka in turns on the same disk, driven by the same clients. Prints a table of ratios, and writes the
figures to bench/results/. No figure is a pass or a fail. A NAME stands for all scenarios that begin with it; all of
them take about a quarter of an hour.

  --quick            a fifth of the records, in one round
  --rounds N         how often each is run (default 2)
  --list             what there is
  SCALE=0.1          multiplies the record counts
  BROKERS=kaas       only these (default kaas,kafka)
  BENCH_DIR=DIR      where the brokers' data goes
  BENCH_RESULTS=DIR  where the figures go`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    list: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const scale = Number(env["SCALE"] ?? "1") * (values.quick ? 0.2 : 1);
const rounds = Number(values.rounds ?? (values.quick ? "1" : "2"));
const brokers = (env["BROKERS"] ?? "kaas,kafka").split(",");
const chosen = scenarios.filter(
  ({ name }) => positionals.length === 0 || positionals.some((asked) => name === asked || name.startsWith(`${asked}-`)),
);

if (values.list || chosen.length === 0) {
  for (const { name, title } of scenarios) console.log(`${name.padEnd(16)} ${title}`);
  process.exit(values.list ? 0 : 2);
}

const [load = 0] = loadavg();
const began = performance.now();
const contests: Contest[] = [];
for (const scenario of chosen) {
  console.error(`# ${scenario.name}: ${scenario.title}`);
  contests.push(await contest(scenario, { brokers, rounds, scale }));
}

const results = env["BENCH_RESULTS"] ?? fileURLToPath(new URL("results", import.meta.url));
mkdirSync(results, { recursive: true });
const file = `${results}/${new Date().toISOString().replaceAll(":", "-").slice(0, 19)}.json`;
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load };
writeFileSync(file, `${JSON.stringify({ scale, machine, scenarios: contests }, null, 2)}\n`);
console.log(table(contests, scenarios, brokers));
const seconds = Math.round((performance.now() - began) / 1000);
console.log(
  `\nScale ${scale}, ${rounds} round(s), load ${load.toFixed(1)} at the start, ${seconds} s; figures in ${file}`,
);
