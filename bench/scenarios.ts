// What is measured. Record counts are for SCALE=1.
import * as tools from "./kafka-tools.js";
import type { ToolFigures } from "./kafka-tools.js";

export type Scenario = {
  readonly name: string;
  /** Records that the broker handles, warm-up included: what its CPU time is divided by. */
  readonly records: (scale: number) => number;
  readonly run: (bootstrap: string, topic: string, scale: number) => Promise<ToolFigures>;
  readonly partitions: number;
  readonly configs: Readonly<Record<string, string>>;
  /** Reads the topic that this scenario filled. */
  readonly reads?: string;
};

const FSYNC = { "flush.messages": "1" };
/** kaas fsyncs every append unless told otherwise; Apache Kafka leaves it to the page cache. */
const DEFAULT = {};

const scaled = (count: number, scale: number): number => Math.max(1000, Math.round(count * scale));

function producing(
  name: string,
  count: number,
  size: number,
  partitions: number,
  configs: Scenario["configs"],
): Scenario {
  const warmup = count / 2;
  return {
    name,
    partitions,
    configs,
    records: (scale) => scaled(count, scale) + scaled(warmup, scale),
    run: (bootstrap, topic, scale) =>
      tools.produce(bootstrap, topic, { records: scaled(count, scale), warmup: scaled(warmup, scale), size }),
  };
}

function consuming(name: string, reads: Scenario): Scenario {
  return {
    ...reads,
    name,
    reads: reads.name,
    run: (bootstrap, topic, scale) => tools.consume(bootstrap, topic, reads.records(scale)),
  };
}

function endToEnd(name: string, configs: Scenario["configs"]): Scenario {
  const count = 5000;
  return {
    name,
    partitions: 1,
    configs,
    records: (scale) => scaled(count, scale),
    run: (bootstrap, topic, scale) => tools.endToEnd(bootstrap, topic, scaled(count, scale)),
  };
}

const default100 = producing("produce 100 B, each side's default", 3_000_000, 100, 1, DEFAULT);
const default1k = producing("produce 1 KiB, each side's default", 600_000, 1024, 1, DEFAULT);

export const scenarios: readonly Scenario[] = [
  producing("produce 1 KiB, fsync each append, 1 partition", 300_000, 1024, 1, FSYNC),
  producing("produce 1 KiB, fsync each append, 16 partitions", 300_000, 1024, 16, FSYNC),
  default100,
  consuming("consume 100 B", default100),
  default1k,
  consuming("consume 1 KiB", default1k),
  endToEnd("end to end 1 KiB, each side's default", DEFAULT),
  endToEnd("end to end 1 KiB, fsync each append", FSYNC),
];
