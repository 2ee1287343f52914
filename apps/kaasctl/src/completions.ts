import { type InspectionOptions, type PublishedAssignment, VolumeInspection } from "@kaas/storage";
import { nameOf } from "./commands/assignment-choice.js";
import { chosenVolume, type VolumeChoice } from "./volume-choice.js";

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
const OPTIONS = ["--data-dir", "--cluster-dir", "--output", "--help"];
const OPTIONS_OF: Readonly<Record<string, readonly string[]>> = {
  "log dump": ["--from", "--to", "--decode"],
  drain: ["--undo", "--wait", "--timeout"],
  repair: ["--apply", "--broker-is-gone"],
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What may stand where the cursor is: behind `words`, of which the last is being typed. Never fails: a shell has nowhere
 * to show why.
 */
export async function completionsFor(words: readonly string[], environment: Environment): Promise<string[]> {
  const current = words.at(-1) ?? "";
  const { path, volume } = readWords(words.slice(0, -1));
  if (current.startsWith("-")) return starting([...(OPTIONS_OF[commandOf(path)] ?? []), ...OPTIONS], current);
  const fixed = TREE[path.join(" ")];
  if (fixed !== undefined) return starting(fixed, current);
  try {
    return starting(await namesFor(path, chosenVolume(volume, environment)), current);
  } catch {
    return [];
  }
}

const WITH_VALUE: ReadonlySet<string> = new Set([
  "--data-dir",
  "--cluster-dir",
  "--output",
  "-o",
  "--from",
  "--to",
  "--broker-is-gone",
  "--timeout",
]);

/** The words of the command, and the volume if it was named. */
function readWords(words: readonly string[]): { readonly path: string[]; readonly volume: VolumeChoice } {
  const path: string[] = [];
  const values = new Map<string, string>();
  for (let at = 0; at < words.length; at++) {
    const [name = "", value] = (words[at] ?? "").split(/=(.*)/s);
    if (WITH_VALUE.has(name)) values.set(name, value ?? words[++at] ?? "");
    else if (!name.startsWith("-")) path.push(words[at] ?? "");
  }
  return { path, volume: { dataDirectory: values.get("--data-dir"), clusterDirectory: values.get("--cluster-dir") } };
}

function commandOf(words: readonly string[]): string {
  return words[0] !== undefined && TREE[words[0]] !== undefined ? words.slice(0, 2).join(" ") : (words[0] ?? "");
}

const TAKES_TOPIC: ReadonlySet<string> = new Set(["topic describe", "log dump", "log verify", "assignment show"]);

async function namesFor(words: readonly string[], volume: InspectionOptions | undefined): Promise<readonly string[]> {
  const command = commandOf(words);
  const isTopic = TAKES_TOPIC.has(command);
  const isAssignment = command === "assignment diff";
  const isUser = command === "user describe";
  const isBroker = command === "fuse show" || words[0] === "drain";
  if (!isTopic && !isAssignment && !isUser && !isBroker && command !== "offsets show") return [];
  if (volume === undefined) return [];
  const inspection = await VolumeInspection.open(volume);
  if (command === "offsets show") return words.length === 2 ? inspection.groupNames() : [];
  if (isBroker) return words.length === command.split(" ").length ? await brokerNames(inspection) : [];
  if (isUser) return words.length === 2 ? (await inspection.namedUsers()).users.map(({ name }) => name) : [];
  if (isAssignment) return words.length > 3 ? [] : (await inspection.assignments()).assignments.map(named);
  if (words.length === 2) return (await inspection.topics()).map(({ name }) => name);
  if (words.length !== 3 || !command.startsWith("log ")) return [];
  const topic = await inspection.topic(words[2] ?? "");
  return (topic?.partitions ?? []).map(({ partition }) => String(partition));
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
