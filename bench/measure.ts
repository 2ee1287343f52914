// Runs the scenarios against one broker.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { BrokerProcess, freePort } from "../test/lib/broker-process.js";
import * as tools from "./kafka-tools.js";
import type { ToolFigures } from "./kafka-tools.js";
import { clearPeak, cpuSeconds, peakMiB, residentMiB } from "./process-figures.js";
import { type Scenario, scenarios } from "./scenarios.js";

export type Figures = ToolFigures & {
  readonly cpuSecondsPerMillion: number;
  readonly peakRssMiB: number;
};

export type BrokerFigures = {
  readonly scenarios: Readonly<Record<string, Figures>>;
  /** From the start of the process to its first answer, on an empty folder and on one with 100 partitions. */
  readonly startMs: number;
  readonly startWith100PartitionsMs: number;
  readonly idleRssMiB: number;
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function measure(kind: string, scale: number, only: RegExp): Promise<BrokerFigures> {
  const directory = mkdtempSync(join(env.BENCH_DIR ?? tmpdir(), `kaas-bench-${kind}-`));
  const broker = new BrokerProcess(kind, await freePort(), directory);
  const bootstrap = `127.0.0.1:${broker.port}`;
  try {
    await broker.start();
    const start = await measureStart(broker, bootstrap);
    const figures: Record<string, Figures> = {};
    for (const scenario of scenarios.filter(({ name }) => only.test(name))) {
      figures[scenario.name] = await measureScenario(broker, bootstrap, scenario, scale);
      console.error(`# ${kind}: ${scenario.name}: ${JSON.stringify(figures[scenario.name])}`);
    }
    return { scenarios: figures, ...start };
  } finally {
    await broker.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measureStart(broker: BrokerProcess, bootstrap: string): Promise<Omit<BrokerFigures, "scenarios">> {
  await broker.stop();
  await broker.start();
  const { startMs } = broker;
  await tools.createTopic(bootstrap, "start", 100, {});
  await tools.produce(bootstrap, "start", { records: 10_000, warmup: 1000, size: 100 });
  await broker.stop();
  await broker.start();
  const startWith100PartitionsMs = broker.startMs;
  await pause(5000);
  const idleRssMiB = Math.round(residentMiB(broker.pid));
  await tools.deleteTopic(bootstrap, "start");
  return { startMs, startWith100PartitionsMs, idleRssMiB };
}

async function measureScenario(
  broker: BrokerProcess,
  bootstrap: string,
  scenario: Scenario,
  scale: number,
): Promise<Figures> {
  const topic = (scenario.reads ?? scenario.name).replace(/[^A-Za-z0-9]+/g, "-");
  if (scenario.reads === undefined) {
    await tools.createTopic(bootstrap, topic, scenario.partitions, scenario.configs);
    await pause(1000);
  }
  clearPeak(broker.pid);
  const before = cpuSeconds(broker.pid);
  const figures = await scenario.run(bootstrap, topic, scale);
  await pause(300);
  const spent = cpuSeconds(broker.pid) - before;
  const peakRssMiB = Math.round(peakMiB(broker.pid));
  const isReadLater = scenarios.some(({ reads }) => reads === scenario.name);
  if (!isReadLater) await tools.deleteTopic(bootstrap, topic);
  return { ...figures, cpuSecondsPerMillion: (spent * 1e6) / scenario.records(scale), peakRssMiB };
}
