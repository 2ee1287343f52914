import { Worker } from "node:worker_threads";
import { type Clock, KaasError, type Log, type Timer } from "@kaas/core";
import { type ControlLink, receivedError } from "./control-link.js";
import type { ControlSettings } from "./control-settings.js";
import { TICK_INTERVAL_MS, type TickMemory, tick, tickMemory } from "./liveness.js";
import type { FromControl, ServiceCall, ToControl } from "./messages.js";
import { PendingCalls } from "./pending-calls.js";

/** What the data plane does about what the control plane says. */
export interface ControlListener {
  assigned(assignment: Extract<FromControl, { type: "assignment" }>["assignment"]): void;
  topicChanged(name: string, topicId: string | undefined): void;
  topicDeleted(name: string, topicId: string | undefined): void;
  /** In the text form of Prometheus. */
  metrics(): string;
}

/** Starts the control plane of a broker. */
export type StartControl = (settings: ControlSettings, clock: Clock, log: Log) => Promise<ControlThread>;

/** How long the control plane may take to end before it is ended. */
const STOP_TIMEOUT_MS = 5_000;

/** The data plane's end: starts the thread of the control plane, shows it that this one is at work, and talks to it. */
export class ControlThread {
  /** Rejects when the control plane breaks. */
  readonly failed: Promise<never>;
  readonly #link: ControlLink<ToControl, FromControl>;
  readonly #clock: Clock;
  readonly #calls = new PendingCalls<unknown>();
  readonly #end: () => Promise<unknown>;
  #listener: ControlListener | undefined;
  #ticker: Timer | undefined;
  #healthPort: number | undefined;
  #isStopping = false;
  #started: PromiseWithResolvers<void> = promised();
  #joined: PromiseWithResolvers<void> = promised();
  #stopped: PromiseWithResolvers<void> = promised();
  #fail: (error: Error) => void = () => undefined;

  /** @param end what is left to do once the control plane has ended */
  constructor(
    link: ControlLink<ToControl, FromControl>,
    ticks: TickMemory,
    clock: Clock,
    end: () => Promise<unknown> = async () => undefined,
  ) {
    this.#link = link;
    this.#clock = clock;
    this.#end = end;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => undefined); // whoever serves looks at it
    link.receive((message) => this.#received(message));
    this.#beat(ticks);
  }

  /** Rejects with KAAS_LISTENER_FAILED; nothing is left behind then. */
  static async start(settings: ControlSettings, clock: Clock, log: Log): Promise<ControlThread> {
    const ticks = tickMemory();
    // The build puts the two files side by side.
    const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: { settings, ticks } });
    const link: ControlLink<ToControl, FromControl> = {
      send: (message) => worker.postMessage(message),
      receive: (callback) => void worker.on("message", callback),
      close: () => undefined,
    };
    const thread = new ControlThread(link, ticks, clock, () => worker.terminate());
    worker.on("error", (error) => thread.#broke(error));
    worker.on("exit", (code) => {
      thread.#stopped.resolve();
      if (!thread.#isStopping) thread.#broke(new Error(`the control plane ended with code ${code}`));
    });
    await thread.started(log);
    return thread;
  }

  /** Resolves when the port for probes is bound. Rejects with KAAS_LISTENER_FAILED; nothing is left behind then. */
  async started(log: Log): Promise<void> {
    try {
      await this.#started.promise;
    } catch (error) {
      await this.stop();
      throw error;
    }
    const { healthPort } = this;
    if (healthPort === undefined) return;
    log.info({ healthPort }, `/healthz, /readyz and /metrics are at port ${healthPort}`);
  }

  get healthPort(): number | undefined {
    return this.#healthPort;
  }

  listen(listener: ControlListener): void {
    this.#listener = listener;
  }

  send(message: Exclude<ToControl, { type: "call" | "metrics" | "stop" }>): void {
    if (!this.#isStopping) this.#link.send(message);
  }

  /** Takes part in the cluster, now that the volume is open. Rejects with KAAS_LISTENER_FAILED, KAAS_CONFIG_INVALID. */
  join(slotCount: number): Promise<void> {
    this.send({ type: "opened", slotCount });
    return this.#joined.promise;
  }

  /** Rejects as the service does, and with KAAS_CLOSED when the control plane ends. */
  call(call: ServiceCall): Promise<unknown> {
    return this.#calls.start((id) => this.#link.send({ type: "call", id, call }));
  }

  async stop(): Promise<void> {
    if (!this.#isStopping) {
      this.#isStopping = true;
      this.#ticker?.cancel();
      this.#calls.end(new KaasError("KAAS_CLOSED", "the broker is stopping"));
      this.#link.send({ type: "stop" });
    }
    const timer = this.#clock.schedule(STOP_TIMEOUT_MS, () => this.#stopped.resolve());
    await this.#stopped.promise;
    timer.cancel();
    await this.#end();
    this.#link.close();
  }

  #beat(ticks: TickMemory): void {
    tick(ticks);
    this.#ticker = this.#clock.schedule(TICK_INTERVAL_MS, () => this.#beat(ticks));
  }

  #received(message: FromControl): void {
    switch (message.type) {
      case "started":
        this.#healthPort = message.healthPort;
        this.#started.resolve();
        return;
      case "joined":
        this.#joined.resolve();
        return;
      case "start-failed":
        this.#notStarted(receivedError(message));
        return;
      case "assignment":
        this.#listener?.assigned(message.assignment);
        return;
      case "topic-changed":
        this.#listener?.topicChanged(message.name, message.topicId);
        return;
      case "topic-deleted":
        this.#listener?.topicDeleted(message.name, message.topicId);
        return;
      case "metrics-wanted":
        this.#link.send({ type: "metrics", id: message.id, text: this.#listener?.metrics() ?? "" });
        return;
      case "answer":
        this.#calls.resolve(message.id, message.value);
        return;
      case "failure":
        this.#calls.reject(message.id, receivedError(message));
        return;
      case "stopped":
        this.#stopped.resolve();
    }
  }

  #broke(error: Error): void {
    this.#notStarted(error);
    this.#calls.end(error);
    this.#fail(error);
  }

  #notStarted(error: Error): void {
    this.#started.reject(error);
    this.#joined.reject(error);
  }
}

interface PromiseWithResolvers<Value> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: Error): void;
}

function promised(): PromiseWithResolvers<void> {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => undefined); // it may fail before anybody waits for it
  return { promise, resolve, reject };
}
