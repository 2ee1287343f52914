/** The process of `kaas-broker`: from arguments to exit code. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { KaasError, type Log } from "@kaas/core";
import { systemClock } from "@kaas/storage";
import { announce } from "./announcement.js";
import { serve, type ServingBroker } from "./compose.js";
import { type KeptServing, keepServing } from "./keep-serving.js";
import { createLog, LOG_LEVELS } from "./logging.js";
import { machineProcess, type ProcessHost } from "./process-host.js";
import { type CommandLine, HELP, parseCommandLine } from "./settings/command-line.js";
import { type Settings, settingsOf } from "./settings/settings.js";
import { UsageError } from "./settings/usage-error.js";

/** Exit codes: it ended as asked, it failed, it was called wrongly. */
const EXIT = { DONE: 0, FAILED: 1, USAGE: 2 } as const;

/** Runs a broker until SIGTERM or SIGINT, and ends the process. */
export async function run(args: readonly string[], host: ProcessHost = machineProcess): Promise<void> {
  const { environment } = host;
  let commandLine: CommandLine;
  let settings: Settings;
  let log: Log;
  try {
    commandLine = parseCommandLine(args);
    if (commandLine.help) return host.print(HELP);
    if (commandLine.version) return host.print(`${version()}\n`);
    settings = settingsOf({ commandLine, environment, readFile: (path) => readFileSync(path, "utf8") });
    log = await createLog(logLevel(environment), host.isTerminal, host.logDescriptor);
  } catch (error) {
    return endWrongUse(error, host);
  }
  host.onUncaught((error) => {
    log.error({ err: error }, "an error that nothing expected; the broker ends");
    host.exit(EXIT.FAILED);
  });
  await serveUntilAsked(settings, log, host);
}

async function serveUntilAsked(settings: Settings, log: Log, host: ProcessHost): Promise<void> {
  const { config, memory, cluster } = settings;
  const directories = memory ? [] : config.list("log.dirs").map((path) => resolve(path));
  for (const warning of config.warnings) log.warn({}, warning);
  const podName = cluster?.identity.name;
  const starting = keepServing({
    start: () => start(settings, directories, log, host),
    log,
    monotonic: () => systemClock.monotonic(),
    started: ({ broker: { endpoints, clusterId } }) =>
      announce({ endpoints, clusterId, directories, version: version(), podName }, log),
    gaveUp: () => host.exit(EXIT.FAILED),
  });
  stopWhenAsked(starting, log, host);
  try {
    await starting;
  } catch (error) {
    if (error instanceof KaasError && error.code === "KAAS_CONFIG_INVALID") return endWrongUse(error, host);
    if (error instanceof KaasError) log.error({ code: error.code }, `${error.message}; the broker does not start`);
    else log.error({ err: error }, "the broker does not start");
    host.exit(EXIT.FAILED);
  }
}

/** In the way that the settings ask for. What a broker that is alone does not need is not loaded for it. */
async function start(
  { config, health, cluster }: Settings,
  directories: readonly string[],
  log: Log,
  host: ProcessHost,
): Promise<ServingBroker> {
  const how = { config, log, logLevel: logLevel(host.environment), isTerminal: host.isTerminal, version: version() };
  const [directory, ...further] = directories;
  if (cluster !== undefined && directory !== undefined) {
    const { serveInCluster } = await import("./compose-cluster.js");
    return serveInCluster({
      ...how,
      directories: [directory, ...further],
      cluster,
      health,
      startedMs: systemClock.now(),
    });
  }
  if (health === undefined) return serve(config, directories, log, version());
  const { serveWithProbes } = await import("./compose-with-probes.js");
  return serveWithProbes({ ...how, directories, health });
}

/** A broker that is asked to stop while it starts does so once it has. */
function stopWhenAsked(starting: Promise<KeptServing>, log: Log, host: ProcessHost): void {
  let isStopping = false;
  const stop = (signal: string): void => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, `${signal}: stopping`);
    const stopped = starting.then((serving) => serving.close());
    stopped.then(
      () => {
        log.info({}, "stopped");
        host.exit(EXIT.DONE);
      },
      (error: unknown) => {
        log.error({ err: error }, "the broker did not stop in order");
        host.exit(EXIT.FAILED);
      },
    );
  };
  host.onSignal("SIGTERM", stop);
  host.onSignal("SIGINT", stop);
}

function endWrongUse(error: unknown, host: ProcessHost): void {
  if (!(error instanceof UsageError || error instanceof KaasError)) throw error;
  host.printError(`kaas-broker: ${error.message}\nTry kaas-broker --help, or docs/configuration.md.\n`);
  host.setExitCode(EXIT.USAGE);
}

function logLevel({ KAAS_LOG_LEVEL: text = "" }: ProcessHost["environment"]): string {
  if (text === "") return "info";
  const level = text.toLowerCase();
  if (LOG_LEVELS.includes(level)) return level;
  throw new UsageError(`KAAS_LOG_LEVEL: ${text} is not one of ${LOG_LEVELS.join(", ")}`);
}

function version(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
