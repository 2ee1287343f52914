import { createServer, type Server, type Socket } from "node:net";
import type { Endpoint } from "../api/broker-services.js";
import { KaasError } from "../errors/kaas-error.js";

/** Kafka's protocols: whether a listener encrypts, and whether clients log in. */
export type SecurityProtocol = "PLAINTEXT" | "SSL" | "SASL_PLAINTEXT" | "SASL_SSL";

/** An address that a broker listens on, and the one that it tells clients to come to. */
export interface ListenerOptions {
  /** Such as `PLAINTEXT`; unique among the listeners of a server. */
  readonly name: string;
  /** Address or name to bind; empty for every address. IPv6 addresses stand without brackets. */
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  /** How clients talk to it; `PLAINTEXT` by default. */
  readonly protocol?: SecurityProtocol | undefined;
  /** What clients are told; `host` by default. */
  readonly advertisedHost?: string | undefined;
  /** What clients are told; the bound port by default. */
  readonly advertisedPort?: number | undefined;
}

/** A listener that is bound: the endpoint that clients are told, and where it actually is. */
export interface BoundListener extends Endpoint {
  readonly boundHost: string;
  readonly boundPort: number;
}

const ANY_ADDRESS: ReadonlySet<string> = new Set(["", "0.0.0.0", "::"]);

/** Listens on one address. Connections are handed on; what they speak is decided by who takes them. */
export class Listener {
  readonly bound: BoundListener;
  readonly #server: Server;

  private constructor(server: Server, bound: BoundListener) {
    this.#server = server;
    this.bound = bound;
  }

  /** @throws KaasError KAAS_LISTENER_FAILED naming the address and the cause. */
  static async bind(config: ListenerOptions, backlog: number, accept: (socket: Socket) => void): Promise<Listener> {
    const advertisedHost = config.advertisedHost ?? config.host;
    if (ANY_ADDRESS.has(advertisedHost))
      throw failed(config, "clients cannot be told to connect to every address; set the advertised address");
    const server = createServer({ noDelay: true, keepAlive: true }, accept);
    try {
      await listening(server, config, backlog);
    } catch (cause) {
      throw failed(config, (cause as Error).message, cause);
    }
    const address = server.address();
    if (address === null || typeof address === "string") throw failed(config, "it has no port");
    return new Listener(server, {
      listenerName: config.name,
      host: advertisedHost,
      port: config.advertisedPort ?? address.port,
      boundHost: address.address,
      boundPort: address.port,
    });
  }

  /** Errors of accepting, such as too many open files. */
  onError(callback: (error: Error) => void): void {
    this.#server.on("error", callback);
  }

  /** Accepts no more; resolves when the last of its connections has closed. */
  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

function listening(server: Server, { host, port }: ListenerOptions, backlog: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const address = host === "" ? {} : { host };
    server.listen({ ...address, port, backlog }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function failed({ name, host, port }: ListenerOptions, why: string, cause?: unknown): KaasError {
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  return new KaasError("KAAS_LISTENER_FAILED", `listener ${name} cannot listen on ${address}: ${why}`, { cause });
}
