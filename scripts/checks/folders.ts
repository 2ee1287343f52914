import type { Finding } from "./finding.js";
import { importsOf, resolveRelative } from "./imports.js";
import { isTest, type SourceFile } from "./source-files.js";

const CORE = "packages/kaas-core/src/";

/**
 * Which folders of core load which others, lowest first. What decides (groups, fetch, cluster) knows nothing of
 * requests and connections; handlers bring the two together. Other interfaces may be mentioned anywhere: they are erased.
 */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  ports: ["errors"],
  metrics: ["errors"],
  memory: ["errors", "ports"],
  wire: ["errors"],
  messages: ["errors", "wire"],
  records: ["errors", "messages", "wire"],
  timers: ["errors", "ports"],
  config: ["errors", "ports"],
  security: ["config", "errors", "ports"],
  cluster: ["config", "errors", "metrics", "ports"],
  fetch: ["errors", "memory", "messages", "ports", "records", "timers", "wire"],
  groups: ["cluster", "errors", "messages", "ports", "timers", "wire"],
  api: ["cluster", "config", "errors", "fetch", "groups", "messages", "ports", "records", "security", "timers", "wire"],
  server: ["api", "config", "errors", "memory", "messages", "metrics", "ports", "security", "timers", "wire"],
};

/** Folders whose very types are none of the others' business. */
const REQUESTS: readonly (string | undefined)[] = ["api", "server"];

/** Imports between folders of core that the table does not have. */
export function checkFolders(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => path.startsWith(CORE) && !isTest(path))
    .flatMap((file) => {
      const home = folderOf(file.path);
      if (home === undefined) return []; // what composes it all
      const allowed = FOLDERS[home];
      if (allowed === undefined) return [{ file: file.path, message: `${home}/ is not in the table of folders` }];
      return importsOf(file)
        .filter(({ specifier }) => specifier.startsWith("."))
        .map(({ specifier, ...one }) => ({ ...one, target: folderOf(resolveRelative(file.path, specifier)) }))
        .filter(({ typeOnly, target }) => !typeOnly || REQUESTS.includes(target))
        .filter(({ target }) => target !== home && (target === undefined || !allowed.includes(target)))
        .map(({ line, target }) => ({
          file: file.path,
          line,
          message: `${home}/ must not load ${target ?? "the entry"}`,
        }));
    });
}

function folderOf(path: string): string | undefined {
  const parts = path.slice(CORE.length).split("/");
  return parts.length > 1 ? parts[0] : undefined;
}
