import type { TopicConfig } from "../config/topic-config.js";
import { TopicMetrics } from "../metrics/topic-metrics.js";
import type { PartitionLog } from "../ports/partition-logs.js";
import type { TopicOverrides } from "../ports/topics.js";
import { collisionKey } from "./topic-names.js";

/** A topic as this broker serves it. One object for the life of an incarnation of the topic. */
export class Topic {
  readonly name: string;
  /** 22 characters of base64url. */
  readonly id: string;
  /** The logs led here, by partition; undefined while one is not open. */
  readonly partitions: (PartitionLog | undefined)[] = [];
  /** Partitions that are to be led here and could not be opened; tried again from time to time. */
  readonly failedPartitions: Set<number> = new Set();
  readonly metrics: TopicMetrics = new TopicMetrics();
  overrides: TopicOverrides;
  /** Overrides and broker defaults, parsed. */
  config: TopicConfig;

  constructor(name: string, id: string, overrides: TopicOverrides, config: TopicConfig) {
    this.name = name;
    this.id = id;
    this.overrides = overrides;
    this.config = config;
  }

  get partitionCount(): number {
    return this.partitions.length;
  }
}

/** Told after a topic came, changed or went. */
export interface TopicTableListener {
  topicAdded?(topic: Topic): void;
  topicRemoved?(topic: Topic): void;
}

/** Every topic of the cluster, by name and by id, in memory: what the hot path looks things up in. */
export class TopicTable {
  readonly #byName = new Map<string, Topic>();
  readonly #byId = new Map<string, Topic>();
  readonly #byCollisionKey = new Map<string, Topic>();
  readonly #listeners = new Set<TopicTableListener>();

  byName(name: string): Topic | undefined {
    return this.#byName.get(name);
  }

  byId(id: string): Topic | undefined {
    return this.#byId.get(id);
  }

  /** A topic whose name is so near that both may not exist. */
  colliding(name: string): Topic | undefined {
    return this.#byCollisionKey.get(collisionKey(name));
  }

  /** The log of a partition led here. */
  log(name: string, partition: number): PartitionLog | undefined {
    return this.#byName.get(name)?.partitions[partition];
  }

  all(): IterableIterator<Topic> {
    return this.#byName.values();
  }

  get size(): number {
    return this.#byName.size;
  }

  add(topic: Topic): void {
    this.#byName.set(topic.name, topic);
    this.#byId.set(topic.id, topic);
    this.#byCollisionKey.set(collisionKey(topic.name), topic);
    for (const listener of this.#listeners) listener.topicAdded?.(topic);
  }

  remove(topic: Topic): void {
    if (this.#byName.get(topic.name) === topic) this.#byName.delete(topic.name);
    this.#byId.delete(topic.id);
    const key = collisionKey(topic.name);
    if (this.#byCollisionKey.get(key) === topic) this.#byCollisionKey.delete(key);
    for (const listener of this.#listeners) listener.topicRemoved?.(topic);
  }

  addListener(listener: TopicTableListener): void {
    this.#listeners.add(listener);
  }
}
