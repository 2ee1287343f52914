import type { Broker } from "../api/broker-services.js";
import type { Log } from "../ports/log.js";
import type { BadInputLog } from "./bad-input-log.js";
import type { RequestMemory } from "./request-memory.js";
import type { ResponseWriter } from "./response-writer.js";
import type { ApiRegistry } from "../api/api-registry.js";
import type { ServerLimits } from "./server-limits.js";
import type { ServerMetrics } from "./server-metrics.js";
import type { TickQueue } from "./tick-queue.js";

/** What the connections of a server share. */
export interface ConnectionHost {
  readonly apis: ApiRegistry;
  readonly broker: Broker;
  readonly limits: ServerLimits;
  readonly log: Log;
  readonly badInput: BadInputLog;
  readonly metrics: ServerMetrics;
  readonly memory: RequestMemory;
  readonly responses: ResponseWriter;
  readonly ticks: TickQueue;
  /** Monotonic milliseconds as of the last sweep: near enough for idleness, and free. */
  readonly sweptAtMs: number;
  /** The version 0 answer to a version of ApiVersions that is not served. */
  unsupportedApiVersions(): unknown;
}
