import { runKaasctl } from "../../apps/kaasctl/src/run.js";
import type { TextSink } from "../../apps/kaasctl/src/surroundings.js";
import type { FindingCode, FindingKind } from "../../packages/kaas-storage/src/inspection/finding-catalogue.js";
import { table } from "./section.js";

const COMMANDS: readonly (readonly string[])[] = [
  [],
  ["volume", "info"],
  ["topic", "ls"],
  ["topic", "describe"],
  ["log", "dump"],
  ["log", "verify"],
  ["offsets", "show"],
  ["user", "ls"],
  ["user", "describe"],
  ["acl", "ls"],
  ["assignment", "show"],
  ["assignment", "history"],
  ["assignment", "diff"],
  ["brokers"],
  ["drain"],
  ["fuse", "show"],
  ["fences", "ls"],
  ["slots"],
  ["producer-ids"],
  ["doctor"],
  ["repair"],
];
const WIDTH = 100;

/** What `--help` says of each command. */
export async function helpSections(): Promise<string> {
  const sections: string[] = [];
  for (const command of COMMANDS) {
    const text = await helpOf(command);
    sections.push(`### kaasctl${command.map((word) => ` ${word}`).join("")}\n\n\`\`\`text\n${text}\`\`\`\n`);
  }
  return sections.join("\n");
}

async function helpOf(command: readonly string[]): Promise<string> {
  let text = "";
  const sink: TextSink = {
    isTerminal: false,
    columns: WIDTH,
    isClosed: false,
    write: async (more) => {
      text += more;
    },
  };
  const random = { uuid: () => "", integer: () => 0 };
  const code = await runKaasctl([...command, "--help"], {
    version: "",
    environment: {},
    out: sink,
    err: sink,
    random,
    now: () => 0,
    pause: async () => undefined,
    monotonic: () => 0,
  });
  if (code !== 0) throw new Error(`kaasctl ${command.join(" ")} --help ended with ${code}: ${text}`);
  return text.replaceAll(/ +$/gm, "");
}

/** Every kind of finding, the gravest first. */
export function findingsTable(catalogue: Readonly<Record<FindingCode, FindingKind>>): string {
  const kinds = Object.entries(catalogue) as [FindingCode, FindingKind][];
  const rows = (["error", "warning", "note"] as const).flatMap((severity) =>
    kinds
      .filter(([, kind]) => kind.severity === severity)
      .map(([code, { meaning, advice }]) => [`\`${code}\``, severity, meaning, advice]),
  );
  return table(["code", "severity", "means", "do"], rows);
}
