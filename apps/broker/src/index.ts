/** A Kafka broker to embed: in a test, or in a program of its own. */
import { BrokerConfig, type Endpoint, type Log, silentLog } from "@kaas/core";
import { serve } from "./compose.js";

/** How an embedded broker is to be. Everything may be left out. */
export interface StartOptions {
  /** Address or name to bind, and what clients are told; 127.0.0.1 by default. */
  readonly host?: string;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Keeps everything in this directory, durably, and finds it there again; in memory by default. */
  readonly dataDirectory?: string;
  /** Broker configs by Kafka's names, such as `{ "num.partitions": 3 }`. */
  readonly config?: Readonly<Record<string, string | number | boolean>>;
  /** Where the broker says what it does, such as a pino logger; nowhere by default. */
  readonly log?: Log;
}

/** A broker that serves. */
export interface RunningBroker {
  /** `host:port`, for a client's list of brokers. */
  readonly bootstrapServers: string;
  readonly host: string;
  readonly port: number;
  /** What clients are told to connect to, for each listener, in the order of `listeners`. */
  readonly endpoints: readonly Endpoint[];
  /** 22 characters of base64url. */
  readonly clusterId: string;
  /** Answers what is under way, closes every connection, and leaves nothing behind but the data directory. */
  close(): Promise<void>;
}

/** A group that starts does not wait for more members: a test would only wait with it. */
const EMBEDDED_DEFAULTS: Readonly<Record<string, string>> = { "group.initial.rebalance.delay.ms": "0" };

/**
 * Starts a broker in this process; in memory and on a free port unless told otherwise. Resolves when clients can
 * connect.
 *
 * @throws KaasError KAAS_CONFIG_INVALID for a config that is unknown or wrong, KAAS_LISTENER_FAILED for an address that
 *   cannot be bound, KAAS_VOLUME_LOCKED and KAAS_VOLUME_INVALID for a data directory that cannot be used.
 */
export async function startKafkaBroker(options: StartOptions = {}): Promise<RunningBroker> {
  const { host = "127.0.0.1", port = 0, dataDirectory, log = silentLog } = options;
  const address = host.includes(":") ? `[${host}]` : host;
  const given = Object.entries(options.config ?? {}).map(([name, value]) => [name, String(value)] as const);
  const config = new BrokerConfig({
    ...EMBEDDED_DEFAULTS,
    listeners: `PLAINTEXT://${address}:${port}`,
    ...(dataDirectory === undefined ? {} : { "log.dirs": dataDirectory }),
    ...Object.fromEntries(given),
  });
  for (const warning of config.warnings) log.warn({}, warning);
  const { broker, close } = await serve(config, dataDirectory === undefined ? [] : [dataDirectory], log);
  const [endpoint] = broker.endpoints;
  if (endpoint === undefined) throw new Error("a started broker has an endpoint");
  const shownHost = endpoint.host.includes(":") ? `[${endpoint.host}]` : endpoint.host;
  let closing: Promise<void> | undefined;
  return {
    bootstrapServers: `${shownHost}:${endpoint.port}`,
    host: endpoint.host,
    port: endpoint.port,
    endpoints: broker.endpoints,
    clusterId: broker.clusterId,
    close: () => (closing ??= close()),
  };
}
