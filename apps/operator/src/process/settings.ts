import { KaasError } from "@kaas/core";

/** What the operator is told by its environment. */
export interface Settings {
  readonly namespace: string | undefined;
  readonly identity: string;
  readonly clusterName: string;
  readonly dataDirectory: string;
  readonly clusterDirectory: string | undefined;
  /** Further volumes, where they are named. */
  readonly furtherDirectories: readonly string[] | undefined;
  /** Where further volumes are mounted, each under its name, where they are not named. */
  readonly volumesDirectory: string;
  readonly healthPort: number;
  readonly logLevel: string;
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"];
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/**
 * Reads the environment. What is wrong is named with its variable.
 *
 * @param processId tells processes apart where there is no pod name
 * @throws KaasError KAAS_CONFIG_INVALID
 */
export function settingsOf(environment: Readonly<Record<string, string | undefined>>, processId: number): Settings {
  const value = (name: string): string | undefined => (environment[name] === "" ? undefined : environment[name]);
  return {
    namespace: value("MY_POD_NAMESPACE"),
    // Two processes of one pod name, after a forced deletion, must not take each other for themselves.
    identity: `${value("MY_POD_NAME") ?? "kaas-operator"}_${processId}`,
    clusterName: clusterName(value("KAAS_CLUSTER_NAME") ?? "kaas"),
    dataDirectory: trimmed(value("KAAS_DATA_DIR") ?? "/data"),
    clusterDirectory: value("KAAS_CLUSTER_DIR"),
    furtherDirectories: value("KAAS_LOG_DIRS")
      ?.split(",")
      .map((path) => trimmed(path.trim()))
      .filter((path) => path !== ""),
    volumesDirectory: trimmed(value("KAAS_VOLUMES_DIR") ?? "/vols"),
    healthPort: port(value("KAAS_HEALTH_PORT") ?? "8080"),
    logLevel: logLevel(value("KAAS_LOG_LEVEL") ?? "info"),
  };
}

function clusterName(text: string): string {
  if (NAME.test(text) && text.length <= 63) return text;
  throw invalid(`KAAS_CLUSTER_NAME: "${text}" is no name that a KafkaCluster and a StatefulSet could have`);
}

function port(text: string): number {
  const number = Number(text);
  if (/^\d{1,5}$/.test(text) && number <= 65_535) return number;
  throw invalid(`KAAS_HEALTH_PORT: "${text}" is no port`);
}

function logLevel(text: string): string {
  const level = text.toLowerCase();
  if (LOG_LEVELS.includes(level)) return level;
  throw invalid(`KAAS_LOG_LEVEL: "${text}" is not one of ${LOG_LEVELS.join(", ")}`);
}

function trimmed(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") : path;
}

function invalid(message: string): KaasError {
  return new KaasError("KAAS_CONFIG_INVALID", message);
}
