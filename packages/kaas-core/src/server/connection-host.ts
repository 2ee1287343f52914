import type { Broker } from "../api/broker-services.js";
import type { Log } from "../ports/log.js";
import type { FrameMemory } from "./frame-memory.js";
import type { OnceAMinuteLog } from "./once-a-minute-log.js";
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
  /** For what clients do wrong; its subjects are their addresses. */
  readonly complaints: OnceAMinuteLog;
  readonly metrics: ServerMetrics;
  /** How much all requests may take. */
  readonly memory: RequestMemory;
  /** What those of them lie in that bring records. */
  readonly frames: FrameMemory;
  readonly responses: ResponseWriter;
  /** Work for when the promises of this tick have settled: answers that become ready together leave together. */
  readonly ticks: TickQueue;
  /** Work for when other connections have been read. */
  readonly turns: TickQueue;
  /** Monotonic milliseconds as of the last sweep: near enough for idleness, and free. */
  readonly sweptAtMs: number;
  /** The version 0 answer to a version of ApiVersions that is not served. */
  unsupportedApiVersions(): unknown;
}
