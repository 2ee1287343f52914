import * as tools from "../kafka-tools.js";
import {
  type Contender,
  CPU,
  createTopic,
  type Figures,
  type Measure,
  measured,
  type Scenario,
  scaled,
} from "../scenario.js";

type Configs = Readonly<Record<string, string>>;

const FSYNC: Configs = { "flush.messages": "1" };
/** kaas fsyncs every append unless told otherwise; Apache Kafka leaves it to the page cache. */
export const DEFAULT: Configs = {};

/** Neither of them: what Apache Kafka calls its default has another name in kaas. */
export const withoutFsync = (contender: string): Configs => (contender === "kaas" ? { "flush.messages": "0" } : {});

export const rate = (atLeast?: number): Measure => ({
  key: "recordsPerSecond",
  unit: "records/s",
  ...(atLeast === undefined ? {} : { atLeast }),
});

export const cpu = (atMost?: number): Measure => ({
  key: CPU,
  unit: "broker CPU s per million records",
  ...(atMost === undefined ? {} : { atMost }),
});

export type Load = {
  readonly records: number;
  /** Sent before them. */
  readonly warmup: number;
  readonly size: number;
  readonly partitions: number;
};

/**
 * What the client's JVM is given before it is measured. Each run starts a new one, and for its first seconds its compiler
 * takes most of a core, on both sides the same records, but not the same time: of two cores the quicker broker would be
 * measured with one.
 */
export const WARM_UP = 400_000;

/** Produces to a fresh topic, after the warm-up. */
export async function produceTo(contender: Contender, topic: string, load: Load, configs: Configs): Promise<Figures> {
  await createTopic(contender, topic, load.partitions, configs);
  const records = scaled(load.records, contender.scale);
  const warmup = scaled(load.warmup, contender.scale);
  return measured(contender, records + warmup, () =>
    tools.produce(contender.bootstrap, topic, { records, warmup, size: load.size }),
  );
}

function producing(
  name: string,
  title: string,
  load: Load,
  configs: (contender: string) => Configs,
  goals: readonly Measure[],
): Scenario {
  return {
    name,
    title,
    measures: [...goals, { key: "p99Ms", unit: "p99 ms" }, { key: "peakRssMiB", unit: "peak RSS MiB" }],
    run: (contender) => produceTo(contender, `produce-${contender.round}`, load, configs(contender.name)),
  };
}

const KIB = (records: number, partitions: number): Load => ({ records, warmup: WARM_UP, size: 1024, partitions });

export const produceScenarios: readonly Scenario[] = [
  producing("fsync", "produce 1 KiB, fsync on each append, 1 partition", KIB(200_000, 1), () => FSYNC, [
    rate(4),
    cpu(0.4),
  ]),
  producing("fsync-16", "produce 1 KiB, fsync on each append, 16 partitions", KIB(200_000, 16), () => FSYNC, [
    rate(5),
    cpu(0.4),
  ]),
  producing("default", "produce 1 KiB, each side's default", KIB(300_000, 1), () => DEFAULT, [rate(1), cpu()]),
  producing(
    "default-100",
    "produce 100 B, each side's default",
    { records: 1_500_000, warmup: 5 * WARM_UP, size: 100, partitions: 1 },
    () => DEFAULT,
    [rate(1), cpu()],
  ),
  producing("memory", "produce 1 KiB, fsync on neither, 1 partition", KIB(300_000, 1), withoutFsync, [
    rate(1.4),
    cpu(0.6),
  ]),
  producing("memory-16", "produce 1 KiB, fsync on neither, 16 partitions", KIB(300_000, 16), withoutFsync, [
    rate(1.4),
    cpu(0.6),
  ]),
];
