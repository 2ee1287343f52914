import { type Clock, KaasError, type TopicAdmin, type TopicDescription, type TopicOverrides } from "@kaas/core";
import { type KafkaTopic, topicNameOf } from "@kaas/operator-api";
import { getIfThere } from "../api/get-if-there.js";
import type { KubernetesApi } from "../api/kubernetes-api.js";
import { isStatus } from "../api/kubernetes-error.js";
import { apiVersionOf } from "../api/resource.js";
import { KAFKA_TOPICS } from "../custom-resources.js";
import { madeUpName, objectNameOf } from "./object-name.js";
import { TimeLeft } from "./time-left.js";

/** Fields that Kafka's admin clients have set. Partitions are applied, and by another manager than all the rest: what a
 * manager applies is all that it wants. */
const FIELD_MANAGER = "kaas-admin";
const PARTITIONS_MANAGER = "kaas-admin-partitions";

/** For a change, where the caller does not say how long it may take. */
const TIMEOUT_MS = 30_000;

/** Attempts to change what somebody else changes at the same time. */
const ATTEMPTS_MAX = 5;

/** KafkaTopics in one page, where one has to be looked for. */
const PAGE_LIMIT = 500;

/** Where KafkaTopics are changed. */
export interface TopicWriterOptions {
  readonly api: KubernetesApi;
  readonly namespace: string;
  readonly clock: Clock;
  /** The name of the KafkaTopic of a topic, where it is known from a watch. Saves looking for it. */
  readonly locate?: (topicName: string) => string | undefined;
}

/**
 * Changes topics by changing their KafkaTopics, as a person would. A call resolves when the API server has stored the
 * change; the operator carries it out afterwards. Rejects with `KAAS_TOPIC_CONFLICT` where the topic exists, or is not
 * what the caller believed, and with what the API server says otherwise.
 */
export class KafkaTopicWriter implements TopicAdmin {
  readonly #options: TopicWriterOptions;

  constructor(options: TopicWriterOptions) {
    this.#options = options;
  }

