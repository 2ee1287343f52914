// Runs one scenario: both brokers are started afresh, and measured in turns.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { BrokerProcess } from "../test/lib/broker-process.js";
import { freePort } from "../test/lib/free-port.js";
import type { Contender, Figures, Scenario } from "./scenario.js";

/** Figures of one round, by who they are of. */
export type Round = Readonly<Record<string, Figures>>;

export type Contest = {
  readonly name: string;
  readonly rounds: readonly Round[];
};

export type ContestOptions = {
  readonly brokers: readonly string[];
  readonly rounds: number;
  readonly scale: number;
};

export async function contest(scenario: Scenario, options: ContestOptions): Promise<Contest> {
  const rounds = Math.min(options.rounds, scenario.roundsMax ?? options.rounds);
  const { name } = scenario;
  if ("compare" in scenario) {
    const [kaas, other] = await scenario.compare(options.scale);
    return { name, rounds: [{ kaas, [scenario.other]: other }] };
  }
  const processes = new Map<string, BrokerProcess>();
  try {
    for (const broker of options.brokers) processes.set(broker, await started(broker));
    const done: Round[] = [];
    for (let round = 0; round < rounds; round++) done.push(await playRound(scenario.run, processes, round, options));
    return { name, rounds: done };
  } finally {
    for (const process of processes.values()) {
      await process.stop();
      rmSync(process.directory, { recursive: true, force: true });
    }
  }
}

async function started(broker: string): Promise<BrokerProcess> {
  const directory = mkdtempSync(join(env["BENCH_DIR"] ?? tmpdir(), `kaas-bench-${broker}-`));
  const process = new BrokerProcess(broker, await freePort(), directory);
  await process.start();
  return process;
}

/** Who begins changes from round to round: the disk remembers what was written just before. */
async function playRound(
  run: (contender: Contender) => Promise<Figures>,
  processes: ReadonlyMap<string, BrokerProcess>,
  round: number,
  { scale }: ContestOptions,
): Promise<Round> {
  const order = [...processes];
  if (round % 2 === 1) order.reverse();
  const figures: Record<string, Figures> = {};
  for (const [name, process] of order) {
    figures[name] = await run({ name, process, bootstrap: `127.0.0.1:${process.port}`, scale, round });
    console.error(`# ${name}: ${JSON.stringify(figures[name])}`);
  }
  return figures;
}
