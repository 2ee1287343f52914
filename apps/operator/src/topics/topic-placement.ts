import type { KafkaCluster, KafkaTopic } from "@kaas/operator-api";
import type { FoundTopic, PlacedTopic } from "@kaas/storage";
import type { Refusal } from "../reconciling/steps.js";
import type { TopicSurroundings } from "./topic-run.js";

/** Where a topic's partitions lie: what is on the volume stays, what was decided stays, the rest is decided now. */
export function placePartitions(
  topic: KafkaTopic,
  adopted: FoundTopic | undefined,
  surroundings: TopicSurroundings,
): readonly string[] | Refusal {
  const placed = knownVolumes(topic, adopted, surroundings.volumes);
  if (placed.length >= topic.spec.partitions) return placed.slice(0, topic.spec.partitions);
  const candidates = candidateVolumes(topic, surroundings);
  if ("reason" in candidates) return candidates;
  const counts = partitionCounts(surroundings.topics, topic, placed);
  while (placed.length < topic.spec.partitions) {
    const volume = fewest(candidates, counts);
    counts.set(volume, (counts.get(volume) ?? 0) + 1);
    placed.push(volume);
  }
  return placed;
}

/** The placement as the volume has it: only what lies outside of the data directory is named. */
export function placementOf(volumes: readonly string[], main: string): PlacedTopic["placement"] {
  return new Map([...volumes.entries()].filter(([, volume]) => volume !== main));
}

function knownVolumes(topic: KafkaTopic, adopted: FoundTopic | undefined, volumes: readonly string[]): string[] {
  const main = volumes[0] ?? "";
  const known: string[] = [];
  for (const { partition, volume } of topic.status?.volumeAssignments ?? []) known[partition] = volume;
  const existing = adopted?.hasConfig === true ? adopted.partitionCount : 0;
  for (let partition = 0; partition < existing; partition++) {
    known[partition] = adopted?.placement.get(partition) ?? main;
  }
  const gap = [...known].indexOf(undefined as unknown as string);
  return gap === -1 ? known : known.slice(0, gap);
}

/** The volumes that new partitions of a topic may go to. */
function candidateVolumes(topic: KafkaTopic, { cluster, volumes }: TopicSurroundings): readonly string[] | Refusal {
  const { storage } = topic.spec;
  const mounted = `mounted are ${volumes.join(", ")}`;
  if (storage?.volumes !== undefined) {
    const unknown = storage.volumes.filter((name) => !volumes.includes(name));
    if (unknown.length === 0) return storage.volumes;
    return {
      reason: "UnknownVolume",
      message: `spec.storage.volumes: there is no volume ${unknown.join(", ")}; ${mounted}`,
    };
  }
  const labels = storage?.volumeSelector?.matchLabels;
  if (labels === undefined) return volumes;
  const matching = volumes.filter((name) => hasLabels(cluster, name, labels));
  if (matching.length > 0) return matching;
  const wanted = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const message = `spec.storage.volumeSelector: no volume has the labels ${wanted.join(", ")} in the KafkaCluster's spec.volumes; ${mounted}`;
  return { reason: "UnknownVolume", message };
}

function hasLabels(
  cluster: KafkaCluster | undefined,
  volume: string,
  wanted: Readonly<Record<string, string>>,
): boolean {
  const { labels = {} } = cluster?.spec.volumes?.find(({ name }) => name === volume) ?? {};
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

/** How many partitions each volume has, of all topics. */
function partitionCounts(
  topics: readonly KafkaTopic[],
  topic: KafkaTopic,
  placed: readonly string[],
): Map<string, number> {
  const counts = new Map<string, number>();
  const count = (volume: string): void => void counts.set(volume, (counts.get(volume) ?? 0) + 1);
  for (const other of topics) {
    if (other.metadata.uid === topic.metadata.uid) continue;
    for (const { volume } of other.status?.volumeAssignments ?? []) count(volume);
  }
  for (const volume of placed) count(volume);
  return counts;
}

/** The volume that has the fewest partitions, the first of them. */
function fewest(candidates: readonly string[], counts: ReadonlyMap<string, number>): string {
  let [least = ""] = candidates;
  for (const volume of candidates) {
    if ((counts.get(volume) ?? 0) < (counts.get(least) ?? 0)) least = volume;
  }
  return least;
}
