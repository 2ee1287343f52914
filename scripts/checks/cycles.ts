import type { Finding } from "./finding.js";
import { importsOf, resolveRelative } from "./imports.js";
import type { SourceFile } from "./source-files.js";

/**
 * Circles of files that load one another. Types are left out: they are erased, and two interfaces that speak of each
 * other are no defect, while modules that need each other to load are.
 */
export function findCycles(files: readonly SourceFile[]): Finding[] {
  const edges = new Map(
    files.map((file) => [
      file.path,
      importsOf(file)
        .filter(({ specifier, typeOnly }) => specifier.startsWith(".") && !typeOnly)
        .map(({ specifier }) => resolveRelative(file.path, specifier)),
    ]),
  );
  const findings: Finding[] = [];
  const finished = new Set<string>();
  const trail: string[] = [];

  const follow = (path: string): void => {
    if (finished.has(path)) return;
    const seenAt = trail.indexOf(path);
    if (seenAt >= 0) {
      findings.push({ file: path, message: `import cycle: ${[...trail.slice(seenAt), path].join(" → ")}` });
      return;
    }
    trail.push(path);
    for (const next of edges.get(path) ?? []) follow(next);
    trail.pop();
    finished.add(path);
  };
  for (const path of edges.keys()) follow(path);
  return findings;
}
