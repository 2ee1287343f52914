import { type BrokerConfig, KaasError, type ListenerOptions, type SecurityProtocol } from "@kaas/core";

const PROTOCOLS: readonly SecurityProtocol[] = ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"];
const PORT_MAX = 65_535;
const ANY_ADDRESS: readonly string[] = ["", "0.0.0.0", "::"];

/** An address as `listeners` and `advertised.listeners` have it. */
interface NamedAddress {
  readonly name: string;
  /** Without brackets; empty for every address. */
  readonly host: string;
  readonly port: number;
}

/**
 * The listeners that a configuration asks for, with the address that clients are told for each.
 *
 * @param hostName what clients are told for a listener on every address, when nothing else was said
 * @throws KaasError KAAS_CONFIG_INVALID naming the listener and what is wrong with it.
 */
export function listenersOf(config: BrokerConfig, hostName: () => string): readonly ListenerOptions[] {
  // Controllers have listeners in Kafka; here there is no KRaft quorum that would use them.
  const controllers = config.list("controller.listener.names").map((name) => name.toUpperCase());
  const isForClients = ({ name }: NamedAddress): boolean => !controllers.includes(name);
  const listeners = parseAddresses("listeners", config).filter(isForClients);
  if (listeners.length === 0) throw invalid("listeners: at least one listener for clients is needed");
  rejectClashes(listeners);
  rejectStrays(config, [...listeners.map(({ name }) => name), ...controllers]);
  const protocols = protocolsOf(config);
  const given = parseAddresses("advertised.listeners", config).filter(isForClients);
  const advertised = new Map(given.map((address) => [address.name, address]));
  if (advertised.size < given.length) throw invalid("advertised.listeners: two addresses are of the same listener");
  for (const name of advertised.keys()) {
    if (!listeners.some((listener) => listener.name === name)) {
      throw invalid(`advertised.listeners: there is no listener ${name}; name one of listeners`);
    }
  }
  return listeners.map((listener) => {
    const options = withAdvertised(listener, advertised.get(listener.name), hostName);
    return { ...options, protocol: protocolOf(listener, protocols) };
  });
}

function withAdvertised(
  listener: NamedAddress,
  advertised: NamedAddress | undefined,
  hostName: () => string,
): ListenerOptions {
  if (advertised === undefined) {
    return listener.host === "" ? { ...listener, advertisedHost: hostName() } : listener;
  }
  if (ANY_ADDRESS.includes(advertised.host)) {
    throw invalid(`advertised.listeners: ${shown(advertised)} is no address that clients could connect to`);
  }
  const advertisedPort = advertised.port === 0 ? undefined : advertised.port;
  return { ...listener, advertisedHost: advertised.host, advertisedPort };
}

function parseAddresses(config: "listeners" | "advertised.listeners", from: BrokerConfig): NamedAddress[] {
  return from.list(config).map((text) => {
    const [, name, host, port] = /^([\w.-]+):\/\/(\[[^\]]*\]|[^:/[\]]*):(\d{1,5})$/.exec(text) ?? [];
    if (name === undefined || host === undefined || Number(port) > PORT_MAX) {
      throw invalid(
        `${config}: ${text} is not NAME://HOST:PORT, such as PLAINTEXT://127.0.0.1:9092 or PLAINTEXT://[::1]:9092`,
      );
    }
    return { name: name.toUpperCase(), host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
  });
}

function rejectClashes(listeners: readonly NamedAddress[]): void {
  for (const [index, listener] of listeners.entries()) {
    for (const other of listeners.slice(0, index)) {
      if (other.name === listener.name) throw invalid(`listeners: two listeners have the name ${listener.name}`);
      const isSamePlace =
        other.host === listener.host || ANY_ADDRESS.includes(other.host) || ANY_ADDRESS.includes(listener.host);
      if (listener.port !== 0 && other.port === listener.port && isSamePlace) {
        throw invalid(`listeners: ${shown(other)} and ${shown(listener)} have the same port`);
      }
    }
  }
}

/** A setting of a listener that is called otherwise would do nothing: it may be the one that asks clients who they are. */
function rejectStrays(config: BrokerConfig, names: readonly string[]): void {
  const known = names.map((name) => name.toLowerCase());
  for (const setting of config.listenerValues.keys()) {
    const [, , name = ""] = setting.split(".");
    if (!known.includes(name)) {
      throw invalid(
        `${setting}: there is no listener ${name}; the names of listeners, in lower case: ${known.join(", ")}`,
      );
    }
  }
}

/** The protocol of each listener name; the protocols' own names stand for themselves. */
function protocolsOf(config: BrokerConfig): ReadonlyMap<string, SecurityProtocol> {
  const protocols = new Map<string, SecurityProtocol>(PROTOCOLS.map((protocol) => [protocol, protocol]));
  for (const entry of (config.text("listener.security.protocol.map") ?? "").split(",")) {
    if (entry.trim() === "") continue;
    const [name, word, ...rest] = entry.split(":").map((part) => part.trim().toUpperCase());
    const protocol = PROTOCOLS.find((known) => known === word);
    if (name === undefined || protocol === undefined || rest.length > 0) {
      throw invalid(
        `listener.security.protocol.map: ${entry.trim()} is not NAME:PROTOCOL with one of ${PROTOCOLS.join(", ")}`,
      );
    }
    protocols.set(name, protocol);
  }
  return protocols;
}

function protocolOf({ name }: NamedAddress, protocols: ReadonlyMap<string, SecurityProtocol>): SecurityProtocol {
  const protocol = protocols.get(name);
  if (protocol === undefined) {
    throw invalid(
      `listeners: nothing says which protocol ${name} has; set listener.security.protocol.map=${name}:PLAINTEXT, or one of ${PROTOCOLS.slice(1).join(", ")}`,
    );
  }
  return protocol;
}

function shown({ name, host, port }: NamedAddress): string {
  return `${name}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function invalid(message: string): KaasError {
  return new KaasError("KAAS_CONFIG_INVALID", message);
}
