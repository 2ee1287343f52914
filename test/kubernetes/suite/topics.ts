import { KAFKA_TOPICS, type KubernetesApi, TopicWatch, type WatchedTopic } from "@kaas/k8s";
import { NAMESPACE, QUICK, type Stage, SURROUNDINGS } from "./stage.js";

/** A topic watch, and what it has told. */
export interface Watching {
  readonly watch: TopicWatch;
  readonly topics: ReadonlyMap<string, WatchedTopic>;
  readonly deleted: readonly string[];
  readonly isSynced: () => boolean;
}

export function watchTopics(stage: Stage, api: KubernetesApi, idleMs = 120_000): Watching {
  const topics = new Map<string, WatchedTopic>();
  const deleted: string[] = [];
  let isSynced = false;
  const listener = {
    topicChanged: (topic: WatchedTopic) => void topics.set(topic.name, topic),
    topicDeleted: ({ name }: WatchedTopic) => {
      topics.delete(name);
      deleted.push(name);
    },
    onSynced: () => {
      isSynced = true;
    },
  };
  const watch = new TopicWatch({ api, namespace: NAMESPACE, listener, timing: { ...QUICK, idleMs }, ...SURROUNDINGS });
  watch.start();
  stage.atEnd(() => watch.stop());
  return { watch, topics, deleted, isSynced: () => isSynced };
}

export const topicRef = (name: string) => ({ namespace: NAMESPACE, name });

/** Of what a row does itself: slow is no failure. */
export const PATIENT_CALL = { timeoutMs: 60_000 } as const;

export async function createTopics(api: KubernetesApi, names: readonly string[]): Promise<void> {
  // A few at a time: the API server takes no more than so many.
  for (let from = 0; from < names.length; from += 50) {
    await Promise.all(
      names
        .slice(from, from + 50)
        .map((name) =>
          api.create(
            KAFKA_TOPICS,
            { apiVersion: "kaas.rs/v1alpha1", kind: "KafkaTopic", metadata: topicRef(name), spec: { partitions: 1 } },
            PATIENT_CALL,
          ),
        ),
    );
  }
}

export async function deleteTopics(api: KubernetesApi, names: readonly string[]): Promise<void> {
  for (let from = 0; from < names.length; from += 50) {
    await Promise.all(
      names.slice(from, from + 50).map((name) => api.delete(KAFKA_TOPICS, topicRef(name), PATIENT_CALL)),
    );
  }
}

export const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(4, "0")}`);
