import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { KaasError } from "@kaas/core";

/** What is told over HTTP. */
export interface HealthSource {
  health(): { readonly isHealthy: boolean; readonly body: Readonly<Record<string, unknown>> };
  /** Why the broker is not ready; nothing where it is. */
  missing(): readonly string[];
  metrics(): Promise<string>;
}

/** In all, and of one address: nobody who takes what there is keeps a kubelet or Prometheus out. */
const CONNECTIONS_MAX = 1_000;
const CONNECTIONS_OF_ADDRESS_MAX = 20;
const REQUEST_TIMEOUT_MS = 10_000;
/** How often connections are looked at that are silent for too long. */
const CHECK_INTERVAL_MS = 2_000;
const JSON_TYPE = "application/json";
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Answers `/healthz`, `/readyz` and `/metrics`; nothing else, and changes nothing. */
export class HealthServer {
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  /** @throws KaasError KAAS_LISTENER_FAILED */
  static async listen(host: string, port: number, source: HealthSource): Promise<HealthServer> {
    const options = { connectionsCheckingInterval: CHECK_INTERVAL_MS };
    const server = createServer(options, (request, response) => void respond(source, request, response));
    limitAddresses(server);
    server.maxConnections = CONNECTIONS_MAX;
    server.requestTimeout = REQUEST_TIMEOUT_MS;
    server.headersTimeout = REQUEST_TIMEOUT_MS;
    await new Promise<void>((resolve, reject) => {
      server.once("error", (cause) => {
        reject(
          new KaasError("KAAS_LISTENER_FAILED", `health ${host}:${port} cannot be bound: ${cause.message}`, { cause }),
        );
      });
      server.listen(port, host, resolve);
    });
    const address = server.address();
    return new HealthServer(server, typeof address === "object" && address !== null ? address.port : port);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

function limitAddresses(server: Server): void {
  const counts = new Map<string, number>();
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    const count = (counts.get(address) ?? 0) + 1;
    counts.set(address, count);
    socket.once("close", () => {
      const left = (counts.get(address) ?? 0) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
    if (count > CONNECTIONS_OF_ADDRESS_MAX) socket.destroy();
  });
}

async function respond(source: HealthSource, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, type, body } = await answer(source, request);
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(request.method === "HEAD" ? undefined : body);
}

async function answer(source: HealthSource, { method, url = "" }: IncomingMessage): Promise<Answer> {
  if (method !== "GET" && method !== "HEAD") return json(405, { error: "only GET is answered" });
  const [path] = url.split("?");
  switch (path) {
    case "/healthz": {
      const { isHealthy, body } = source.health();
      return json(isHealthy ? 200 : 503, body);
    }
    case "/readyz": {
      const missing = source.missing();
      return json(missing.length === 0 ? 200 : 503, { ready: missing.length === 0, missing });
    }
    case "/metrics":
      return { status: 200, type: METRICS_TYPE, body: await source.metrics() };
    default:
      return json(404, { error: "there are /healthz, /readyz and /metrics" });
  }
}

function json(status: number, body: unknown): Answer {
  return { status, type: JSON_TYPE, body: `${JSON.stringify(body)}\n` };
}
