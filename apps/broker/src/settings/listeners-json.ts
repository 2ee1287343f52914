import { UsageError } from "./usage-error.js";
import type { GivenConfig } from "./settings.js";

/** One listener of `KAAS_LISTENERS`: the shape of Strimzi's `spec.kafka.listeners`, and where to bind and advertise. */
interface ListenerJson {
  readonly name: string;
  readonly port: number;
  readonly host?: string;
  readonly advertisedHost?: string;
  readonly advertisedPort?: number;
}

const ORIGIN = "KAAS_LISTENERS";

/** What each field must be. Fields of Strimzi that have no meaning here, or none yet, are refused by name. */
const FIELDS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  name: (value) =>
    typeof value === "string" && /^[a-zA-Z0-9_.-]+$/.test(value) ? undefined : "must be letters and digits",
  port: portProblem,
  host: textProblem,
  advertisedHost: textProblem,
  advertisedPort: portProblem,
  type: (value) => (value === "internal" ? undefined : 'must be "internal"; other types need Kubernetes'),
  tls: (value) => (value === false ? undefined : "must be false: TLS is not served yet"),
  authentication: (value) => (value === null ? undefined : "must be null: authentication is not served yet"),
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
    given("listener.security.protocol.map", listeners.map(({ name }) => `${name.toUpperCase()}:PLAINTEXT`).join(",")),
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
  return listener as ListenerJson;
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
