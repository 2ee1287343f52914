import type { Clock, KafkaBroker, LeadershipReport, LedPartition, Timer } from "@kaas/core";
import type { Volume } from "@kaas/storage";
import type { DataPlaneStatus, LedChange, ToControl } from "./messages.js";

const STATUS_INTERVAL_MS = 1_000;
/** News are gathered for so long, so that the opening of thousands of partitions is not as many messages. */
const GATHER_MS = 10;

export interface DataPlaneReporterOptions {
  readonly broker: Pick<KafkaBroker, "endpoints" | "leadershipReport" | "onLeadershipChange">;
  readonly volume: Pick<Volume, "status" | "fuseAgeMs" | "confirmFuse">;
  readonly clock: Clock;
  readonly send: (message: Extract<ToControl, { type: "status" | "led" }>) => void;
  /** Whether what is led is to be told one by one, and the fuse to be looked at while nothing is written. */
  readonly isInCluster: boolean;
}

/** Tells the control plane how the data plane is, and what it leads. */
export class DataPlaneReporter {
  readonly #options: DataPlaneReporterOptions;
  readonly #told = new Map<string, LedPartition>();
  #timer: Timer | undefined;
  #gathering: Timer | undefined;
  #unfollow: (() => void) | undefined;

  constructor(options: DataPlaneReporterOptions) {
    this.#options = options;
  }

  start(): void {
    this.#unfollow = this.#options.broker.onLeadershipChange(() => this.#gather());
    this.#beat();
    this.#gather();
  }

  /** Tells all that is known now. */
  flush(): void {
    this.#gathering?.cancel();
    this.#gathering = undefined;
    const { broker, isInCluster, send } = this.#options;
    const report = broker.leadershipReport();
    if (isInCluster) send({ type: "led", change: this.#changes(report) });
    send({ type: "status", status: this.#status(report) });
  }

  stop(): void {
    this.#unfollow?.();
    this.#timer?.cancel();
    this.#gathering?.cancel();
  }

  #beat(): void {
    const { broker, volume, clock, isInCluster, send } = this.#options;
    send({ type: "status", status: this.#status(broker.leadershipReport()) });
    // A fuse that is blown is told by the volume itself.
    if (isInCluster) volume.confirmFuse().catch(() => undefined);
    this.#timer = clock.schedule(STATUS_INTERVAL_MS, () => this.#beat());
  }

  #gather(): void {
    this.#gathering ??= this.#options.clock.schedule(GATHER_MS, () => this.flush());
  }

  #status({ led, slots, assigned, recovering, releasing }: LeadershipReport): DataPlaneStatus {
    const { broker, volume } = this.#options;
    return {
      listeners: [...broker.endpoints],
      storage: volume.status(),
      fuseAgeMs: volume.fuseAgeMs,
      led: led.length + slots.groups.length + slots.transactions.length,
      assigned,
      recovering,
      releasing,
    };
  }

  #changes({ led, slots }: LeadershipReport): LedChange {
    const opened: LedPartition[] = [];
    const now = new Set<string>();
    for (const one of led) {
      const key = `${one.topicId}:${one.partition}`;
      now.add(key);
      if (this.#told.get(key)?.leaderEpoch === one.leaderEpoch) continue;
      this.#told.set(key, one);
      opened.push(one);
    }
    const closed: LedPartition[] = [];
    for (const [key, one] of this.#told) {
      if (now.has(key)) continue;
      this.#told.delete(key);
      closed.push(one);
    }
    return { opened, closed, slots };
  }
}
