import { UsageError } from "../usage-error.js";

/** Where a broker listens. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

const PORT_MAX = 65_535;
/** A host and a port, as Kafka's tools take them: an IPv6 address stands in brackets. */
const ADDRESS = /^(?:\[(?<v6>[0-9A-Fa-f:.%]+)\]|(?<name>[^:[\]/\s]+)):(?<port>\d{1,5})$/;

/**
 * The addresses of `--bootstrap-server`, separated by commas.
 *
 * @throws UsageError for what is none
 */
export function parseAddresses(text: string): readonly BrokerAddress[] {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (parts.length === 0) throw new UsageError("--bootstrap-server wants HOST:PORT, or several of them with commas");
  return parts.map((part) => {
    const { v6, name, port = "" } = ADDRESS.exec(part)?.groups ?? {};
    const host = v6 ?? name;
    if (host === undefined || Number(port) < 1 || Number(port) > PORT_MAX) {
      throw new UsageError(`${part} is no address of a broker: write HOST:PORT, such as kaas-bootstrap:9092`);
    }
    return { host, port: Number(port) };
  });
}

/** As people write it. */
export function shownAddress({ host, port }: BrokerAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
