import type { Endpoint, Log } from "@kaas/core";

/** What runs here. */
export interface Announced {
  readonly endpoints: readonly Endpoint[];
  readonly clusterId: string;
  /** The data directory and further ones; none: in memory. */
  readonly directories: readonly string[];
  readonly version: string;
}

/** The one line that says what runs here. */
export function announce({ endpoints, clusterId, directories, version }: Announced, log: Log): void {
  const listeners = endpoints.map(shown);
  const [dataDirectory = null] = directories;
  const mode = dataDirectory === null ? "memory" : "single node";
  const where = dataDirectory === null ? "data in memory" : `data in ${directories.join(", ")}`;
  log.info(
    { listeners, dataDirectory, clusterId, mode, version },
    `kaas ${version} listens on ${listeners.join(", ")}; ${where}; cluster id ${clusterId}; mode ${mode}`,
  );
}

function shown({ listenerName, host, port }: Endpoint): string {
  return `${listenerName}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
