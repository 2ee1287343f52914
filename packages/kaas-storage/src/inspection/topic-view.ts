import type { DirectoryEntry } from "../file-system/file-system.js";
import { probeDocument } from "./document-probe.js";
import { type Finding, finding } from "./finding.js";
import { listIfThere, type VolumeView } from "./volume-view.js";

const TOPIC_ID_NAME = ".topic-id.json";
const CONFIG_NAME = ".config.json";
const PARTITION_NAME = /^(0|[1-9]\d{0,8})$/;
/** Names that file systems make, and those of a file that is being replaced. */
const IGNORED_NAME = /^(\.nfs.*|lost\+found|\.snapshot)$/;

/** A topic as its directory describes it. */
export interface TopicView {
  readonly name: string;
  readonly directory: string;
  /** Undefined where it is not stamped, or the stamp is not readable. */
  readonly id: string | undefined;
  /** What the configuration says; without one, how many directories there are. */
  readonly partitionCount: number;
  readonly overrides: Readonly<Record<string, string>>;
  /** Partitions that have a directory, ascending. */
  readonly partitions: readonly number[];
  readonly findings: readonly Finding[];
}

/** Reads a topic's directory; undefined when there is none, or when it is no topic's. */
export async function viewTopic(view: VolumeView, name: string): Promise<TopicView | undefined> {
  const directory = `${view.directory}/${name}`;
  const entries = await listIfThere(view, directory);
  if (entries === undefined) return undefined;
  const partitions = entries
    .filter((entry) => entry.isDirectory && PARTITION_NAME.test(entry.name))
    .map((entry) => Number(entry.name))
    .sort((a, b) => a - b);
  const hasStamp = entries.some((entry) => entry.name === TOPIC_ID_NAME);
  const hasConfig = entries.some((entry) => entry.name === CONFIG_NAME);
  // What the file system keeps for itself, and directories that happen to lie here.
  if (!hasStamp && (name.startsWith(".") || (!hasConfig && partitions.length === 0))) return undefined;
  const findings = strayNames(directory, entries);
  const stamp = await readStamp(view, directory, name, findings);
  const config = await readConfig(view, directory, findings);
  const partitionCount = config?.partitionCount ?? partitions.length;
  const topic = {
    name,
    directory,
    id: stamp,
    partitionCount,
    overrides: config?.overrides ?? {},
    partitions,
    findings,
  };
  findings.push(...checkPartitions(topic));
  return topic;
}

async function readStamp(
  view: VolumeView,
  directory: string,
  name: string,
  findings: Finding[],
): Promise<string | undefined> {
  const path = `${directory}/${TOPIC_ID_NAME}`;
  const probe = await probeDocument(view, path, "topic-id");
  if (probe.state === "bad") findings.push(probe.finding);
  if (probe.state === "gone") findings.push(finding("topic-id-missing", path, "it is not there"));
  if (probe.state !== "valid") return undefined;
  if (probe.value.name !== name) {
    findings.push(finding("topic-id-misnamed", path, `it is the id of topic ${probe.value.name}`));
  }
  return probe.value.id;
}

async function readConfig(
  view: VolumeView,
  directory: string,
  findings: Finding[],
): Promise<{ readonly partitionCount: number; readonly overrides: Readonly<Record<string, string>> } | undefined> {
  const path = `${directory}/${CONFIG_NAME}`;
  const probe = await probeDocument(view, path, "topic-config");
  if (probe.state === "bad") findings.push(probe.finding);
  if (probe.state === "gone") findings.push(finding("topic-config-missing", path, "it is not there"));
  return probe.state === "valid" ? probe.value : undefined;
}

/** Partitions that the topic has without a directory, and the other way round. */
function checkPartitions({ directory, partitionCount, partitions }: TopicView): Finding[] {
  const there = new Set(partitions);
  const findings: Finding[] = [];
  for (let partition = 0; partition < partitionCount; partition++) {
    if (there.has(partition)) continue;
    const message = `the topic has ${partitionCount} partitions, and this one has no directory`;
    findings.push(finding("partition-missing", `${directory}/${partition}`, message));
  }
  for (const partition of partitions) {
    if (partition < partitionCount) continue;
    const message = `the topic has ${partitionCount} partitions, numbered from 0`;
    findings.push(finding("partition-orphaned", `${directory}/${partition}`, message));
  }
  return findings;
}

function strayNames(directory: string, entries: readonly DirectoryEntry[]): Finding[] {
  return entries.flatMap(({ name, isDirectory }) => {
    const path = `${directory}/${name}`;
    if (name === TOPIC_ID_NAME || name === CONFIG_NAME || IGNORED_NAME.test(name)) return [];
    if (isDirectory && PARTITION_NAME.test(name)) return [];
    if (name.startsWith("tmp-")) return [finding("temporary-leftover", path, "it was never finished")];
    return [finding("name-unknown", path, "it is none of a topic's files")];
  });
}
