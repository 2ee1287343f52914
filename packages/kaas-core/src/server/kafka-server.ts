import type { Socket } from "node:net";
import { unsupportedApiVersions } from "../api/18-api-versions.js";
import type { Broker } from "../api/broker-services.js";
import { assert, KaasError } from "../errors/kaas-error.js";
import type { Clock, Timer } from "../ports/clock.js";
import type { Log } from "../ports/log.js";
import type { SecretFiles } from "../ports/secret-files.js";
import { ANONYMOUS, type KafkaPrincipal } from "../security/kafka-principal.js";
import { type SaslListener, SaslSession } from "../security/sasl/sasl-session.js";
import { Connection } from "./connection.js";
import type { ConnectionHost } from "./connection-host.js";
import { ConnectionLimits, parseConnectionOverrides, plainAddress } from "./connection-limits.js";
import { FrameMemory } from "./frame-memory.js";
import { type BoundListener, Listener, type ListenerOptions } from "./listener.js";
import type { ListenerSecurity } from "./listener-security.js";
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
  TLS_HANDSHAKES_MAX,
} from "./server-limits.js";
import { ServerCounter, ServerMetrics } from "./server-metrics.js";
import { SharedReads, type SocketReader } from "./shared-reads.js";
import { TickQueue } from "./tick-queue.js";
import { TlsAcceptor } from "./tls/tls-acceptor.js";
import { TlsReader } from "./tls/tls-reader.js";

export type { BoundListener, ListenerOptions, SecurityProtocol } from "./listener.js";
export type { ServerConfig } from "./server-limits.js";

/** Memory of requests that nobody needed for so many sweeps is let go. */
const SWEEPS_PER_TRIM = 10;

/** Connections beyond their quota that are kept waiting at a time. */
const KEPT_OUT_MAX = 1000;

/** What a server is made of. */
export interface KafkaServerOptions {
  readonly listeners: readonly ListenerOptions[];
  /** What handlers work with; `apis` says which are served. */
  readonly broker: Broker;
  readonly config: ServerConfig;
  readonly clock: Clock;
  readonly log: Log;
  /** What each listener asks of connections; by default nothing. */
  readonly security?: (listener: ListenerOptions) => ListenerSecurity;
  /** Where certificates that lie in files are read. */
  readonly secretFiles?: SecretFiles | undefined;
  /** Overwrites the memory of requests once it has come back, to show who still looks at it: for tests. */
  readonly poisonsReleasedFrames?: boolean;
}

/** A listener, and what it asks of connections. */
interface SecuredListener {
  readonly name: string;
  readonly tls: TlsAcceptor | undefined;
  readonly sasl: SaslListener | undefined;
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
  readonly #security: (listener: ListenerOptions) => ListenerSecurity;
  readonly #secretFiles: SecretFiles | undefined;
  readonly #clock: Clock;
  readonly #connections = new Set<Connection>();
  #connectionLimits: ConnectionLimits | undefined;
  #listeners: Listener[] = [];
  readonly #tlsAcceptors: TlsAcceptor[] = [];
  /** Connections whose TLS handshake is under way. */
  readonly #handshaking = new Set<Socket>();
  #sweeper: Timer | undefined;
  readonly #reads = new SharedReads();
  /** Connections that are closed after a while, and never served. */
  readonly #keptOut = new Set<Socket>();
  #isClosing = false;
  #onLastGone: (() => void) | undefined;
  #sweeps = 0;
  #connectionId = 0;

