import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { KAFKA_TOPICS } from "@kaas/k8s";
import { spawnOperator } from "./operator-process.js";
import { until } from "../lib/until.js";
import type { Site } from "./site.js";

/** As the chart runs it: a process that knows its environment alone, answers probes, and ends in order. */
export async function asProcess(site: Site): Promise<string> {
  await site.cluster();
  // Any port that is free in the moment in which it listens; it says which.
  const program = spawnOperator(site, 0);
  // Its output is complete by then, which it may not be yet when it exits.
  const closed = once(program, "close");
  try {
    return await observe(site, program, closed);
  } finally {
    program.kill("SIGKILL");
    await closed;
  }
}

async function observe(site: Site, program: ChildProcess, closed: Promise<unknown[]>): Promise<string> {
  let lines = "";
  program.stdout?.setEncoding("utf8").on("data", (text: string) => {
    lines += text;
  });
  const port = (): number => Number(/"port":(\d+)/.exec(lines)?.[1] ?? 0);
  await until("it says where its probes are", () => port() > 0);
  await until("/healthz answers", async () => (await ask(port(), "/healthz")) === 200);
  await site.create(KAFKA_TOPICS, "t", { partitions: 2 });
  await site.ready(KAFKA_TOPICS, "t", /^True/);
  await until("/readyz answers", async () => (await ask(port(), "/readyz")) === 200);
  program.kill("SIGTERM");
  const [code] = await closed;
  if (code !== 0) throw new Error(`it ended with ${code}: ${lines}`);
  if (!lines.includes("stopped")) throw new Error(`it did not say that it stopped: ${lines}`);
  return "SIGTERM, exit code 0";
}

function ask(port: number, path: string): Promise<number> {
  return new Promise((resolve) => {
    get({ port, path, host: "127.0.0.1" }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on("error", () => resolve(0));
  });
}
