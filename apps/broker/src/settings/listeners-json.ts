import { UsageError } from "./usage-error.js";
import type { GivenConfig } from "./settings.js";

/** One listener of `KAAS_LISTENERS`: the shape of Strimzi's `spec.kafka.listeners`, and where to bind and advertise. */
interface ListenerJson {
  readonly name: string;
  readonly port: number;
  readonly host?: string;
  readonly advertisedHost?: string;
  readonly advertisedPort?: number;
  readonly tls?: boolean;
  readonly authentication?: { readonly type: Authentication } | null;
}

/** How clients prove who they are: by a password, for which there is a SASL mechanism, or by a certificate. */
const MECHANISMS = {
  "scram-sha-512": "SCRAM-SHA-512",
  "scram-sha-256": "SCRAM-SHA-256",
  plain: "PLAIN",
  tls: undefined,
} as const;

type Authentication = keyof typeof MECHANISMS;

/** All of them bind alike; how clients come there from outside is up to whoever deploys the broker. */
const TYPES: readonly unknown[] = ["internal", "loadbalancer", "nodeport", "tlsroute"];

const ORIGIN = "KAAS_LISTENERS";

/** What each field must be. Fields of Strimzi that have no meaning here, or none yet, are refused by name. */
const FIELDS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  name: (value) =>
    typeof value === "string" && /^[a-zA-Z0-9_.-]+$/.test(value) ? undefined : "must be letters and digits",
  port: portProblem,
  host: textProblem,
  advertisedHost: textProblem,
  advertisedPort: portProblem,
  type: (value) => (TYPES.includes(value) ? undefined : `must be one of ${TYPES.join(", ")}`),
  tls: (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
  authentication: authenticationProblem,
};

/**
 * Configs for `KAAS_LISTENERS`, which is written like `listeners`, or as a JSON list.
 *
 * @throws UsageError naming the listener and the field.
 */
export function configsOfListeners(text: string): GivenConfig[] {
  if (!text.trimStart().startsWith("[")) return [given("listeners", text)];
  const listeners = parseList(text);
  const advertised = listeners.filter(({ advertisedHost }) => advertisedHost !== undefined);
  const configs = [
    given("listeners", listeners.map(({ name, host, port }) => address(name, host ?? "127.0.0.1", port)).join(",")),
    given(
      "listener.security.protocol.map",
      listeners.map((one) => `${one.name.toUpperCase()}:${protocol(one)}`).join(","),
    ),
    ...listeners.flatMap(authenticationConfigs),
  ];
  if (advertised.length === 0) return configs;
  const addresses = advertised.map(({ name, advertisedHost = "", advertisedPort, port }) =>
    address(name, advertisedHost, advertisedPort ?? port),
  );
  return [...configs, given("advertised.listeners", addresses.join(","))];
}

function parseList(text: string): readonly ListenerJson[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${ORIGIN} is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(list) || list.length === 0) throw new UsageError(`${ORIGIN} must be a list of listeners`);
  return list.map(checked);
}

function checked(listener: unknown, index: number): ListenerJson {
  const where = `${ORIGIN}[${index}]`;
  if (typeof listener !== "object" || listener === null) throw new UsageError(`${where} must be an object`);
  for (const required of ["name", "port"]) {
    if (!(required in listener)) throw new UsageError(`${where}.${required} is missing`);
  }
  for (const [field, value] of Object.entries(listener)) {
    const check = FIELDS[field];
    const problem = check === undefined ? `is not one of ${Object.keys(FIELDS).join(", ")}` : check(value);
    if (problem !== undefined) throw new UsageError(`${where}.${field} ${problem}`);
  }
  if ("advertisedPort" in listener && !("advertisedHost" in listener)) {
    throw new UsageError(`${where}.advertisedPort needs advertisedHost`);
  }
  const { authentication, tls } = listener as Partial<ListenerJson>;
  if (authentication?.type === "tls" && tls !== true) {
    throw new UsageError(`${where}.authentication of type tls needs tls to be true`);
  }
  return listener as ListenerJson;
}

function protocol({ tls, authentication }: ListenerJson): string {
  const hasPasswords = authentication != null && authentication.type !== "tls";
  return `${hasPasswords ? "SASL_" : ""}${tls === true ? "SSL" : "PLAINTEXT"}`;
}

function authenticationConfigs({ name, tls, authentication }: ListenerJson): GivenConfig[] {
  const prefix = `listener.name.${name.toLowerCase()}`;
  const mechanism = authentication == null ? undefined : MECHANISMS[authentication.type];
  const clientAuth = authentication?.type === "tls" ? "required" : "none";
  return [
    ...(mechanism === undefined ? [] : [given(`${prefix}.sasl.enabled.mechanisms`, mechanism)]),
    ...(tls === true ? [given(`${prefix}.ssl.client.auth`, clientAuth)] : []),
  ];
}

function authenticationProblem(value: unknown): string | undefined {
  if (value === null) return undefined;
  const types = Object.keys(MECHANISMS);
  const { type, ...others } = value as { type?: unknown };
  const isKnown = typeof value === "object" && types.includes(type as string) && Object.keys(others).length === 0;
  return isKnown ? undefined : `must be null, or { "type": … } with one of ${types.join(", ")}`;
}

function textProblem(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? undefined : "must be a name or an address";
}

function portProblem(value: unknown): string | undefined {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535
    ? undefined
    : "must be 0 to 65535";
}

function address(name: string, host: string, port: number): string {
  return `${name.toUpperCase()}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function given(name: string, value: string): GivenConfig {
  return { name, value, origin: ORIGIN };
}
