import type { Socket } from "node:net";
import { unsupportedApiVersions } from "../api/18-api-versions.js";
import type { Broker } from "../api/broker-services.js";
import { assert, KaasError } from "../errors/kaas-error.js";
import type { Clock, Timer } from "../ports/clock.js";
import type { Log } from "../ports/log.js";
import { Connection } from "./connection.js";
import type { ConnectionHost } from "./connection-host.js";
import { ConnectionLimits, parseConnectionOverrides, plainAddress } from "./connection-limits.js";
import { FrameMemory } from "./frame-memory.js";
import { type BoundListener, Listener, type ListenerOptions } from "./listener.js";
import { OnceAMinuteLog } from "./once-a-minute-log.js";
import { RequestMemory } from "./request-memory.js";
import { ResponseWriter } from "./response-writer.js";
import type { ApiRegistry } from "../api/api-registry.js";
import {
  CLOSE_GRACE_MS,
  ConfiguredLimits,
  type ServerConfig,
  type ServerLimits,
  SWEEP_INTERVAL_MS,
} from "./server-limits.js";
import { ServerCounter, ServerMetrics } from "./server-metrics.js";
import { SharedReads } from "./shared-reads.js";
import { TickQueue } from "./tick-queue.js";

export type { BoundListener, ListenerOptions } from "./listener.js";
export type { ServerConfig } from "./server-limits.js";

/** Memory of requests that nobody needed for so many sweeps is let go. */
const SWEEPS_PER_TRIM = 10;

/** What a server is made of. */
export interface KafkaServerOptions {
  readonly listeners: readonly ListenerOptions[];
  /** What handlers work with; `apis` says which are served. */
  readonly broker: Broker;
  readonly config: ServerConfig;
  readonly clock: Clock;
  readonly log: Log;
  /** Overwrites the memory of requests once it has come back, to show who still looks at it: for tests. */
  readonly poisonsReleasedFrames?: boolean;
}

/** Accepts connections of Kafka clients and has their requests answered. */
export class KafkaServer implements ConnectionHost {
  readonly apis: ApiRegistry;
  readonly broker: Broker;
  readonly limits: ServerLimits;
  readonly log: Log;
  readonly complaints: OnceAMinuteLog;
  readonly metrics: ServerMetrics = new ServerMetrics();
  readonly memory: RequestMemory;
  readonly frames: FrameMemory;
  readonly responses: ResponseWriter = new ResponseWriter();
  readonly ticks: TickQueue = new TickQueue((run) => process.nextTick(run));
  readonly turns: TickQueue;
  sweptAtMs: number;

  readonly #listenerOptions: readonly ListenerOptions[];
  readonly #clock: Clock;
  readonly #connections = new Set<Connection>();
  #connectionLimits: ConnectionLimits | undefined;
  #listeners: Listener[] = [];
  #sweeper: Timer | undefined;
  readonly #reads = new SharedReads();
  #isClosing = false;
  #onLastGone: (() => void) | undefined;
  #sweeps = 0;
  #connectionId = 0;

  constructor(options: KafkaServerOptions) {
    this.#listenerOptions = options.listeners;
    this.apis = options.broker.apis;
    this.broker = options.broker;
    this.limits = new ConfiguredLimits(options.config);
    this.log = options.log;
    this.#clock = options.clock;
    this.complaints = new OnceAMinuteLog(options.clock, options.log);
    this.memory = new RequestMemory(this.limits);
    this.frames = new FrameMemory(options.poisonsReleasedFrames);
    this.turns = new TickQueue((run) => options.clock.schedule(0, run));
    this.sweptAtMs = options.clock.monotonic();
  }

  /**
   * Binds all listeners, or none.
   *
   * @throws KaasError KAAS_LISTENER_FAILED, KAAS_CONFIG_INVALID
   */
  async listen(): Promise<readonly BoundListener[]> {
    assert(this.#listeners.length === 0 && !this.#isClosing, "a server listens once");
    const overrides = await parseConnectionOverrides(this.limits.maxConnectionsPerIpOverrides);
    this.#connectionLimits = new ConnectionLimits(this.limits, overrides);
    try {
      for (const config of this.#listenerOptions) this.#listeners.push(await this.#bind(config));
    } catch (error) {
      await this.close(0);
      throw error;
    }
    this.#scheduleSweep();
    return this.#listeners.map(({ bound }) => bound);
  }

  /**
   * Accepts no more connections, answers what is in flight for up to `graceMs`, and closes everything. What clients
   * have sent but is not started yet is not handled.
   */
  async close(graceMs: number = CLOSE_GRACE_MS): Promise<void> {
    this.#isClosing = true;
    this.#sweeper?.cancel();
    const closed = this.#listeners.map((listener) => listener.close());
    for (const connection of this.#connections) connection.finish();
    const deadline = this.#clock.schedule(graceMs, () => this.#destroyAll());
    if (graceMs <= 0) this.#destroyAll();
    await Promise.all([...closed, this.#lastGone()]);
    deadline.cancel();
  }

  unsupportedApiVersions(): unknown {
    return unsupportedApiVersions(this.broker.apis);
  }

  async #bind(config: ListenerOptions): Promise<Listener> {
    if (this.#listeners.some(({ bound }) => bound.listenerName === config.name)) {
      throw new KaasError("KAAS_CONFIG_INVALID", `there are two listeners of the name ${config.name}`);
    }
    const listener = await Listener.bind(config, this.limits.socketListenBacklogSize, (socket, listenerName) =>
      this.#accept(socket, listenerName),
    );
    listener.onError((error) => {
      const { name } = config;
      this.complaints.warn(`listener ${name}`, { err: error, listener: name }, "a connection cannot be accepted");
    });
    return listener;
  }

  #accept(socket: Socket, listenerName: string): void {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || this.#isClosing) {
      socket.destroy(); // gone already
      return;
    }
    const address = plainAddress(remoteAddress);
    const refusal = this.#connectionLimits?.admit(address);
    if (refusal !== undefined) {
      socket.destroy();
      this.metrics.add(ServerCounter.CONNECTIONS_REFUSED, 1);
      const fields = { remoteAddress: address, listener: listenerName };
      this.complaints.warn(address, fields, `a connection is refused: ${refusal}`);
      return;
    }
    const reader = this.#reads.adopt(socket);
    const connection = new Connection(this, reader, ++this.#connectionId, listenerName, address);
    this.#connections.add(connection);
    this.metrics.add(ServerCounter.CONNECTIONS_ACCEPTED, 1);
    reader.socket.once("close", () => {
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#onLastGone?.();
      this.#connectionLimits?.release(address);
      this.metrics.add(ServerCounter.CONNECTIONS_CLOSED, 1);
    });
  }

  #scheduleSweep(): void {
    this.#sweeper = this.#clock.schedule(SWEEP_INTERVAL_MS, () => this.#sweep());
  }

  #sweep(): void {
    this.sweptAtMs = this.#clock.monotonic();
    this.memory.rotate();
    for (const connection of this.#connections) connection.sweep(this.sweptAtMs);
    if (++this.#sweeps % SWEEPS_PER_TRIM === 0) this.frames.trim();
    if (!this.#isClosing) this.#scheduleSweep();
  }

  /** Listeners wait for the connections that they have, which ours are no longer: see {@link SharedReads}. */
  #lastGone(): Promise<void> {
    if (this.#connections.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onLastGone = resolve;
    });
  }

  #destroyAll(): void {
    for (const connection of this.#connections) connection.destroy();
  }
}
