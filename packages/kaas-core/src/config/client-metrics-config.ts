import { KaasError } from "../errors/kaas-error.js";
import type { ClusterFiles } from "../ports/cluster-files.js";
import type { ConfigDefinition } from "./config-definition.js";
import { type ConfigEntry, ConfigSource } from "./config-entry.js";
import { parseConfigValue, splitList } from "./config-value.js";
import type { ConfigTexts } from "./dynamic-broker-configs.js";

const INTERVAL_MS_MIN = 100;
const INTERVAL_MS_MAX = 3_600_000;

/** What a subscription can match clients by (KIP-714). */
const MATCH_KEYS: ReadonlySet<string> = new Set([
  "client_instance_id",
  "client_id",
  "client_software_name",
  "client_software_version",
  "client_source_address",
  "client_source_port",
]);

/** The configurations of a client metrics subscription (KIP-714). They are kept; no client is asked for metrics yet. */
export const clientMetricsDefinitions: readonly ConfigDefinition[] = [
  {
    name: "interval.ms",
    type: "int",
    defaultValue: "300000",
    standing: "accepted",
    documentation: "How often a client pushes metrics.",
  },
  {
    name: "match",
    type: "list",
    defaultValue: "",
    standing: "accepted",
    documentation: "Which clients are asked, as `key=pattern`; all must match.",
  },
  {
    name: "metrics",
    type: "list",
    defaultValue: "",
    standing: "accepted",
    documentation: "Which metrics, by the beginning of their names; `*` for all, empty for none.",
  },
];

/** Subscriptions by name. */
export type ClientMetricsSubscriptions = Readonly<Record<string, ConfigTexts>>;

/** What stands against a subscription's configuration; `isMalformed` when it is not even of its type. */
export interface SubscriptionProblem {
  readonly isMalformed: boolean;
  readonly message: string;
}

export function subscriptionProblem(texts: ConfigTexts): SubscriptionProblem | undefined {
  for (const [name, text] of Object.entries(texts)) {
    const definition = clientMetricsDefinitions.find((candidate) => candidate.name === name);
    if (definition === undefined) {
      return { isMalformed: false, message: `Unknown client metrics configuration: ${name}` };
    }
    const parsed = parseConfigValue(definition, text);
    if ("problem" in parsed) return { isMalformed: true, message: parsed.problem };
  }
  return intervalProblem(texts["interval.ms"]) ?? matchProblem(texts.match ?? "");
}

/** The subscriptions that were stored. */
export async function readSubscriptions(files: ClusterFiles): Promise<ClientMetricsSubscriptions> {
  return (await readStoredSubscriptions(files)).subscriptions;
}

/** The subscriptions that were stored, and as which version. */
export async function readStoredSubscriptions(
  files: ClusterFiles,
): Promise<{ readonly version: number; readonly subscriptions: ClientMetricsSubscriptions }> {
  const { version, content: subscriptions = {} } = await files.readDocument("client-metrics-configs");
  if (!isSubscriptions(subscriptions)) {
    throw new KaasError(
      "KAAS_VOLUME_INVALID",
      "the cluster document client-metrics-configs does not hold subscriptions; restore it or remove it",
    );
  }
  return { version, subscriptions };
}

/** Stores all subscriptions in the place of a version; false where that is the newest no more. Durable when it resolves. */
export function writeSubscriptions(
  files: ClusterFiles,
  version: number,
  subscriptions: ClientMetricsSubscriptions,
): Promise<boolean> {
  return files.writeDocument("client-metrics-configs", version, subscriptions);
}

/** A subscription as it is described; one that does not exist has its defaults, as in Kafka. */
export function describeSubscription(texts: ConfigTexts): readonly ConfigEntry[] {
  return clientMetricsDefinitions.map(({ name, type, defaultValue, documentation }) => {
    const own = texts[name];
    const source = own === undefined ? ConfigSource.DEFAULT : ConfigSource.CLIENT_METRICS;
    return {
      name,
      value: own ?? defaultValue,
      readOnly: false,
      isSensitive: false,
      source,
      synonyms: own === undefined ? [] : [{ name, value: own, source }],
      type,
      documentation,
    };
  });
}

function intervalProblem(text: string | undefined): SubscriptionProblem | undefined {
  if (text === undefined) return undefined;
  const interval = Number(text);
  if (interval >= INTERVAL_MS_MIN && interval <= INTERVAL_MS_MAX) return undefined;
  const message = `Invalid value ${text} for interval.ms, interval must be between ${INTERVAL_MS_MIN} and ${INTERVAL_MS_MAX} (1 hour)`;
  return { isMalformed: false, message };
}

function matchProblem(text: string): SubscriptionProblem | undefined {
  const wrong = splitList(text).find((item) => !isMatcher(item));
  return wrong === undefined ? undefined : { isMalformed: true, message: `Illegal client matching pattern: ${wrong}` };
}

function isMatcher(item: string): boolean {
  const [key, pattern, ...rest] = item.split("=");
  if (key === undefined || pattern === undefined || rest.length > 0 || !MATCH_KEYS.has(key.trim())) return false;
  try {
    new RegExp(pattern.trim());
    return true;
  } catch {
    return false;
  }
}

function isSubscriptions(value: unknown): value is ClientMetricsSubscriptions {
  const isRecord = (candidate: unknown): candidate is Record<string, unknown> =>
    typeof candidate === "object" && candidate !== null && !Array.isArray(candidate);
  return (
    isRecord(value) &&
    Object.values(value).every(
      (texts) => isRecord(texts) && Object.values(texts).every((text) => typeof text === "string"),
    )
  );
}
