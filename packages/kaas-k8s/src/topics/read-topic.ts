import { type KafkaTopic, MIGRATE_TO_ANNOTATION, topicNameOf } from "@kaas/operator-api";
import type { WatchedTopic } from "./watched-topic.js";

/**
 * A topic as its KafkaTopic has it; undefined where that makes no sense. Fields that are not known are passed over, so
 * that a broker goes on while CRDs are upgraded.
 */
export function watchedTopicOf(object: KafkaTopic): WatchedTopic | undefined {
  const { metadata, status } = object;
  const spec: KafkaTopic["spec"] | undefined = object.spec;
  if (spec === undefined || !Number.isInteger(spec.partitions) || spec.partitions < 1) return undefined;
  const config = Object.entries(spec.config ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
  const volumes = (status?.volumeAssignments ?? []).map(({ partition, volume }): [number, string] => [
    partition,
    volume,
  ]);
  return {
    name: topicNameOf(object),
    objectName: metadata.name,
    uid: metadata.uid ?? "",
    partitions: spec.partitions,
    config: Object.fromEntries(config),
    volumes: new Map(volumes),
    migrateTo: metadata.annotations?.[MIGRATE_TO_ANNOTATION],
    topicId: status?.topicId,
    progress: progressOf(status),
  };
}

function progressOf(status: KafkaTopic["status"]): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined) return undefined;
  const migration = status?.conditions?.find(({ type }) => type === "Migration");
  const moves = migration === undefined ? "" : ` ${migration.reason} ${migration.message}`;
  return `${status?.observedGeneration} ${ready.status}${moves}`;
}

/** Whether it is the same topic, and not another one that has its name now. */
export function isSameTopic(a: WatchedTopic, b: WatchedTopic): boolean {
  if (a.uid !== b.uid) return false;
  return a.topicId === b.topicId || a.topicId === undefined || b.topicId === undefined;
}

/** Whether nothing about it is different. */
export function isUnchanged(a: WatchedTopic, b: WatchedTopic): boolean {
  return (
    a.uid === b.uid &&
    a.objectName === b.objectName &&
    a.partitions === b.partitions &&
    a.migrateTo === b.migrateTo &&
    a.topicId === b.topicId &&
    a.progress === b.progress &&
    isSameMap(new Map(Object.entries(a.config)), new Map(Object.entries(b.config))) &&
    isSameMap(a.volumes, b.volumes)
  );
}

function isSameMap<K, V>(a: ReadonlyMap<K, V>, b: ReadonlyMap<K, V>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}
