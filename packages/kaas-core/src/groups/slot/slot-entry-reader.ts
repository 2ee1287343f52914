import { KaasError } from "../../errors/kaas-error.js";
import type { Json } from "../../ports/slot-journals.js";
import type { CommittedPartition, SlotEntry, SlotSnapshot, SnapshotGroup, SnapshotPartition } from "./slot-entry.js";

type JsonObject = { readonly [key: string]: Json };

/** Checks an entry from the volume. Throws `KAAS_VOLUME_INVALID` that says which field is wrong. */
export function readSlotEntry(json: Json): SlotEntry {
  const entry = object(json, "entry");
  switch (entry["type"]) {
    case "commit":
      return {
        type: "commit",
        group: string(entry, "group"),
        committedAt: number(entry, "committedAt"),
        expiresAt: nullableNumber(entry, "expiresAt"),
        topics: list(entry, "topics").map((topic) => readTopic(topic, readCommittedPartition)),
      };
    case "group":
      return { type: "group", ...readGroup(entry) };
    case "delete-offsets":
      return {
        type: "delete-offsets",
        group: string(entry, "group"),
        topics: list(entry, "topics").map((json) => {
          const topic = object(json, "topics");
          return { topic: string(topic, "topic"), partitions: list(topic, "partitions").map(asNumber("partitions")) };
        }),
      };
    case "delete-group":
      return { type: "delete-group", group: string(entry, "group") };
    case "delete-topic":
      return { type: "delete-topic", topic: string(entry, "topic"), topicId: string(entry, "topicId") };
    default:
      throw invalid("type", entry["type"]);
  }
}

/** Checks a snapshot from the volume, as {@link readSlotEntry} does. */
export function readSlotSnapshot(json: Json): SlotSnapshot {
  return { groups: list(object(json, "snapshot"), "groups").map(readSnapshotGroup) };
}

function readSnapshotGroup(json: Json): SnapshotGroup {
  const group = object(json, "groups");
  return {
    ...readGroup(group),
    offsets: list(group, "offsets").map((topic) => readTopic(topic, readSnapshotPartition)),
  };
}

function readGroup(group: JsonObject): Omit<SnapshotGroup, "offsets"> {
  return {
    group: string(group, "group"),
    protocolType: nullableString(group, "protocolType"),
    protocol: nullableString(group, "protocol"),
    generation: number(group, "generation"),
    emptySince: nullableNumber(group, "emptySince"),
  };
}

function readTopic<T>(
  json: Json,
  readPartition: (json: Json) => T,
): { topic: string; topicId: string; partitions: T[] } {
  const topic = object(json, "topics");
  return {
    topic: string(topic, "topic"),
    topicId: string(topic, "topicId"),
    partitions: list(topic, "partitions").map(readPartition),
  };
}

function readCommittedPartition(json: Json): CommittedPartition {
  const [partition, offset, leaderEpoch, metadata] = asList("partitions")(json);
  if (typeof metadata !== "string") throw invalid("metadata", metadata);
  const numeric = asNumber("partitions");
  return [numeric(partition), numeric(offset), numeric(leaderEpoch), metadata];
}

function readSnapshotPartition(json: Json): SnapshotPartition {
  const fields = asList("partitions")(json);
  const expiresAt = fields[5] ?? null;
  const numeric = asNumber("partitions");
  return [...readCommittedPartition(json), numeric(fields[4]), expiresAt === null ? null : numeric(expiresAt)];
}

function object(json: Json, name: string): JsonObject {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw invalid(name, json);
  return json as JsonObject;
}

function list(from: JsonObject, name: string): readonly Json[] {
  return asList(name)(from[name]);
}

function string(from: JsonObject, name: string): string {
  const value = from[name];
  if (typeof value !== "string") throw invalid(name, value);
  return value;
}

function nullableString(from: JsonObject, name: string): string | null {
  return from[name] === null ? null : string(from, name);
}

function number(from: JsonObject, name: string): number {
  return asNumber(name)(from[name]);
}

function nullableNumber(from: JsonObject, name: string): number | null {
  return from[name] === null ? null : number(from, name);
}

function asNumber(name: string): (value: Json | undefined) => number {
  return (value) => {
    if (typeof value !== "number" || !Number.isInteger(value)) throw invalid(name, value);
    return value;
  };
}

function asList(name: string): (value: Json | undefined) => readonly Json[] {
  return (value) => {
    if (!Array.isArray(value)) throw invalid(name, value);
    return value as readonly Json[];
  };
}

function invalid(name: string, value: Json | undefined): KaasError {
  const shown = JSON.stringify(value)?.slice(0, 60) ?? "nothing";
  return new KaasError("KAAS_VOLUME_INVALID", `group state on the volume has ${shown} where "${name}" should be`);
}
