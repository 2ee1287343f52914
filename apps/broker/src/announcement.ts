import type { Endpoint, Log } from "@kaas/core";

/** What runs here. */
export interface Announced {
  readonly endpoints: readonly Endpoint[];
  readonly clusterId: string;
  /** The data directory and further ones; none: in memory. */
  readonly directories: readonly string[];
  readonly version: string;
  /** Name of this broker in its cluster; undefined where it is alone. */
  readonly podName: string | undefined;
}

/** The one line that says what runs here. */
export function announce({ endpoints, clusterId, directories, version, podName }: Announced, log: Log): void {
  const listeners = endpoints.map(shown);
  const [dataDirectory = null] = directories;
  const mode = dataDirectory === null ? "memory" : podName === undefined ? "single node" : "cluster";
  const where = dataDirectory === null ? "data in memory" : `data in ${directories.join(", ")}`;
  log.info(
    { listeners, dataDirectory, clusterId, mode, version },
    `kaas ${version} listens on ${listeners.join(", ")}; ${where}; cluster id ${clusterId}; mode ${mode}${podName === undefined ? "" : `, as ${podName}`}`,
  );
}

function shown({ listenerName, host, port }: Endpoint): string {
  return `${listenerName}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
