/** The process of `kaas-operator`: from its environment to its exit code. */
import { readdirSync } from "node:fs";
import { KaasError, type Log } from "@kaas/core";
import { connectKubernetes } from "@kaas/k8s";
import { systemClock } from "@kaas/storage";
import { pino, stdTimeFunctions } from "pino";
import { openOperator } from "../open-operator.js";
import { serveHealth } from "./health-server.js";
import { type Settings, settingsOf } from "./settings.js";
import { startFailure } from "./start-failure.js";

const EXIT = { DONE: 0, FAILED: 1, USAGE: 2 } as const;

/** Runs the operator until SIGTERM or SIGINT. */
export async function run(): Promise<void> {
  let settings: Settings;
  try {
    settings = settingsOf(process.env, process.pid);
  } catch (error) {
    if (!(error instanceof KaasError)) throw error;
    process.stderr.write(`kaas-operator: ${error.message}\n`);
    process.exitCode = EXIT.USAGE;
    return;
  }
  const log: Log = pino({
    level: settings.logLevel,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
  process.on("uncaughtException", (error) => {
    log.error({ err: error }, "an error that nothing expected; the operator ends");
    process.exit(EXIT.FAILED);
  });
  try {
    await operate(settings, log);
  } catch (error) {
    const { fields, message } = startFailure(error);
    log.error(fields, message);
    process.exit(EXIT.FAILED);
  }
}

async function operate(settings: Settings, log: Log): Promise<void> {
  const kubernetes = await connectKubernetes({ environment: process.env, clock: systemClock });
  const namespace = settings.namespace ?? kubernetes.namespace;
  const { clusterName, identity, dataDirectory, clusterDirectory } = settings;
  const furtherDirectories = settings.furtherDirectories ?? directoriesIn(settings.volumesDirectory);
  const operator = await openOperator({
    api: kubernetes.api,
    namespace,
    clusterName,
    identity,
    dataDirectory,
    furtherDirectories,
    ...(clusterDirectory === undefined ? {} : { clusterDirectory }),
    log,
  });
  const health = await serveHealth(settings.healthPort, () => ({ leads: operator.leads, isReady: operator.isReady }));
  operator.start();
  log.info({ namespace, clusterName, dataDirectory, furtherDirectories, port: health.port }, "the operator runs");
  const signal = await signalled();
  log.info({ signal }, `${signal}: stopping`);
  await operator.stop();
  await health.close();
  kubernetes.api.close();
  log.info({}, "stopped");
  process.exit(EXIT.DONE);
}

function signalled(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, resolve);
  });
}

/** The volumes that are mounted beside one another; none where there is no such directory. */
function directoriesIn(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map((entry) => `${path}/${entry.name}`)
      .sort();
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return [];
    throw error;
  }
}
