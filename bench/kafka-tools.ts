// Apache Kafka's own perf tools as the client of both brokers, and what their output says.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const launcher = fileURLToPath(new URL("../test/apache-kafka/tool.sh", import.meta.url));

/** Figures of one run; what a tool does not say is left out. */
export type ToolFigures = {
  readonly recordsPerSecond?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly maxMs?: number;
};

async function tool(name: string, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(launcher, [name, ...args], { maxBuffer: 64 << 20 });
  return `${stdout}\n${stderr}`;
}

export type Produce = {
  readonly records: number;
  /** Sent before the measured ones: a young JVM is itself the limit. */
  readonly warmup: number;
  readonly size: number;
};

export async function produce(
  bootstrap: string,
  topic: string,
  { records, warmup, size }: Produce,
): Promise<ToolFigures> {
  const output = await tool(
    "kafka-producer-perf-test",
    ...["--topic", topic, "--record-size", String(size), "--throughput", "-1"],
    ...["--num-records", String(records + warmup), "--warmup-records", String(warmup)],
    ...["--bootstrap-server", bootstrap, "--command-property", "acks=all"],
  );
  const last =
    /^\d+ steady state records sent, ([\d.]+) records\/sec.*?([\d.]+) ms max latency, (\d+) ms 50th.*?(\d+) ms 99th/m.exec(
      output,
    );
  if (last === null) throw new Error(`kafka-producer-perf-test said: ${output.slice(-600)}`);
  return {
    recordsPerSecond: Number(last[1]),
    maxMs: Number(last[2]),
    p50Ms: Number(last[3]),
    p99Ms: Number(last[4]),
  };
}

/** The rate of fetching, without the time to join the group. */
export async function consume(bootstrap: string, topic: string, records: number): Promise<ToolFigures> {
  const where = ["--bootstrap-server", bootstrap, "--topic", topic, "--num-records", String(records)];
  const output = await tool("kafka-consumer-perf-test", ...where, "--timeout", "60000");
  const row = output.split("\n").findLast((line) => /^\d{4}-\d\d-\d\d /.test(line));
  const columns = row?.split(",") ?? [];
  if (Number(columns[4]) < records)
    throw new Error(`${columns[4]} of ${records} records were consumed: ${output.slice(-600)}`);
  return { recordsPerSecond: Number(columns[9]) };
}

/** One record at a time: produced, then awaited by a consumer. */
export async function endToEnd(bootstrap: string, topic: string, records: number): Promise<ToolFigures> {
  const where = ["--bootstrap-server", bootstrap, "--topic", topic, "--num-records", String(records)];
  const output = await tool("kafka-e2e-latency", ...where, "--producer-acks", "all", "--record-size", "1024");
  const average = /Avg latency: ([\d.]+) ms/.exec(output);
  const percentiles = /50th = (\d+), 99th = (\d+)/.exec(output);
  if (average === null || percentiles === null) throw new Error(`kafka-e2e-latency said: ${output.slice(-600)}`);
  return {
    recordsPerSecond: 1000 / Number(average[1]),
    p50Ms: Number(percentiles[1]),
    p99Ms: Number(percentiles[2]),
  };
}
