// What a scenario is, and what all of them do alike.
import type { BrokerProcess } from "../test/lib/broker-process.js";
import { LoadClient } from "../test/lib/load-client.js";
import { clearPeak, cpuSeconds, peakMiB } from "./process-figures.js";

/** Numbers by name; what could not be had is left out. */
export type Figures = Readonly<Record<string, number | undefined>>;

/** One figure of a scenario, as the table shows it. The goal is for the ratio of kaas to the other. */
export type Measure = {
  readonly key: string;
  readonly unit: string;
  readonly atLeast?: number;
  readonly atMost?: number;
};

/** One of the two brokers. */
export type Contender = {
  readonly name: string;
  readonly process: BrokerProcess;
  readonly bootstrap: string;
  readonly scale: number;
  /** Which round it is; the first is 0. */
  readonly round: number;
};

export type Scenario = {
  readonly name: string;
  readonly title: string;
  readonly measures: readonly Measure[];
  /** Most rounds that make sense; all that are asked for by default. */
  readonly roundsMax?: number;
} & (
  | {
      /** Both brokers in turns, freshly started for the scenario. */
      readonly run: (contender: Contender) => Promise<Figures>;
    }
  | {
      /** Without brokers: the engine by itself, and what it is held beside. */
      readonly other: string;
      readonly compare: (scale: number) => Promise<readonly [Figures, Figures]>;
    }
);

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export const scaled = (count: number, scale: number): number => Math.max(1000, Math.round(count * scale));

export const CPU = "cpuSecondsPerMillion";

/** A topic that is ready to be used. kaas's own client makes it: Apache Kafka's tool refuses `flush.messages=0`. */
export async function createTopic(
  { process }: Contender,
  topic: string,
  partitions: number,
  configs: Readonly<Record<string, string>>,
): Promise<void> {
  const client = await LoadClient.connect(process.port);
  await client.createTopic(topic, partitions, configs);
  client.close();
  await pause(500);
}

/** What the work says, and what the broker spent on it. */
export async function measured(
  { process }: Contender,
  records: number,
  work: () => Promise<Figures>,
): Promise<Figures> {
  clearPeak(process.pid);
  const before = cpuSeconds(process.pid);
  const figures = await work();
  await pause(200);
  const spent = cpuSeconds(process.pid) - before;
  return { ...figures, [CPU]: (spent * 1e6) / records, peakRssMiB: Math.round(peakMiB(process.pid)) };
}
