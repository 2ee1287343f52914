import type { Clock, Timer } from "../ports/clock.js";
import type { ClusterView } from "../ports/cluster-view.js";
import type { Log } from "../ports/log.js";
import type { PartitionLogs } from "../ports/partition-logs.js";
import { Gate } from "./gate.js";
import type { LedPartition } from "./heartbeat.js";
import { PartitionLead, type PartitionLeadEnvironment } from "./partition-lead.js";
import type { Topic } from "./topic-table.js";

/** Partitions that are opened, and apart from those released, at once: enough to share fsyncs. */
const CONCURRENCY = 32;
/** How often logs are looked at that another broker may have taken. */
const CHECK_INTERVAL_MS = 1_000;

export interface PartitionLeadsOptions {
  readonly view: ClusterView;
  readonly logs: PartitionLogs;
  readonly clock: Clock;
  readonly log: Log;
}

/** The partitions of one topic, by number. */
interface TopicLeads {
  readonly topic: Topic;
  readonly leads: PartitionLead[];
}

/** How many partitions are in which state. */
export interface PartitionCounts {
  /** That are to be led here. */
  readonly assigned: number;
  readonly serving: number;
  readonly releasing: number;
}

/**
 * Every partition of every topic on this broker: leads those that the view of the cluster gives to it, and hands over
 * those that it gives to others.
 *
 * All brokers go through a change in the same order, so that what one of them waits for is what another hands over first.
 */
export class PartitionLeads {
  readonly #view: ClusterView;
  readonly #clock: Clock;
  readonly #environment: PartitionLeadEnvironment;
  readonly #topics = new Map<string, TopicLeads>();
  readonly #listeners = new Set<() => void>();
  readonly #abandoning = new Map<string, Promise<void>>();
  #leadsNothing = false;
  #check: Timer | undefined;
  readonly #unsubscribe: () => void;

  constructor({ view, logs, clock, log }: PartitionLeadsOptions) {
    this.#view = view;
    this.#clock = clock;
    this.#environment = {
      logs,
      clock,
      log,
      openings: new Gate(CONCURRENCY),
      releases: new Gate(CONCURRENCY),
      changed: () => this.#changed(),
    };
    this.#unsubscribe = view.onChange(() => this.#follow());
  }

  /** Called when a partition is to be led, serves, or does so no longer. */
  onChange(callback: () => void): void {
    this.#listeners.add(callback);
  }

  /** Begins to follow a topic, or goes on with one that has more partitions now. */
  follow(topic: Topic): void {
    const known = this.#topics.get(topic.id) ?? { topic, leads: [] };
    this.#topics.set(topic.id, known);
    for (let partition = known.leads.length; partition < topic.partitionCount; partition++) {
      // What opens the first ones may find that the topic has gone.
      if (this.#topics.get(topic.id) !== known) return;
      const lead = new PartitionLead(topic, partition, this.#environment);
      known.leads.push(lead);
      if (this.#isOurs(topic.id, partition)) lead.take();
    }
  }

  /** The topic is gone: nothing of it is opened or handed over any more. */
  abandon(topicId: string): void {
    const known = this.#topics.get(topicId);
    if (known === undefined) return;
    this.#topics.delete(topicId);
    const abandoned = Promise.all(known.leads.map((lead) => lead.abandon()))
      .catch((error: unknown) => {
        this.#environment.log.error({ topic: known.topic.name, err: error }, "a deleted topic could not be closed");
      })
      .then(() => {
        this.#abandoning.delete(topicId);
      });
    this.#abandoning.set(topicId, abandoned);
  }

  /** Resolves when there is nothing to be done for the topic at the moment. */
  async settled(topicId: string): Promise<void> {
    await Promise.all((this.#topics.get(topicId)?.leads ?? []).map((lead) => lead.settled()));
    await this.#abandoning.get(topicId);
  }

  /** Resolves when all that was under way at the call, and what followed from it, is done or has failed once. */
  async allSettled(): Promise<void> {
    await Promise.all([...this.#topics.keys()].map((topicId) => this.settled(topicId)));
  }

  /**
   * Watches for logs that another broker has taken over while this one still is to lead them: they are claimed again,
   * unless a newer view of the cluster says otherwise by then.
   */
  watchDeposed(): void {
    this.#check = this.#clock.schedule(CHECK_INTERVAL_MS, () => {
      for (const { leads } of this.#topics.values()) for (const lead of leads) lead.reviveDeposed();
      this.watchDeposed();
    });
  }

  /** Hands everything over, and leads nothing from now on, whatever the view says. */
  async leaveAll(): Promise<void> {
    this.#leadsNothing = true;
    this.#follow();
    await this.allSettled();
  }

  get counts(): PartitionCounts {
    let assigned = 0;
    let serving = 0;
    let releasing = 0;
    for (const { leads } of this.#topics.values()) {
      for (const lead of leads) {
        if (lead.isWanted) assigned++;
        if (lead.serving !== undefined) serving++;
        if (lead.isReleasing) releasing++;
      }
    }
    return { assigned, serving, releasing };
  }

  /** What is open and serves. */
  led(): readonly LedPartition[] {
    const led: LedPartition[] = [];
    for (const { topic, leads } of this.#topics.values()) {
      for (const [partition, { serving }] of leads.entries()) {
        if (serving !== undefined) led.push({ topicId: topic.id, partition, leaderEpoch: serving.leaderEpoch });
      }
    }
    return led;
  }

  /** Follows the view no longer. What is open is closed by whoever owns the logs. */
  close(): void {
    this.#unsubscribe();
    this.#check?.cancel();
    for (const { leads } of this.#topics.values()) for (const lead of leads) lead.close();
  }

  #changed(): void {
    for (const callback of this.#listeners) callback();
  }

  #isOurs(topicId: string, partition: number): boolean {
    return !this.#leadsNothing && this.#view.leadership(topicId, partition)?.leaderId === this.#view.nodeId;
  }

  #follow(): void {
    const changed: { readonly topicId: string; readonly lead: PartitionLead }[] = [];
    for (const [topicId, { leads }] of this.#topics) {
      for (const [partition, lead] of leads.entries()) {
        if (lead.isWanted !== this.#isOurs(topicId, partition)) changed.push({ topicId, lead });
      }
    }
    changed.sort((one, other) => (one.topicId < other.topicId ? -1 : one.topicId > other.topicId ? 1 : 0));
    for (const { lead } of changed) {
      if (lead.isWanted) lead.leave();
      else lead.take();
    }
  }
}
