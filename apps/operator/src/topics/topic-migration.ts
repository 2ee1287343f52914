import { type KafkaTopic, MIGRATE_TO_ANNOTATION } from "@kaas/operator-api";
import type { PlacedTopic } from "@kaas/storage";
import type { Refusal } from "../reconciling/steps.js";
import type { Verdict } from "../reporting/ready-condition.js";

/** Of partitions that are still to be moved, so many are named. */
const NAMED_MAX = 10;
const ENTRY = /^(0|[1-9]\d{0,8})=(\S+)$/;

/** Where somebody wants partitions to lie: the volume of each that is named. */
export type Migration = ReadonlyMap<number, string>;

/** What the annotation says; undefined where there is none, and why it says nothing that could be done. */
export function migrationOf(
  { metadata }: KafkaTopic,
  partitionCount: number,
  volumes: readonly string[],
): Migration | Refusal | undefined {
  const text = metadata.annotations?.[MIGRATE_TO_ANNOTATION]?.trim();
  if (text === undefined) return undefined;
  const wanted = text.includes("=") ? readEntries(text) : everyPartition(text, partitionCount);
  if (wanted === undefined || text === "") return malformed(text);
  const beyond = [...wanted.keys()].filter((partition) => partition >= partitionCount);
  if (beyond.length > 0) {
    const message = `${MIGRATE_TO_ANNOTATION}: ${text}: there is no partition ${beyond.join(", ")}; the topic has ${partitionCount}. Nothing is moved`;
    return { reason: "UnknownPartition", message };
  }
  const unknown = [...new Set(wanted.values())].filter((name) => !volumes.includes(name));
  if (unknown.length === 0) return wanted;
  const message = `${MIGRATE_TO_ANNOTATION}: ${text}: there is no volume ${unknown.join(", ")}; mounted are ${volumes.join(", ")}. Nothing is moved`;
  return { reason: "UnknownVolume", message };
}

/** What brokers are to be told: the partitions that lie elsewhere. The data directory, the first volume, has no name. */
export function movesOf(
  migration: Migration | Refusal | undefined,
  placed: readonly string[],
  main: string,
): NonNullable<PlacedTopic["moves"]> {
  const left = isMigration(migration) ? leftOf(migration, placed) : [];
  return new Map(left.map(([partition, volume]) => [partition, volume === main ? null : volume]));
}

/** The condition `Migration`; undefined where nobody wants anything moved. */
export function migrationVerdict(
  migration: Migration | Refusal | undefined,
  placed: readonly string[],
): Verdict | undefined {
  if (migration === undefined) return undefined;
  if (!isMigration(migration)) return { isReady: false, ...migration };
  const left = leftOf(migration, placed);
  const volumes = [...new Set(migration.values())].sort().join(", ");
  const count = migration.size === 1 ? "1 partition" : `${migration.size} partitions`;
  if (left.length === 0) return { isReady: true, reason: "Moved", message: `${count} on ${volumes}, as wanted` };
  const named = left.slice(0, NAMED_MAX).map(([partition]) => partition);
  const more = left.length > named.length ? ", …" : "";
  const message = `${migration.size - left.length} of ${count} on ${volumes}; still to be moved by their leaders: ${named.join(", ")}${more}`;
  return { isReady: false, reason: "Progressing", message };
}

function isMigration(migration: Migration | Refusal | undefined): migration is Migration {
  return migration !== undefined && !("reason" in migration);
}

function leftOf(migration: Migration, placed: readonly string[]): readonly (readonly [number, string])[] {
  return [...migration].filter(([partition, volume]) => placed[partition] !== volume);
}

function everyPartition(volume: string, partitionCount: number): Migration {
  return new Map(Array.from({ length: partitionCount }, (_, partition) => [partition, volume]));
}

/** Undefined where it is no list, or names a partition twice. */
function readEntries(text: string): Migration | undefined {
  const wanted = new Map<number, string>();
  for (const entry of text.split(",")) {
    const [, partition, volume] = ENTRY.exec(entry.trim()) ?? [];
    if (partition === undefined || volume === undefined || wanted.has(Number(partition))) return undefined;
    wanted.set(Number(partition), volume);
  }
  return wanted;
}

function malformed(text: string): Refusal {
  const message = `${MIGRATE_TO_ANNOTATION}: ${JSON.stringify(text)} is neither the name of a volume, for all partitions, nor a list such as 0=fast,3=slow that names each partition once. Nothing is moved`;
  return { reason: "Malformed", message };
}
