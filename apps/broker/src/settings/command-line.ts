import { parseArgs } from "node:util";
import { nearestName } from "@kaas/core/internal";
import { UsageError } from "./usage-error.js";

/** What the command line asks for. */
export interface CommandLine {
  readonly help: boolean;
  readonly version: boolean;
  readonly memory: boolean;
  readonly dataDirectory: string | undefined;
  readonly listeners: string | undefined;
  /** Path of a properties file. */
  readonly configFile: string | undefined;
  /** Broker configs, the last of a name in force. */
  readonly overrides: readonly { readonly name: string; readonly value: string }[];
}

const OPTIONS = {
  "data-dir": { type: "string" },
  listeners: { type: "string" },
  memory: { type: "boolean" },
  config: { type: "string" },
  override: { type: "string", multiple: true },
  version: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** What `--help` prints. */
export const HELP = `kaas-broker: an Apache Kafka wire-compatible broker

Usage: kaas-broker [options]

  --data-dir DIR                    where everything is kept (default: ./kaas-data)
  --listeners NAME://HOST:PORT,…    where to listen; port 0 takes a free one
                                    (default: PLAINTEXT://127.0.0.1:9092)
  --memory                          keep everything in memory, nothing on the disk
  --config FILE                     read broker configs from a properties file
  --override KEY=VALUE              set one broker config; may be repeated
  --version                         print the version
  -h, --help                        print this

Environment:
  KAAS_DATA_DIR                     as --data-dir
  KAAS_LISTENERS                    as --listeners, or a JSON list of listeners
  KAAS_CFG_NAME_OF_CONFIG           one broker config: KAAS_CFG_NUM_PARTITIONS=6
  KAAS_HEALTH_PORT                  where /healthz, /readyz and /metrics are answered
  MY_POD_NAME                       makes it one of several brokers on a shared volume: see docs/configuration.md
  KAAS_LOG_LEVEL                    trace, debug, info, warn, error or fatal

An option is stronger than --override, that than the environment, and that than the file.
`;

/** @throws UsageError naming the wrong option. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parseKnown(args);
  const [stray] = positionals;
  if (stray !== undefined) {
    const hint = stray.endsWith(".properties") ? `; did you mean --config ${stray}?` : "";
    throw new UsageError(`unexpected argument ${stray}${hint}`);
  }
  return {
    help: values.help ?? false,
    version: values.version ?? false,
    memory: values.memory ?? false,
    dataDirectory: nonEmpty("data-dir", values["data-dir"]),
    listeners: nonEmpty("listeners", values.listeners),
    configFile: nonEmpty("config", values.config),
    overrides: (values.override ?? []).map(parseOverride),
  };
}

function parseKnown(
  args: readonly string[],
): ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>> {
  const known = Object.keys(OPTIONS);
  for (const arg of args) {
    if (arg === "--") break;
    const [, name] = /^--([^=]+)/.exec(arg) ?? [];
    if (name === undefined || known.includes(name)) continue;
    const near = nearestName(name, known);
    throw new UsageError(`unknown option --${name}${near === undefined ? "" : `; did you mean --${near}?`}`);
  }
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's message goes on with advice on how to write arguments that begin with a dash.
    throw new UsageError((error as Error).message.split("\n")[0] ?? "wrong arguments");
  }
}

function nonEmpty(option: string, value: string | undefined): string | undefined {
  if (value === "") throw new UsageError(`--${option} needs a value`);
  return value;
}

function parseOverride(text: string): { name: string; value: string } {
  const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new UsageError(`--override ${text} is not KEY=VALUE, such as --override num.partitions=6`);
  }
  return { name, value };
}
