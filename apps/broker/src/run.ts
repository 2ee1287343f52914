/** The process of `kaas-broker`: from arguments to exit code. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Endpoint, KaasError, type Log } from "@kaas/core";
import { systemClock } from "@kaas/storage";
import { type ServingBroker, serve } from "./compose.js";
import { type KeptServing, keepServing } from "./keep-serving.js";
import { createLog, LOG_LEVELS } from "./logging.js";
import { type CommandLine, HELP, parseCommandLine } from "./settings/command-line.js";
import { type Settings, settingsOf } from "./settings/settings.js";
import { UsageError } from "./settings/usage-error.js";

/** Exit codes: it ended as asked, it failed, it was called wrongly. */
const EXIT = { DONE: 0, FAILED: 1, USAGE: 2 } as const;

/** Runs a broker until SIGTERM or SIGINT, and ends the process. */
export async function run(args: readonly string[]): Promise<void> {
  let commandLine: CommandLine;
  let settings: Settings;
  let log: Log;
  try {
    commandLine = parseCommandLine(args);
    if (commandLine.help) return print(HELP);
    if (commandLine.version) return print(`${version()}\n`);
    settings = settingsOf({ commandLine, environment: process.env, readFile: (path) => readFileSync(path, "utf8") });
    log = await createLog(logLevel(process.env.KAAS_LOG_LEVEL), process.stdout.isTTY);
  } catch (error) {
    return endWrongUse(error);
  }
  process.on("uncaughtException", (error) => {
    log.error({ err: error }, "an error that nothing expected; the broker ends");
    process.exit(EXIT.FAILED);
  });
  await serveUntilAsked(settings, log);
}

async function serveUntilAsked({ config, memory }: Settings, log: Log): Promise<void> {
  const directories = memory ? [] : config.list("log.dirs").map((path) => resolve(path));
  for (const warning of config.warnings) log.warn({}, warning);
  const starting = keepServing({
    start: () => serve(config, directories, log, version()),
    log,
    monotonic: () => systemClock.monotonic(),
    started: (serving) => announce(serving, directories, log),
    gaveUp: () => process.exit(EXIT.FAILED),
  });
  stopWhenAsked(starting, log);
  try {
    await starting;
  } catch (error) {
    if (error instanceof KaasError && error.code === "KAAS_CONFIG_INVALID") return endWrongUse(error);
    if (error instanceof KaasError) log.error({ code: error.code }, `${error.message}; the broker does not start`);
    else log.error({ err: error }, "the broker does not start");
    process.exit(EXIT.FAILED);
  }
}

/** The one line that says what runs here. */
function announce({ broker }: ServingBroker, directories: readonly string[], log: Log): void {
  const listeners = broker.endpoints.map(shown);
  const { clusterId } = broker;
  const [dataDirectory = null] = directories;
  const mode = dataDirectory === null ? "memory" : "single node";
  const where = dataDirectory === null ? "data in memory" : `data in ${directories.join(", ")}`;
  log.info(
    { listeners, dataDirectory, clusterId, mode, version: version() },
    `kaas ${version()} listens on ${listeners.join(", ")}; ${where}; cluster id ${clusterId}; mode ${mode}`,
  );
}

/** A broker that is asked to stop while it starts does so once it has. */
function stopWhenAsked(starting: Promise<KeptServing>, log: Log): void {
  let isStopping = false;
  const stop = (signal: string): void => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, `${signal}: stopping`);
    const stopped = starting.then((serving) => serving.close());
    stopped.then(
      () => {
        log.info({}, "stopped");
        process.exit(EXIT.DONE);
      },
      (error: unknown) => {
        log.error({ err: error }, "the broker did not stop in order");
        process.exit(EXIT.FAILED);
      },
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

function endWrongUse(error: unknown): void {
  if (!(error instanceof UsageError || error instanceof KaasError)) throw error;
  process.stderr.write(`kaas-broker: ${error.message}\nTry kaas-broker --help, or docs/configuration.md.\n`);
  process.exitCode = EXIT.USAGE;
}

function logLevel(text = ""): string {
  if (text === "") return "info";
  const level = text.toLowerCase();
  if (LOG_LEVELS.includes(level)) return level;
  throw new UsageError(`KAAS_LOG_LEVEL: ${text} is not one of ${LOG_LEVELS.join(", ")}`);
}

function print(text: string): void {
  process.stdout.write(text);
}

function version(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

function shown({ listenerName, host, port }: Endpoint): string {
  return `${listenerName}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
