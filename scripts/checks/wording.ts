import { basename } from "node:path";
import type { Finding } from "./finding.js";
import type { TextFile } from "./source-files.js";

/** Files whose words are not ours. */
const FOREIGN = /^(LICENSE|package-lock\.json)$/;

/** Names that say nothing about what is inside. */
const EMPTY_NAMES = new Set(["utils", "util", "helpers", "helper", "common", "misc", "shared"]);

/** What no line may hold. Patterns are written so that they do not match themselves. */
const LINES: readonly { readonly pattern: RegExp; readonly message: string }[] = [
  { pattern: /\b(TO[D]O|FIX[M]E|X[X]X|HA[C]K)\b/, message: "work that is left belongs in an issue" },
  { pattern: /(?<![\w.)\]}-])\/(?:wor[k]|roo[t]|hom[e])\/[\w.]/, message: "names a path of one machine" },
  { pattern: /regist[r]y\.npmjs\.org|repo1?\.mave[n]\.|proxy\.golan[g]\.org/, message: "names a package registry" },
];

/** Names and lines that the project does not want, in any text file. */
export function checkWording(files: readonly TextFile[]): Finding[] {
  return files
    .filter(({ path }) => !FOREIGN.test(path))
    .flatMap((file) => [...checkName(file.path), ...checkLines(file)]);
}

function checkName(path: string): Finding[] {
  if (path.endsWith(".java")) return []; // Java's folders are its package names
  const parts = path.split("/").map((part) => basename(part).split(".")[0] ?? "");
  const empty = parts.find((part) => EMPTY_NAMES.has(part));
  return empty === undefined ? [] : [{ file: path, message: `"${empty}" does not say what is inside` }];
}

function checkLines({ path, text }: TextFile): Finding[] {
  return text.split("\n").flatMap((content, index) =>
    LINES.filter(({ pattern }) => pattern.test(content)).map(({ message }) => ({
      file: path,
      line: index + 1,
      message,
    })),
  );
}
