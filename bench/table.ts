// The figures of two brokers side by side, as markdown.
import type { BrokerFigures, Figures } from "./measure.js";

/** One run of both brokers, one after the other. */
export type Run = Readonly<Record<string, BrokerFigures>>;

function median(numbers: readonly number[]): number | undefined {
  if (numbers.length === 0) return undefined;
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

function shown(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "";
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Medians over the runs: the first broker's figure, the second's, and their ratio. */
export function table(runs: readonly Run[], brokers: readonly string[]): string {
  const [one = "", other = ""] = brokers;
  const compare = (name: string, unit: string, pick: (figures: BrokerFigures) => number | undefined): string[] => {
    const of = (broker: string): number | undefined =>
      median(runs.map((run) => run[broker]).flatMap((figures) => (figures === undefined ? [] : (pick(figures) ?? []))));
    const [a, b] = [of(one), of(other)];
    if (a === undefined && b === undefined) return [];
    const ratio = a === undefined || b === undefined || b === 0 ? "" : `${(a / b).toFixed(2)}×`;
    return [row([name, unit, ...[a, b].slice(0, brokers.length).map(shown), ratio])];
  };
  const names = new Set(runs.flatMap((run) => Object.values(run).flatMap((figures) => Object.keys(figures.scenarios))));
  const measured: readonly [keyof Figures, string][] = [
    ["recordsPerSecond", "records/s"],
    ["p50Ms", "p50 ms"],
    ["p99Ms", "p99 ms"],
    ["cpuSecondsPerMillion", "broker CPU s per million records"],
    ["peakRssMiB", "peak RSS MiB"],
  ];
  const lines = [...names].flatMap((name) =>
    measured.flatMap(([key, unit]) => compare(name, unit, (figures) => figures.scenarios[name]?.[key])),
  );
  return [
    row(["scenario", "figure", ...brokers, "ratio"]),
    row(["---", "---", "---:", "---:", "---:"]),
    ...lines,
    ...compare("start to first answer", "ms", (figures) => figures.startMs),
    ...compare("start to first answer, 100 partitions", "ms", (figures) => figures.startWith100PartitionsMs),
    ...compare("idle, 100 partitions", "RSS MiB", (figures) => figures.idleRssMiB),
  ].join("\n");
}
