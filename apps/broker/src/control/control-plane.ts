import type { Clock, Log, Random, Timer, TopicPartitions } from "@kaas/core";
import type { KubernetesApi, WatchedTopic } from "@kaas/k8s";
import type { FileSystem } from "@kaas/storage";
import { ClusterControl } from "./cluster-control.js";
import { type ControlLink, errorToSend } from "./control-link.js";
import { controlMetrics } from "./control-metrics.js";
import type { ControlSettings } from "./control-settings.js";
import { HealthServer } from "./health-server.js";
import { type BrokerCondition, healthBody, missingForReadiness } from "./health-view.js";
import { LivenessWatch, type TickMemory } from "./liveness.js";
import type { DataPlaneStatus, FromControl, ServiceCall, ToControl } from "./messages.js";
import { grpcNetwork } from "./peers/peer-network.js";
import { PendingCalls } from "./pending-calls.js";

/** How long the data plane has to write down its metrics. */
const METRICS_TIMEOUT_MS = 3_000;
/** How often readiness is looked at, and told. */
const CHECK_INTERVAL_MS = 500;

export interface ControlPlaneOptions {
  readonly settings: ControlSettings;
  readonly link: ControlLink<FromControl, ToControl>;
  readonly ticks: TickMemory;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly fileSystem: FileSystem;
  /** Where this broker is one of several. */
  readonly kubernetes?: () => Promise<KubernetesApi>;
}

/** Everything that is not to wait for the data plane, nor to keep it waiting. */
export class ControlPlane {
  readonly #options: ControlPlaneOptions;
  readonly #liveness: LivenessWatch;
  readonly #metricsCalls = new PendingCalls<string>();
  #status: DataPlaneStatus | undefined;
  /** Told before there is a cluster to tell it to. */
  #topics: readonly TopicPartitions[] | undefined;
  #http: HealthServer | undefined;
  #cluster: ClusterControl | undefined;
  #isDraining = false;
  #isStopped = false;
  #timer: Timer | undefined;

  constructor(options: ControlPlaneOptions) {
    this.#options = options;
    this.#liveness = new LivenessWatch(options.ticks, () => options.clock.monotonic());
    options.link.receive((message) => this.#received(message));
  }

  /** Binds the port for probes. Says to the data plane how that went. */
  async start(): Promise<void> {
    const { settings, link } = this.#options;
    try {
      if (settings.health !== undefined) {
        this.#http = await HealthServer.listen(settings.health.host, settings.health.port, {
          health: () => ({ isHealthy: this.#liveness.isAlive, body: healthBody(this.#condition()) }),
          missing: () => missingForReadiness(this.#condition()),
          metrics: () => this.#metrics(),
        });
      }
      link.send({ type: "started", healthPort: this.#http?.port });
      this.#check();
    } catch (error) {
      link.send({ type: "start-failed", ...errorToSend(error) });
    }
  }

  #received(message: ToControl): void {
    switch (message.type) {
      case "opened":
        void this.#join(message.slotCount);
        return;
      case "status":
        this.#status = message.status;
        this.#cluster?.setStatus(message.status);
        return;
      case "led":
        this.#cluster?.noteLed(message.change);
        return;
      case "topics":
        this.#topics = message.topics;
        this.#cluster?.setTopics(message.topics);
        return;
      case "drain":
        this.#isDraining = true;
        this.#cluster?.drain();
        this.#tellReadiness();
        return;
      case "metrics":
        this.#metricsCalls.resolve(message.id, message.text);
        return;
      case "call":
        void this.#call(message.id, message.call);
        return;
      case "stop":
        void this.#stop();
    }
  }

  /** The volume is open: this broker is part of a cluster from now on. */
  async #join(slotCount: number): Promise<void> {
    const { settings, kubernetes, link, clock, random, log, fileSystem } = this.#options;
    const { name, incarnation, cluster } = settings;
    if (cluster === undefined || kubernetes === undefined) return;
    const nudge =
      (type: "topic-changed" | "topic-deleted") =>
      ({ name: topic, topicId }: WatchedTopic): void =>
        link.send({ type, name: topic, topicId });
    try {
      const control = new ClusterControl({
        settings: cluster,
        name,
        incarnation,
        slotCount,
        api: await kubernetes(),
        network: grpcNetwork(cluster.peers, clock, log),
        fileSystem,
        clock,
        random,
        log,
        isAlive: () => this.#liveness.isAlive,
        adopted: (assignment) => link.send({ type: "assignment", assignment }),
        topicChanged: nudge("topic-changed"),
        topicDeleted: nudge("topic-deleted"),
      });
      if (this.#isStopped) return;
      this.#cluster = control;
      if (this.#topics !== undefined) control.setTopics(this.#topics);
      await control.start();
      if (this.#isDraining) control.drain();
      link.send({ type: "joined" });
    } catch (error) {
      link.send({ type: "start-failed", ...errorToSend(error) });
    }
  }

  async #call(id: number, { service, method, args }: ServiceCall): Promise<void> {
    const { link } = this.#options;
    try {
      const target: unknown = this.#cluster?.services[service];
      const called = (target as Record<string, (...args: readonly unknown[]) => unknown> | undefined)?.[method];
      if (called === undefined) throw new Error(`there is no ${service}.${method} here`);
      link.send({ type: "answer", id, value: await called.apply(target, [...args]) });
    } catch (error) {
      link.send({ type: "failure", id, ...errorToSend(error) });
    }
  }

  async #metrics(): Promise<string> {
    const { clock, link } = this.#options;
    const own = controlMetrics(this.#condition());
    const id = { value: 0 };
    const asked = this.#metricsCalls.start((number) => {
      id.value = number;
      link.send({ type: "metrics-wanted", id: number });
    });
    const timer = clock.schedule(METRICS_TIMEOUT_MS, () => this.#metricsCalls.resolve(id.value, ""));
    const text = await asked;
    timer.cancel();
    return `${text}${own}`;
  }

  #condition(): BrokerCondition {
    const { name, incarnation, version } = this.#options.settings;
    return {
      name,
      incarnation,
      version,
      silentMs: this.#liveness.silentMs,
      isAlive: this.#liveness.isAlive,
      isDraining: this.#isDraining,
      status: this.#status,
      cluster: this.#cluster?.condition,
    };
  }

  #check(): void {
    if (this.#isStopped) return;
    this.#tellReadiness();
    this.#timer = this.#options.clock.schedule(CHECK_INTERVAL_MS, () => this.#check());
  }

  #tellReadiness(): void {
    this.#cluster?.setReadiness(missingForReadiness(this.#condition()));
  }

  async #stop(): Promise<void> {
    const { link, log } = this.#options;
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#timer?.cancel();
    try {
      await this.#cluster?.stop();
      await this.#http?.close();
    } catch (error) {
      log.warn({ err: error }, "the control plane did not end in order");
    }
    link.send({ type: "stopped" });
    link.close();
  }
}