  constructor(options: KafkaServerOptions) {
    this.#listenerOptions = options.listeners;
    this.#security = options.security ?? (() => ({ tls: undefined, sasl: undefined }));
    this.#secretFiles = options.secretFiles;
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
    for (const acceptor of this.#tlsAcceptors) acceptor.close();
    for (const socket of this.#handshaking) socket.destroy();
    for (const socket of this.#keptOut) socket.destroy();
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
      throw new KaasError("KAAS_CONFIG_INVALID", `listeners: two are called ${config.name}; rename one`);
    }
    const secured = await this.#secured(config);
    const listener = await Listener.bind(config, this.limits.socketListenBacklogSize, (socket) =>
      this.#accept(socket, secured),
    );
    listener.onError((error) => {
      const { name } = config;
      this.complaints.warn(`listener ${name}`, { err: error, listener: name }, "a connection cannot be accepted");
    });
    return listener;
  }

  async #secured(config: ListenerOptions): Promise<SecuredListener> {
    const { name } = config;
    const { tls, sasl } = this.#security(config);
    if (tls === undefined) return { name, tls, sasl };
    const options = { listenerName: name, settings: tls, files: this.#secretFiles, clock: this.#clock, log: this.log };
    const acceptor = await TlsAcceptor.open(options);
    this.#tlsAcceptors.push(acceptor);
    return { name, tls: acceptor, sasl };
  }

  #accept(socket: Socket, listener: SecuredListener): void {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || this.#isClosing) {
      socket.destroy(); // gone already
      return;
    }
    const address = plainAddress(remoteAddress);
    const { quotas } = this.broker;
    const throttleMs = quotas.isIdle ? 0 : quotas.chargeConnection(address);
    if (throttleMs > 0) {
      this.#keepOut(socket, throttleMs);
      this.metrics.add(ServerCounter.CONNECTIONS_REFUSED, 1);
      const fields = { remoteAddress: address, listener: listener.name };
      this.complaints.warn(
        address,
        fields,
        "a connection is refused: more come from there than connection_creation_rate",
      );
      return;
    }
    const isFull = listener.tls !== undefined && this.#handshaking.size >= TLS_HANDSHAKES_MAX;
    const refusal = isFull
      ? `${TLS_HANDSHAKES_MAX} TLS handshakes are under way`
      : this.#connectionLimits?.admit(address);
    if (refusal !== undefined) {
      socket.destroy();
      this.metrics.add(ServerCounter.CONNECTIONS_REFUSED, 1);
      const fields = { remoteAddress: address, listener: listener.name };
      this.complaints.warn(address, fields, `a connection is refused: ${refusal}`);
      return;
    }
    this.metrics.add(ServerCounter.CONNECTIONS_ACCEPTED, 1);
    if (listener.tls === undefined) this.#open(this.#reads.adopt(socket), listener, address, ANONYMOUS);
    else this.#handshake(socket, listener.tls, listener, address);
  }

  #handshake(socket: Socket, tls: TlsAcceptor, listener: SecuredListener, address: string): void {
    this.#handshaking.add(socket);
    tls.accept(socket, {
      secured: (secured, principal) => {
        this.#handshaking.delete(socket);
        this.#open(new TlsReader(secured), listener, address, principal);
      },
      failed: (reason) => {
        this.#handshaking.delete(socket);
        this.#gone(address);
        this.metrics.add(ServerCounter.TLS_HANDSHAKES_FAILED, 1);
        if (this.#isClosing) return;
        const fields = { remoteAddress: address, listener: listener.name };
        this.complaints.warn(address, fields, `a TLS handshake failed: ${reason}`);
      },
    });
  }

  #open(reader: SocketReader, listener: SecuredListener, address: string, principal: KafkaPrincipal): void {
    const connection = new Connection(this, reader, ++this.#connectionId, {
      listenerName: listener.name,
      remoteAddress: address,
      principal,
      sasl: listener.sasl === undefined ? undefined : new SaslSession(listener.sasl, this.#clock),
    });
    this.#connections.add(connection);
    reader.socket.once("close", () => {
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#onLastGone?.();
      this.#gone(address);
    });
  }

  #gone(address: string): void {
    this.#connectionLimits?.release(address);
    this.metrics.add(ServerCounter.CONNECTIONS_CLOSED, 1);
  }

  /** Closes a connection later: a client that is closed at once comes again at once. */
  #keepOut(socket: Socket, throttleMs: number): void {
    socket.on("error", () => {}); // it is over anyway
    if (this.#keptOut.size >= KEPT_OUT_MAX) {
      socket.destroy();
      return;
    }
    socket.pause();
    this.#keptOut.add(socket);
    const timer = this.#clock.schedule(throttleMs, () => socket.destroy());
    socket.once("close", () => {
      timer.cancel();
      this.#keptOut.delete(socket);
    });
  }

  #scheduleSweep(): void {
    this.#sweeper = this.#clock.schedule(SWEEP_INTERVAL_MS, () => this.#sweep());
  }

  #sweep(): void {
    this.sweptAtMs = this.#clock.monotonic();
    this.memory.rotate();
    for (const connection of this.#connections) connection.sweep(this.sweptAtMs);
    for (const acceptor of this.#tlsAcceptors) acceptor.sweep(this.sweptAtMs);
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
