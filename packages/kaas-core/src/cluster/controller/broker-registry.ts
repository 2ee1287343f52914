import type { Clock } from "../../ports/clock.js";
import type { ClusterBroker } from "../../ports/cluster-view.js";
import type { BrokerStatus } from "../controller-api.js";
import { HEARTBEAT_INTERVAL_MS, type HeartbeatReport, type HeartbeatVerdict } from "../heartbeat.js";
import { AttendedTime } from "./attended-time.js";
import { descriptionOf, KnownBroker } from "./known-broker.js";

/** When all others are silent for so long it may be this controller that nobody reaches. */
const ISOLATED_MS = 3 * HEARTBEAT_INTERVAL_MS;
/** How long a broker that is lost stays known. */
const FORGOTTEN_MS = 3_600_000;

/** What a report means for what has to be decided. */
export type HeartbeatNews =
  /** Nothing that would be published. */
  | "none"
  /** Something else that is published: what it leads, or how it is reached. */
  | "details"
  /** It can lead, and could not before. */
  | "arrived"
  /** It can lead no longer, or wants not to. */
  | "leaving";

/**
 * Which brokers there are and which of them live, as far as one controller has heard.
 *
 * Silence counts only while the controller itself was at work (see {@link AttendedTime}); after an absence each broker
 * is given the whole time-out anew, once, for it may have to connect again first. Where all others fall silent together they get twice the time, for it is
 * more likely that this controller is cut off. Whoever was silent for too long is lost, unless the volume knows of another
 * process of its name: that one is given the whole time-out to be heard, once. Of two processes under one name the one that was started later counts,
 * and of two that were started at once the one with the greater incarnation; one that is lost, was never heard, or is
 * known to have been followed by another makes way for any other.
 */
export class BrokerRegistry {
  readonly #selfId: number;
  readonly #timeoutMs: number;
  readonly #time: AttendedTime;
  readonly #brokers = new Map<number, KnownBroker>();
  /** Incarnations by node id that were said to be gone before they were known here. */
  readonly #departed = new Map<number, string>();

  constructor(selfId: number, timeoutMs: number, clock: Clock) {
    this.#selfId = selfId;
    this.#timeoutMs = timeoutMs;
    this.#time = new AttendedTime(clock);
  }

