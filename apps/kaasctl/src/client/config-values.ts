import { nearestName, type Property } from "@kaas/core/internal";
import { UsageError } from "../usage-error.js";

/** All configurations that kaasctl honours. */
const NAMES: readonly string[] = [
  "security.protocol",
  "sasl.mechanism",
  "sasl.jaas.config",
  "ssl.truststore.type",
  "ssl.truststore.location",
  "ssl.truststore.certificates",
  "ssl.keystore.type",
  "ssl.keystore.location",
  "ssl.keystore.certificate.chain",
  "ssl.keystore.key",
  "ssl.key.password",
  "ssl.endpoint.identification.algorithm",
  "ssl.enabled.protocols",
  "client.id",
  "request.timeout.ms",
  "socket.connection.setup.timeout.ms",
];

/** What a file of `--command-config` says, by name. */
export class ConfigValues {
  readonly path: string;
  readonly #values: ReadonlyMap<string, string>;

  constructor(path: string, properties: readonly Property[]) {
    for (const { name, line } of properties) {
      if (!NAMES.includes(name)) throw new UsageError(`${path}:${line}: ${unknownName(name)}`);
    }
    this.path = path;
    this.#values = new Map(properties.map(({ name, value }) => [name, value.trim()]));
  }

  /** Undefined for what is not set, or set to nothing. */
  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return value === "" ? undefined : value;
  }

  /** Whether it is set at all, to nothing as well. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  names(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** What is said of a value that cannot be used. Values are not quoted unless a caller does: many are secret. */
  invalid(name: string, why: string): UsageError {
    return new UsageError(`${this.path}: ${name} ${why}`);
  }
}

function unknownName(name: string): string {
  const nearest = nearestName(name, NAMES);
  const guess = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return `${name} is not supported by kaasctl${guess || `; it takes ${NAMES.join(", ")}`}`;
}
