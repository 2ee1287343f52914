import type { ClusterBroker } from "../../ports/cluster-view.js";
import type { HeartbeatReport, LedPartition, OpenSlots } from "../heartbeat.js";

/** What a broker said of itself, or an earlier controller said of it. */
export type BrokerDescription = Omit<ClusterBroker, "isFenced" | "isAlive">;

const NO_SLOTS: OpenSlots = { groups: [], transactions: [] };

/** One process that is, or was, a broker of the cluster. */
export class KnownBroker {
  description: BrokerDescription;
  /** −∞ for one that was not heard yet: whoever reports under its name counts. */
  readonly startedMs: number;
  isHealthy = true;
  isDraining = false;
  isLost = false;
  /** Attended time. */
  heardMs: number;
  /** Whether this controller has heard it itself. */
  isHeard: boolean;
  /** Whether its silence was forgiven once, because the controller had been away. */
  hadChance = false;
  /** Whether it is being looked up if another process has followed it. */
  isInDoubt = false;
  /** Whether it is known that one has, which is to be heard in its place. */
  isFollowed = false;
  slots: OpenSlots = NO_SLOTS;
  #sequence = -1;
  readonly #led = new Map<string, Map<number, number>>();

  private constructor(description: BrokerDescription, startedMs: number, heardMs: number, isHeard: boolean) {
    this.description = description;
    this.startedMs = startedMs;
    this.heardMs = heardMs;
    this.isHeard = isHeard;
  }

  /** One that an earlier controller knew. */
  static adopted({ isAlive, ...known }: ClusterBroker, nowMs: number): KnownBroker {
    const { isFenced: _, ...description } = known;
    const broker = new KnownBroker(description, -Infinity, nowMs, false);
    broker.isLost = !isAlive;
    return broker;
  }

  /** One that reports for the first time. */
  static reporting(report: HeartbeatReport, nowMs: number): KnownBroker {
    return new KnownBroker(descriptionOf(report), report.startedMs, nowMs, true);
  }

  /** Whether the leader of a partition has said that it is; its epoch. */
  leaderEpoch(topicId: string, partition: number): number | undefined {
    return this.#led.get(topicId)?.get(partition);
  }

  /** Takes in what is led. False when a report was missed in between. */
  follow(report: HeartbeatReport): boolean {
    const { sequence, isWhole, led } = report;
    if (sequence <= this.#sequence) return true; // it comes a second time, or late
    if (isWhole) this.#led.clear();
    else if (this.#sequence === -1 || sequence > this.#sequence + 1) return false;
    this.#sequence = sequence;
    for (const partition of led) this.#apply(partition);
    return true;
  }

  #apply({ topicId, partition, leaderEpoch }: LedPartition): void {
    const topic = this.#led.get(topicId) ?? new Map<number, number>();
    if (leaderEpoch >= 0) topic.set(partition, leaderEpoch);
    else topic.delete(partition);
    if (topic.size > 0) this.#led.set(topicId, topic);
    else this.#led.delete(topicId);
  }
}

/** What is published of a report, and no more: one of this very process has come over no wire, which knows no other fields. */
export function descriptionOf(report: HeartbeatReport): BrokerDescription {
  const { nodeId, name, incarnation, rack } = report;
  const listeners = report.listeners.map(({ listenerName, host, port }) => ({ listenerName, host, port }));
  return { nodeId, name, incarnation, rack, listeners };
}
