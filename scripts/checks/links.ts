import { posix } from "node:path";
import type { Finding } from "./finding.js";
import type { TextFile } from "./source-files.js";

/** Links within the project that lead nowhere. */
export function checkLinks(documents: readonly TextFile[], paths: ReadonlySet<string>): Finding[] {
  const folders = new Set([...paths].flatMap(parents));
  return documents.flatMap(({ path, text }) =>
    text.split("\n").flatMap((content, index) =>
      [...content.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map((match) => match[1] ?? "")
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => {
          const file = posix.normalize(posix.join(posix.dirname(path), target)).replace(/\/$/, "");
          return !paths.has(file) && !folders.has(file);
        })
        .map((target) => ({ file: path, line: index + 1, message: `${target} is not there` })),
    ),
  );
}

function parents(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join("/"));
}
