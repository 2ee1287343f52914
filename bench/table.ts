// The figures side by side, as markdown.
import type { Contest } from "./contest.js";
import type { Measure, Scenario } from "./scenario.js";

function median(numbers: readonly number[]): number | undefined {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

function shown(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "";
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function goal({ atLeast, atMost }: Measure, ratio: number | undefined): string {
  const isShort = ratio !== undefined && (ratio < (atLeast ?? ratio) || ratio > (atMost ?? ratio));
  const short = isShort ? ", short of it" : "";
  if (atLeast !== undefined) return `≥ ${atLeast}×${short}`;
  if (atMost !== undefined) return `≤ ${atMost}×${short}`;
  return "";
}

/** Medians over the rounds: kaas, the other, the ratio of the medians, and the goal for it. */
export function table(
  contests: readonly Contest[],
  scenarios: readonly Scenario[],
  brokers: readonly string[],
): string {
  const lines = contests.flatMap(({ name, rounds }) => {
    const scenario = scenarios.find((one) => one.name === name);
    if (scenario === undefined) return [];
    const [one = "", other = ""] = "other" in scenario ? ["kaas", scenario.other] : brokers;
    return scenario.measures.map((measure) => {
      const of = (broker: string): number | undefined =>
        median(rounds.flatMap((round) => round[broker]?.[measure.key] ?? []));
      const [a, b] = [of(one), of(other)];
      const ratio = a === undefined || b === undefined || b === 0 ? undefined : a / b;
      const cells = [shown(a), shown(b), ratio === undefined ? "" : `${ratio.toFixed(2)}×`];
      const against = "other" in scenario ? ` (beside the ${other})` : "";
      return row([name, scenario.title, `${measure.unit}${against}`, ...cells, goal(measure, ratio)]);
    });
  });
  return [
    row(["name", "scenario", "figure", brokers[0] ?? "", brokers[1] ?? "", "ratio", "goal"]),
    row(["---", "---", "---", "---:", "---:", "---:", "---"]),
    ...lines,
  ].join("\n");
}
