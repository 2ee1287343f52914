import type { Histogram } from "./histogram.js";

/** Labels of one sample. */
export type MetricLabels = Readonly<Record<string, string | number>>;

/** What Prometheus does with the samples of a family. */
export type MetricType = "counter" | "gauge" | "histogram";

const SECONDS_PER_MS = 0.001;

/**
 * Text in Prometheus' exposition format (version 0.0.4). Samples follow the family that they belong to.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export class Exposition {
  readonly #lines: string[] = [];
  #family = "";

  /** Begins a family. Its help is one line. */
  family(name: string, type: MetricType, help: string): this {
    this.#family = name;
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    return this;
  }

  /** Adds a sample to the family that was begun last. */
  sample(value: number, labels: MetricLabels = {}): this {
    this.#lines.push(`${this.#family}${labelText(labels)} ${numberText(value)}`);
    return this;
  }

  /** A family of one sample. */
  single(name: string, type: "counter" | "gauge", help: string, value: number): this {
    return this.family(name, type, help).sample(value);
  }

  /** The samples of a histogram of milliseconds, told in seconds, as Prometheus wants its times. */
  seconds(histogram: Histogram, labels: MetricLabels = {}): this {
    const name = this.#family;
    let count = 0;
    for (const [at, bound] of histogram.bounds.entries()) {
      count += histogram.counts[at] as number;
      const le = numberText(inSeconds(bound));
      this.#lines.push(`${name}_bucket${labelText({ ...labels, le })} ${count}`);
    }
    count += histogram.counts[histogram.bounds.length] as number;
    this.#lines.push(`${name}_bucket${labelText({ ...labels, le: "+Inf" })} ${count}`);
    this.#lines.push(`${name}_sum${labelText(labels)} ${numberText(inSeconds(histogram.sum))}`);
    this.#lines.push(`${name}_count${labelText(labels)} ${count}`);
    return this;
  }

  /** All that was added, as an answer's body. */
  text(): string {
    return `${this.#lines.join("\n")}\n`;
  }
}

/** Without the noise of binary fractions. */
function inSeconds(ms: number): number {
  return Number((ms * SECONDS_PER_MS).toPrecision(12));
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}

function labelText(labels: MetricLabels): string {
  const texts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return texts.length === 0 ? "" : `{${texts.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
