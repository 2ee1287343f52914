import { createServer, type Server } from "node:http";
import { KaasError } from "@kaas/core";

/** What the probes of the pod ask. */
export interface Health {
  readonly leads: boolean;
  readonly isReady: boolean;
}

/** A server of `/healthz` and `/readyz`, and how it is ended. */
export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Answers `/healthz` (the process runs, 200 as long as it answers at all) and `/readyz` (it is of use).
 *
 * @throws KaasError KAAS_LISTENER_FAILED when the port cannot be had.
 */
export async function serveHealth(port: number, health: () => Health): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const state = health();
    const path = request.url?.split("?")[0];
    const status = path === "/healthz" || (path === "/readyz" && state.isReady) ? 200 : path === "/readyz" ? 503 : 404;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(`${JSON.stringify(state)}\n`);
  });
  await listen(server, port);
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: Error) =>
      reject(new KaasError("KAAS_LISTENER_FAILED", `port ${port} cannot be listened on: ${cause.message}`, { cause })),
    );
    server.listen(port, resolve);
  });
}