  /** Those of an earlier assignment: each is given the whole time-out to be heard, unless it is known to be gone. */
  adopt(brokers: readonly ClusterBroker[]): void {
    for (const broker of brokers) {
      if (this.#brokers.has(broker.nodeId)) continue;
      this.#brokers.set(broker.nodeId, KnownBroker.adopted(broker, this.#time.nowMs));
      if (this.#departed.get(broker.nodeId) === broker.incarnation) this.gone(broker.nodeId, broker.incarnation);
    }
  }

  /** Milliseconds in which brokers could be heard. */
  get nowMs(): number {
    return this.#time.nowMs;
  }

  get(nodeId: number): KnownBroker | undefined {
    return this.#brokers.get(nodeId);
  }

  /** By node id. */
  all(): readonly KnownBroker[] {
    return [...this.#brokers.values()].sort((one, other) => one.description.nodeId - other.description.nodeId);
  }

  hear(report: HeartbeatReport): { readonly verdict: HeartbeatVerdict; readonly news: HeartbeatNews } {
    this.#departed.delete(report.nodeId);
    const known = this.#brokers.get(report.nodeId);
    const refused = known === undefined ? undefined : refusal(known, report);
    if (refused !== undefined) return { verdict: refused, news: "none" };
    const isSame = known?.description.incarnation === report.incarnation && known.isHeard;
    const broker = isSame ? known : KnownBroker.reporting(report, this.#time.nowMs);
    this.#brokers.set(report.nodeId, broker);
    const before = known === undefined ? "lost" : this.stateOf(known);
    const details = isSame ? detailsOf(broker) : "";
    broker.heardMs = this.#time.nowMs;
    broker.hadChance = false;
    broker.isFollowed = false;
    broker.isLost = false;
    broker.isHealthy = report.isHealthy;
    broker.isDraining = report.isDraining;
    broker.slots = report.slots;
    broker.description = descriptionOf(report);
    const isFollowed = broker.follow(report);
    const hasDetails = details !== detailsOf(broker) || report.led.length > 0;
    return {
      verdict: isFollowed ? "ok" : "resync",
      news: newsOf(before, this.stateOf(broker)) ?? (hasDetails ? "details" : "none"),
    };
  }

  /** Waits no longer for a process to be heard again; one that is not known yet will not be waited for. */
  gone(nodeId: number, incarnation: string): void {
    const broker = this.#brokers.get(nodeId);
    if (broker === undefined) this.#departed.set(nodeId, incarnation);
    if (broker === undefined || broker.description.incarnation !== incarnation || this.#isPinned(broker)) return;
    if (broker.isFollowed) return;
    broker.heardMs = Math.min(broker.heardMs, this.#time.nowMs - this.#timeoutMs - 1);
  }

  /** Looks who has been silent for too long; each of them is to be judged. To be called every 100 ms. */
  tick(): readonly KnownBroker[] {
    const wasAway = this.#time.tick();
    const nowMs = this.#time.nowMs;
    const living = [...this.#brokers.values()].filter((one) => !one.isLost && !this.#isPinned(one));
    if (wasAway) for (const broker of living) this.#forgive(broker, nowMs);
    const isIsolated = living.length > 1 && living.every(({ heardMs }) => nowMs - heardMs > ISOLATED_MS);
    const patienceMs = isIsolated ? 2 * this.#timeoutMs : this.#timeoutMs;
    return living.filter(({ heardMs, isInDoubt }) => nowMs - heardMs > patienceMs && !isInDoubt);
  }

  /**
   * Whether one that was silent for too long is lost now: not if it was heard meanwhile, or if another process that has
   * followed it is to be waited for.
   */
  judge(broker: KnownBroker, isFollowed: boolean): boolean {
    broker.isInDoubt = false;
    const isHeardAgain = this.#time.nowMs - broker.heardMs <= this.#timeoutMs;
    if (isHeardAgain || this.#brokers.get(broker.description.nodeId) !== broker) return false;
    broker.isLost = broker.isFollowed || !isFollowed;
    broker.isFollowed = true;
    if (!broker.isLost) broker.heardMs = this.#time.nowMs;
    return broker.isLost;
  }

  /** Forgets those that have been lost for long, unless they are still needed. */
  forget(isNeeded: (nodeId: number) => boolean): void {
    for (const [nodeId, { isLost, heardMs }] of this.#brokers) {
      if (isLost && this.#time.nowMs - heardMs > FORGOTTEN_MS && !isNeeded(nodeId)) this.#brokers.delete(nodeId);
    }
  }

  stateOf(broker: KnownBroker): BrokerStatus["state"] {
    if (broker.isLost) return "lost";
    if (!broker.isHealthy) return "unhealthy";
    return broker.isDraining ? "draining" : "leading";
  }

  statuses(): BrokerStatus[] {
    return this.all().map((broker) => {
      const { nodeId, name, incarnation } = broker.description;
      const silentMs = broker.isHeard ? this.#time.nowMs - broker.heardMs : -1;
      return { nodeId, name, incarnation, state: this.stateOf(broker), silentMs };
    });
  }

  /** This process hears itself, or nobody would. */
  #isPinned(broker: KnownBroker): boolean {
    return broker.description.nodeId === this.#selfId && broker.isHeard;
  }

  #forgive(broker: KnownBroker, nowMs: number): void {
    if (broker.hadChance) return;
    broker.hadChance = true;
    broker.heardMs = nowMs;
  }
}

function refusal(known: KnownBroker, report: HeartbeatReport): HeartbeatVerdict | undefined {
  const { name, incarnation } = known.description;
  if (known.isLost || !known.isHeard || incarnation === report.incarnation) return undefined;
  if (name !== report.name) return "node-id-taken";
  if (known.isFollowed) return undefined;
  const isLater =
    report.startedMs > known.startedMs || (report.startedMs === known.startedMs && report.incarnation > incarnation);
  return isLater ? undefined : "superseded";
}

function newsOf(before: BrokerStatus["state"], after: BrokerStatus["state"]): HeartbeatNews | undefined {
  if (before === after) return undefined;
  if (after === "leading") return "arrived";
  return before === "lost" ? "details" : "leaving";
}

function detailsOf({ description }: KnownBroker): string {
  return JSON.stringify(description);
}