  async create(
    name: string,
    partitionCount: number,
    overrides: TopicOverrides,
    timeoutMs: number = TIMEOUT_MS,
  ): Promise<undefined> {
    const left = this.#timeLeft(timeoutMs);
    if (await this.#isLocated(name, left)) throw exists(name);
    const spec = { partitions: partitionCount, ...(Object.keys(overrides).length === 0 ? {} : { config: overrides }) };
    const objectName = objectNameOf(name);
    if (await this.#create(objectName, name, spec, left)) return;
    const other = await this.#get(objectName, left);
    // Somebody has given the plain name to a KafkaTopic that stands for another topic.
    const isTaken = other !== undefined && topicNameOf(other) !== name;
    if (isTaken && (await this.#create(madeUpName(name), name, spec, left))) return;
    throw exists(name);
  }

  async delete(topic: TopicDescription, timeoutMs: number = TIMEOUT_MS): Promise<void> {
    const { api } = this.#options;
    const left = this.#timeLeft(timeoutMs);
    const { metadata } = await this.#existing(topic, left);
    const uid = metadata.uid === undefined ? {} : { uid: metadata.uid };
    try {
      await api.delete(KAFKA_TOPICS, this.#ref(metadata.name), { ...uid, ...left.options });
    } catch (error) {
      if (isStatus(error, 404) || isStatus(error, 409)) throw gone(topic.name, error);
      throw error;
    }
  }

  async createPartitions(
    topic: TopicDescription,
    partitionCount: number,
    timeoutMs: number = TIMEOUT_MS,
  ): Promise<void> {
    const left = this.#timeLeft(timeoutMs);
    const { metadata, spec } = await this.#existing(topic, left);
    if (spec.partitions >= partitionCount) {
      throw new KaasError("KAAS_TOPIC_CONFLICT", `topic ${topic.name} has ${spec.partitions} partitions by now`);
    }
    const object = {
      apiVersion: apiVersionOf(KAFKA_TOPICS),
      kind: KAFKA_TOPICS.kind,
      // With the uid, it does not become a new one if it was deleted meanwhile.
      metadata: { ...this.#ref(metadata.name), uid: metadata.uid },
      spec: { partitions: partitionCount },
    };
    const patch = { type: "apply", object, fieldManager: PARTITIONS_MANAGER, isForced: true } as const;
    try {
      await this.#options.api.patch(KAFKA_TOPICS, this.#ref(metadata.name), patch, left.options);
    } catch (error) {
      if (isStatus(error, 404) || isStatus(error, 409)) throw gone(topic.name, error);
      throw error;
    }
  }

  async configure(
    topic: TopicDescription,
    overrides: TopicOverrides,
    timeoutMs: number = TIMEOUT_MS,
    names?: readonly string[],
  ): Promise<void> {
    const left = this.#timeLeft(timeoutMs);
    for (let attempt = 1; ; attempt++) {
      const { metadata, spec } = await this.#existing(topic, left);
      const config = replacement(spec.config ?? {}, overrides, names);
      if (config === undefined) return;
      const object = { metadata: { resourceVersion: metadata.resourceVersion }, spec: { config } };
      const options = { fieldManager: FIELD_MANAGER, ...left.options };
      try {
        await this.#options.api.patch(KAFKA_TOPICS, this.#ref(metadata.name), { type: "merge", object }, options);
        return;
      } catch (error) {
        if (isStatus(error, 404)) throw gone(topic.name, error);
        // Somebody else was faster; what is to be removed has to be found out again.
        if (!isStatus(error, 409) || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }

  /** Whether a KafkaTopic is known of the topic, and still there: the watch may not have told yet that it was deleted. */
  async #isLocated(name: string, left: TimeLeft): Promise<boolean> {
    const objectName = this.#options.locate?.(name);
    const object = objectName === undefined ? undefined : await this.#get(objectName, left);
    return object !== undefined && topicNameOf(object) === name;
  }

  /** False where there is an object of the name. */
  async #create(
    objectName: string,
    topicName: string,
    spec: { readonly partitions: number; readonly config?: TopicOverrides },
    left: TimeLeft,
  ): Promise<boolean> {
    const object: KafkaTopic = {
      apiVersion: "kaas.rs/v1alpha1",
      kind: "KafkaTopic",
      metadata: this.#ref(objectName),
      spec: { ...(objectName === topicName ? {} : { topicName }), ...spec },
    };
    try {
      await this.#options.api.create(KAFKA_TOPICS, object, { fieldManager: FIELD_MANAGER, ...left.options });
      return true;
    } catch (error) {
      if (isStatus(error, 409)) return false;
      throw error;
    }
  }

  /** The KafkaTopic of a topic that the caller has seen. */
  async #existing(topic: TopicDescription, left: TimeLeft): Promise<KafkaTopic> {
    const object = await this.#find(topic.name, left);
    const id = object?.status?.topicId;
    if (object === undefined || (id !== undefined && id !== topic.id)) throw gone(topic.name);
    return object;
  }

  async #find(topicName: string, left: TimeLeft): Promise<KafkaTopic | undefined> {
    const likely = [this.#options.locate?.(topicName), objectNameOf(topicName)];
    for (const objectName of new Set(likely)) {
      if (objectName === undefined) continue;
      const object = await this.#get(objectName, left);
      if (object !== undefined && topicNameOf(object) === topicName) return object;
    }
    return await this.#search(topicName, left);
  }

  /** A KafkaTopic may be called anything. */
  async #search(topicName: string, left: TimeLeft): Promise<KafkaTopic | undefined> {
    const { api, namespace } = this.#options;
    let next: string | undefined;
    do {
      const query = { namespace, limit: PAGE_LIMIT, ...(next === undefined ? {} : { continue: next }) };
      const page = await api.list(KAFKA_TOPICS, query, left.options);
      const found = page.items.find((object) => topicNameOf(object) === topicName);
      if (found !== undefined) return found;
      next = page.continue;
    } while (next !== undefined);
    return undefined;
  }

  #get(objectName: string, left: TimeLeft): Promise<KafkaTopic | undefined> {
    return getIfThere(this.#options.api, KAFKA_TOPICS, this.#ref(objectName), left.options);
  }

  #ref(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#options.namespace, name };
  }

  #timeLeft(timeoutMs: number): TimeLeft {
    return new TimeLeft(this.#options.clock, timeoutMs);
  }
}

/**
 * The merge that makes `overrides` of what is there, or of `names` of it; undefined where nothing has to be done. What is
 * not named is whoever's it is: the caller may not even have seen it yet.
 */
function replacement(
  present: Readonly<Record<string, unknown>>,
  overrides: TopicOverrides,
  names: readonly string[] = [...Object.keys(present), ...Object.keys(overrides)],
): Record<string, string | null> | undefined {
  const named = new Set(names);
  const removed = Object.keys(present).filter((key) => named.has(key) && !Object.hasOwn(overrides, key));
  // Values may be written as numbers and booleans; what means the same is left as it is.
  const changed = Object.entries(overrides).filter(([key, value]) => named.has(key) && String(present[key]) !== value);
  if (removed.length === 0 && changed.length === 0) return undefined;
  return Object.fromEntries([...removed.map((key): [string, null] => [key, null]), ...changed]);
}

const exists = (name: string): KaasError => new KaasError("KAAS_TOPIC_CONFLICT", `topic ${name} exists already`);

const gone = (name: string, cause?: unknown): KaasError =>
  new KaasError(
    "KAAS_TOPIC_CONFLICT",
    `topic ${name} is not there any more, or is another one by now`,
    cause === undefined ? {} : { cause },
  );
