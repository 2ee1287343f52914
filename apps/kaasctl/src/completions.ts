import { type InspectionOptions, type PublishedAssignment, VolumeInspection } from "@kaas/storage";
import { nameOf } from "./commands/assignment-choice.js";
import { type CompletionSurroundings, liveNames, type WantedName } from "./live/live-names.js";
import type { SourceChoice } from "./source-choice.js";
import { chosenVolume } from "./volume-choice.js";

/** Commands and options; where a name from the volume comes next, the names that there are. */
const TREE: Readonly<Record<string, readonly string[]>> = {
  "": [
    "volume",
    "topic",
    "log",
    "offsets",
    "user",
    "acl",
    "assignment",
    "brokers",
    "drain",
    "fuse",
    "fences",
    "slots",
    "producer-ids",
    "doctor",
    "repair",
    "completion",
  ],
  volume: ["info"],
  topic: ["ls", "describe"],
  log: ["dump", "verify"],
  offsets: ["show"],
  user: ["ls", "describe"],
  acl: ["ls"],
  assignment: ["show", "history", "diff"],
  fuse: ["show"],
  fences: ["ls"],
  completion: ["bash", "zsh"],
};
const OPTIONS = ["--data-dir", "--cluster-dir", "--bootstrap-server", "--command-config", "--output", "--help"];
const OPTIONS_OF: Readonly<Record<string, readonly string[]>> = {
  "log dump": ["--from", "--to", "--decode"],
  drain: ["--undo", "--wait", "--timeout"],
  repair: ["--apply", "--broker-is-gone"],
};

/**
 * What may stand where the cursor is: behind `words`, of which the last is being typed. Never fails: a shell has nowhere
 * to show why.
 */
export async function completionsFor(
  words: readonly string[],
  surroundings: CompletionSurroundings,
): Promise<string[]> {
  const current = words.at(-1) ?? "";
  const { path, source } = readWords(words.slice(0, -1));
  if (current.startsWith("-")) return starting([...(OPTIONS_OF[commandOf(path)] ?? []), ...OPTIONS], current);
  const fixed = TREE[path.join(" ")];
  if (fixed !== undefined) return starting(fixed, current);
  const wanted = wantedName(path);
  if (wanted === undefined) return [];
  try {
    const names =
      source.kind === "brokers"
        ? await liveNames(wanted, source.brokers, surroundings)
        : await namesOnVolume(wanted, path, chosenVolume(source.volume, surroundings.environment));
    return starting(names, current);
  } catch {
    return [];
  }
}

const WITH_VALUE: ReadonlySet<string> = new Set([
  "--data-dir",
  "--cluster-dir",
  "--bootstrap-server",
  "--command-config",
  "--output",
  "-o",
  "--from",
  "--to",
  "--broker-is-gone",
  "--timeout",
]);

/** The words of the command, and where it is to look. */
function readWords(words: readonly string[]): { readonly path: string[]; readonly source: SourceChoice } {
  const path: string[] = [];
  const values = new Map<string, string>();
  for (let at = 0; at < words.length; at++) {
    const [name = "", value] = (words[at] ?? "").split(/=(.*)/s);
    if (WITH_VALUE.has(name)) values.set(name, value ?? words[++at] ?? "");
    else if (!name.startsWith("-")) path.push(words[at] ?? "");
  }
  const bootstrapServer = values.get("--bootstrap-server");
  if (bootstrapServer !== undefined) {
    const brokers = { bootstrapServer, commandConfig: values.get("--command-config") };
    return { path, source: { kind: "brokers", brokers } };
  }
  const volume = { dataDirectory: values.get("--data-dir"), clusterDirectory: values.get("--cluster-dir") };
  return { path, source: { kind: "volume", volume } };
}

function commandOf(words: readonly string[]): string {
  return words[0] !== undefined && TREE[words[0]] !== undefined ? words.slice(0, 2).join(" ") : (words[0] ?? "");
}

const TAKES_TOPIC: ReadonlySet<string> = new Set(["topic describe", "log dump", "log verify", "assignment show"]);

/** What comes next in a command line that has got so far; undefined where it is nothing that has a name. */
function wantedName(path: readonly string[]): WantedName | undefined {
  const command = commandOf(path);
  const given = path.length - command.split(" ").length;
  if (command === "assignment diff") return given <= 1 ? "assignment" : undefined;
  if (given === 1 && command.startsWith("log ")) return "partition";
  if (given !== 0) return undefined;
  if (TAKES_TOPIC.has(command)) return "topic";
  if (command === "offsets show") return "group";
  if (command === "user describe") return "user";
  return command === "fuse show" || command === "drain" ? "broker" : undefined;
}

async function namesOnVolume(
  wanted: WantedName,
  path: readonly string[],
  volume: InspectionOptions | undefined,
): Promise<readonly string[]> {
  if (volume === undefined) return [];
  const inspection = await VolumeInspection.open(volume);
  switch (wanted) {
    case "topic":
      return (await inspection.topics()).map(({ name }) => name);
    case "partition":
      return ((await inspection.topic(path[2] ?? ""))?.partitions ?? []).map(({ partition }) => String(partition));
    case "group":
      return inspection.groupNames();
    case "user":
      return (await inspection.namedUsers()).users.map(({ name }) => name);
    case "broker":
      return brokerNames(inspection);
    case "assignment":
      return (await inspection.assignments()).assignments.map(named);
  }
}

async function brokerNames(inspection: VolumeInspection): Promise<string[]> {
  const { brokers } = await inspection.users();
  return [...new Set(brokers.map(({ broker }) => broker))];
}

function named({ assignment }: PublishedAssignment): string {
  return nameOf(assignment);
}

function starting(names: readonly string[], current: string): string[] {
  return names.filter((name) => name.startsWith(current));
}
