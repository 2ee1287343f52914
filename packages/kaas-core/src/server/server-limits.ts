/** Limits that Kafka users know, each read whenever it is needed, so that a changed value holds at once. */
export interface ServerLimits {
  /** `socket.request.max.bytes`: largest frame. */
  readonly socketRequestMaxBytes: number;
  /** `max.connections` of this broker, over all listeners. */
  readonly maxConnections: number;
  /** `max.connections.per.ip`. */
  readonly maxConnectionsPerIp: number;
  /** `max.connections.per.ip.overrides`, as Kafka writes it: `host:count,…`. Read once, when the server starts. */
  readonly maxConnectionsPerIpOverrides: string;
  /** `connections.max.idle.ms`; negative: never. */
  readonly connectionsMaxIdleMs: number;
  /** `queued.max.request.bytes`, over all connections; not positive: {@link REQUEST_MEMORY_BYTES}. */
  readonly queuedMaxRequestBytes: number;
  /** `sasl.server.max.receive.size`: largest frame of a client that has not logged in. */
  readonly saslServerMaxReceiveSize: number;
  /** `socket.listen.backlog.size`. */
  readonly socketListenBacklogSize: number;
}

/** Where a server reads its limits: the part of the broker's configuration that it needs. */
export interface ServerConfig {
  number(name: string): number;
  text(name: string): string | undefined;
}

/** The limits as a broker's configuration has them at any time. */
export class ConfiguredLimits implements ServerLimits {
  readonly #config: ServerConfig;

  constructor(config: ServerConfig) {
    this.#config = config;
  }

  get socketRequestMaxBytes(): number {
    return this.#config.number("socket.request.max.bytes");
  }

  get maxConnections(): number {
    return this.#config.number("max.connections");
  }

  get maxConnectionsPerIp(): number {
    return this.#config.number("max.connections.per.ip");
  }

  get maxConnectionsPerIpOverrides(): string {
    return this.#config.text("max.connections.per.ip.overrides") ?? "";
  }

  get connectionsMaxIdleMs(): number {
    return this.#config.number("connections.max.idle.ms");
  }

  get queuedMaxRequestBytes(): number {
    return this.#config.number("queued.max.request.bytes");
  }

  get saslServerMaxReceiveSize(): number {
    return this.#config.number("sasl.server.max.receive.size");
  }

  get socketListenBacklogSize(): number {
    return this.#config.number("socket.listen.backlog.size");
  }
}

/** Bytes of requests, received or being handled, beyond which reading pauses when no configuration says otherwise. */
export const REQUEST_MEMORY_BYTES: number = 256 * 1024 * 1024;

/** What a connection may always hold, however short of memory the broker is: one read of a socket. */
export const CONNECTION_FREE_BYTES: number = 64 * 1024;

/** Requests of one connection that may be in flight at a time. */
export const IN_FLIGHT_REQUESTS_MAX = 512;

/** Bytes of requests in flight on one connection beyond which no further one is started. */
export const IN_FLIGHT_BYTES_MAX: number = 16 * 1024 * 1024;

/** Bytes of answers that the client has not read, beyond which none of its requests is started. */
export const UNREAD_ANSWER_BYTES_MAX: number = 1024 * 1024;

/** Requests that one connection may start before the others have their turn. */
export const REQUESTS_PER_TURN = 128;

/** How long a client may take to log in. */
export const AUTHENTICATION_MS_MAX = 30_000;

/** How long a TLS handshake may take. */
export const TLS_HANDSHAKE_MS_MAX = 10_000;

/** TLS handshakes under way at a time; further connections are closed. */
export const TLS_HANDSHAKES_MAX = 2_000;

/** How often idle connections are looked for. */
export const SWEEP_INTERVAL_MS = 1000;

/** How long a server that closes waits for the answers in flight. */
export const CLOSE_GRACE_MS = 1000;

/** How long a connection that is being closed may take to read its last answers. */
export const CLOSE_LINGER_MS = 5000;
