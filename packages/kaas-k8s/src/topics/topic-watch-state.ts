import type { Log } from "@kaas/core";
import type { KafkaTopic } from "@kaas/operator-api";
import type { ReflectorSink } from "../reflector/reflector-sink.js";
import { WatchedSet } from "../reflector/watched-set.js";
import { isSameTopic, isUnchanged, watchedTopicOf } from "./read-topic.js";
import type { TopicWatchListener, WatchedTopic } from "./watched-topic.js";

/** A KafkaTopic that claims a name. */
interface Claim {
  readonly topic: WatchedTopic;
  readonly createdAt: string;
}

/**
 * The topics as last reported. It outlives every watch: a list that is complete retracts what is gone, one that is cut
 * short retracts nothing, and what is told twice is reported once.
 *
 * Two KafkaTopics may claim one name in Kafka; the older one has it, and the other one gets it when that is gone.
 */
export class TopicWatchState implements ReflectorSink<KafkaTopic> {
  readonly #objects: WatchedSet<KafkaTopic>;
  readonly #listener: TopicWatchListener;
  readonly #log: Log;
  /** By name in Kafka, then by name of the KafkaTopic. */
  readonly #claims = new Map<string, Map<string, Claim>>();
  /** The name that each KafkaTopic claims. */
  readonly #claimed = new Map<string, string>();
  readonly #reported = new Map<string, WatchedTopic>();
  /** Names that may have to be reported anew, and are not while a list is under way: it may have an older claim yet. */
  readonly #touched = new Set<string>();
  #isRelisting = false;

  constructor(listener: TopicWatchListener, log: Log) {
    this.#listener = listener;
    this.#log = log;
    this.#objects = new WatchedSet<KafkaTopic>({
      changed: (object) => this.#claim(object),
      deleted: ({ metadata }) => this.#withdraw(metadata.name),
      onSynced: () => {
        this.#isRelisting = false;
        this.#report();
        listener.onSynced();
      },
    });
  }

  get isSynced(): boolean {
    return this.#objects.isSynced;
  }

  relistBegan(): void {
    this.#isRelisting = true;
    this.#objects.relistBegan();
  }

  listed(object: KafkaTopic): void {
    this.#objects.listed(object);
  }

  relistCompleted(): void {
    this.#objects.relistCompleted();
    this.#isRelisting = false;
    this.#report();
  }

  relistAborted(): void {
    this.#objects.relistAborted();
    // Before the first complete list nobody knows who has the older claim.
    this.#isRelisting = !this.isSynced;
    this.#report();
  }

  changed(object: KafkaTopic): void {
    this.#objects.changed(object);
    this.#report();
  }

  removed(object: KafkaTopic): void {
    this.#objects.removed(object);
    this.#report();
  }

  /** By its name in Kafka. */
  topic(name: string): WatchedTopic | undefined {
    return this.#reported.get(name);
  }

  /** All that are reported, in no order: one for each name in Kafka. */
  topics(): IterableIterator<WatchedTopic> {
    return this.#reported.values();
  }

  #claim(object: KafkaTopic): void {
    const objectName = object.metadata.name;
    const topic = watchedTopicOf(object);
    if (topic === undefined) {
      // It is there, so nothing is retracted: what was known of it last is kept.
      this.#log.warn({ kafkaTopic: objectName }, "KafkaTopic without a valid spec: left as it was known before");
      return;
    }
    if (this.#claimed.get(objectName) !== topic.name) this.#withdraw(objectName);
    this.#claimed.set(objectName, topic.name);
    const claims = this.#claims.get(topic.name) ?? new Map<string, Claim>();
    this.#claims.set(topic.name, claims);
    claims.set(objectName, { topic, createdAt: object.metadata.creationTimestamp ?? "" });
    this.#touched.add(topic.name);
  }

  #withdraw(objectName: string): void {
    const name = this.#claimed.get(objectName);
    if (name === undefined) return;
    this.#claimed.delete(objectName);
    const claims = this.#claims.get(name);
    claims?.delete(objectName);
    if (claims?.size === 0) this.#claims.delete(name);
    this.#touched.add(name);
  }

  #report(): void {
    if (this.#isRelisting) return;
    const names = [...this.#touched];
    this.#touched.clear();
    for (const name of names) this.#reportOne(name);
  }

  #reportOne(name: string): void {
    const before = this.#reported.get(name);
    const now = owner(this.#claims.get(name));
    if (before !== undefined && (now === undefined || !isSameTopic(before, now))) {
      this.#reported.delete(name);
      this.#listener.topicDeleted(before);
    }
    if (now === undefined || (before !== undefined && isUnchanged(before, now))) return;
    this.#reported.set(name, now);
    this.#listener.topicChanged(now);
  }
}

/** The oldest; of two that were made within one second, the first by name. */
function owner(claims: ReadonlyMap<string, Claim> | undefined): WatchedTopic | undefined {
  let first: Claim | undefined;
  for (const claim of claims?.values() ?? []) {
    if (first === undefined || rank(claim) < rank(first)) first = claim;
  }
  return first?.topic;
}

const rank = ({ createdAt, topic }: Claim): string => `${createdAt} ${topic.objectName}`;
