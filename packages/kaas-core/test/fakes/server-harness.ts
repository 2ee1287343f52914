import { ApiRegistry } from "../../src/api/api-registry.js";
import { apiVersions } from "../../src/api/18-api-versions.js";
import type { AnyApiHandler, RequestContext } from "../../src/api/api-handler.js";
import type { Broker } from "../../src/api/broker-services.js";
import type { Credentials } from "../../src/ports/credentials.js";
import type { LogFields } from "../../src/ports/log.js";
import type { SecretFiles } from "../../src/ports/secret-files.js";
import type { ListenerSecurity } from "../../src/server/listener-security.js";
import type { Timer } from "../../src/ports/clock.js";
import { type BoundListener, KafkaServer, type ListenerOptions } from "../../src/server/kafka-server.js";
import { noAuthorizer } from "../../src/security/authorizer.js";
import { noCredentials } from "../../src/security/no-credentials.js";
import { ClientQuotas } from "../../src/security/quotas/client-quotas.js";
import { quotaConfig } from "./fake-quotas.js";
import { ManualClock } from "./manual-clock.js";
import { RawClient } from "./raw-client.js";

/** Stands still, but lets what is due at once happen. */
class SocketClock extends ManualClock {
  override schedule(delayMs: number, callback: () => void): Timer {
    if (delayMs > 0) return super.schedule(delayMs, callback);
    const immediate = setImmediate(callback);
    return { cancel: () => clearImmediate(immediate) };
  }
}

const CONFIG: Readonly<Record<string, number | string>> = {
  "socket.request.max.bytes": 104_857_600,
  "max.connections": 2_147_483_647,
  "max.connections.per.ip": 2_147_483_647,
  "max.connections.per.ip.overrides": "",
  "connections.max.idle.ms": 600_000,
  "queued.max.request.bytes": -1,
  "socket.listen.backlog.size": 50,
  "sasl.server.max.receive.size": 524_288,
};

export interface LogLine {
  readonly level: string;
  readonly fields: LogFields;
  readonly message: string;
}

export interface ServerHarness {
  readonly server: KafkaServer;
  readonly clock: ManualClock;
  readonly listeners: readonly BoundListener[];
  readonly port: number;
  /** What was logged above the level of debug. */
  readonly lines: LogLine[];
  connect(): Promise<RawClient>;
  /** Closes clients and server. */
  close(): Promise<void>;
}

export interface ServerHarnessOptions {
  readonly handlers?: readonly AnyApiHandler[];
  readonly config?: Readonly<Record<string, number | string>>;
  readonly listeners?: readonly ListenerOptions[];
  /** What listeners ask of connections; nothing by default. */
  readonly security?: (listener: ListenerOptions) => ListenerSecurity;
  readonly secretFiles?: SecretFiles;
  /** Where quotas come from; nobody is limited by default. */
  readonly credentials?: Credentials;
}

const ANY_PORT: readonly ListenerOptions[] = [{ name: "PLAINTEXT", host: "127.0.0.1", port: 0 }];

/** A server on a free port, that serves `handlers` and ApiVersions. */
export async function startServer(options: ServerHarnessOptions = {}): Promise<ServerHarness> {
  const clock = new SocketClock();
  const values: Readonly<Record<string, number | string>> = { ...CONFIG, ...options.config };
  const lines: LogLine[] = [];
  const logAs =
    (level: string) =>
    (fields: LogFields, message: string): void => {
      lines.push({ level, fields, message });
    };
  const server = new KafkaServer({
    listeners: options.listeners ?? ANY_PORT,
    broker: {
      apis: new ApiRegistry([apiVersions, ...(options.handlers ?? [])]),
      clusterId: "c",
      nodeId: 1,
      clock,
      authorizer: noAuthorizer,
      quotas: new ClientQuotas(options.credentials ?? noCredentials, quotaConfig, clock),
    } as unknown as Broker,
    config: { number: (name) => values[name] as number, text: (name) => values[name] as string },
    clock,
    poisonsReleasedFrames: true,
    ...(options.security === undefined ? {} : { security: options.security }),
    secretFiles: options.secretFiles,
    log: { debug() {}, info: logAs("info"), warn: logAs("warn"), error: logAs("error") },
  });
  const listeners = await server.listen();
  const clients: RawClient[] = [];
  const port = listeners[0]?.boundPort ?? 0;
  return {
    server,
    clock,
    listeners,
    port,
    lines,
    async connect() {
      const client = await RawClient.connect(port);
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) client.close();
      await server.close(0);
    },
  };
}

/** An API that is served in all versions of its codec; `handle` may be anything. */
export function served(
  key: number,
  versions: readonly [number, number],
  // biome-ignore lint/suspicious/noExplicitAny: tests know what their requests are
  handle: (context: RequestContext, request: any) => unknown,
  // biome-ignore lint/suspicious/noExplicitAny: as above
  fail: (request: any, errorCode: number) => unknown = (_request, errorCode) => ({ errorCode }),
): AnyApiHandler {
  return { key, versionMin: versions[0], versionMax: versions[1], handle, fail };
}

/** A response that a test gives when it wants to. */
export interface Deferred {
  readonly request: unknown;
  resolve(response: unknown): void;
  reject(error: unknown): void;
}

/** A handler whose requests wait in `waiting` until the test answers them. */
export function deferred(waiting: Deferred[]): (context: RequestContext, request: unknown) => Promise<unknown> {
  return (_context, request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
    });
}
