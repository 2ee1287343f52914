import ts from "typescript";
import type { Finding } from "./finding.js";
import { importsOf } from "./imports.js";
import { isTest, lineOf, type SourceFile, visit } from "./source-files.js";

/** The outside world, by the module or the global name that leads to it. */
const MODULES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "node:fs": "files",
    "node:fs/promises": "files",
    "node:net": "network",
    "node:tls": "network",
    "node:dgram": "network",
    "node:dns": "network",
    "node:http": "network",
    "node:https": "network",
    "node:timers": "time",
    "node:timers/promises": "time",
    "node:perf_hooks": "time",
    "node:child_process": "processes",
    "node:worker_threads": "processes",
  }),
);

const GLOBALS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "Date.now": "time",
    "performance.now": "time",
    "process.hrtime": "time",
    "process.hrtime.bigint": "time",
    setTimeout: "time",
    setInterval: "time",
    setImmediate: "time",
    "Math.random": "randomness",
    "crypto.randomUUID": "randomness",
    "crypto.randomBytes": "randomness",
    "crypto.getRandomValues": "randomness",
    randomUUID: "randomness",
    randomBytes: "randomness",
    randomInt: "randomness",
    randomFillSync: "randomness",
  }),
);

/**
 * The adapters: the only files that may touch the world, each with the part it adapts. Everything else is handed a
 * port, so that a test or the simulator can own time, chance, files and network.
 */
export const ADAPTERS: readonly { readonly path: string; readonly may: readonly string[] }[] = [
  // Runs when the project is built, never in a broker.
  { path: "packages/kaas-core/src/messages/generator/main.ts", may: ["files"] },
  { path: "packages/kaas-operator-api/src/generator/main.ts", may: ["files"] },
  { path: "packages/kaas-core/src/server/", may: ["network"] },
  { path: "packages/kaas-storage/src/file-system/posix.ts", may: ["files"] },
  { path: "packages/kaas-storage/src/inspection/posix-inspection-host.ts", may: ["files", "time"] },
  { path: "packages/kaas-storage/src/file-system/direct-file.ts", may: ["files"] },
  { path: "packages/kaas-storage/src/file-system/open-descriptor.ts", may: ["files"] },
  { path: "packages/kaas-storage/src/file-system/substrate.ts", may: ["files"] },
  { path: "packages/kaas-storage/src/surroundings/system-clock.ts", may: ["time"] },
  { path: "packages/kaas-storage/src/surroundings/system-random.ts", may: ["randomness"] },
  // Holds a name in the kernel for as long as the process lives, and marks the directory with who it is.
  { path: "packages/kaas-storage/src/file-system/directory-lock.ts", may: ["network", "randomness"] },
  // Reads the certificates and keys that the configuration names.
  { path: "apps/broker/src/secret-files.ts", may: ["files"] },
  // The API server, and the token that a pod is let in with.
  { path: "packages/kaas-k8s/src/api/http-client.ts", may: ["network"] },
  { path: "packages/kaas-k8s/src/api/in-cluster.ts", may: ["files", "network"] },
  // Reads the configuration file and the version, before there is anything to inject.
  { path: "apps/broker/src/run.ts", may: ["files"] },
  // The second thread, its other end, and where it answers probes.
  { path: "apps/broker/src/control/worker.ts", may: ["processes"] },
  { path: "apps/broker/src/control/control-thread.ts", may: ["processes"] },
  { path: "apps/broker/src/control/health-server.ts", may: ["network"] },
  // The process: its version, a clock for the progress bar, names for files that are written aside.
  { path: "apps/kaasctl/src/process-surroundings.ts", may: ["files", "time", "randomness"] },
  // The brokers of --bootstrap-server, and the files that say how to talk to them.
  { path: "apps/kaasctl/src/client/socket.ts", may: ["network"] },
  { path: "apps/kaasctl/src/client/read-text-file.ts", may: ["files"] },
  // kubectl, by which a pod is reached.
  { path: "apps/kaasctl/src/kubectl/kubectl-process.ts", may: ["processes"] },
  // Looks which volumes are mounted, before there is anything to inject; answers probes.
  { path: "apps/operator/src/process/run.ts", may: ["files"] },
  { path: "apps/operator/src/process/health-server.ts", may: ["network"] },
  // Reads the file of --config, and its own version.
  { path: "apps/broker/src/run.ts", may: ["files"] },
];

function isAllowed(path: string, part: string): boolean {
  return ADAPTERS.some(
    (adapter) =>
      adapter.may.includes(part) &&
      (adapter.path.endsWith("/") ? path.startsWith(adapter.path) : path === adapter.path),
  );
}

/** Uses of time, chance, files, network or processes outside the adapters. Tests may use what they need. */
export function checkDeterminism(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => !isTest(path))
    .flatMap((file) => [...worldlyImports(file), ...worldlyCalls(file)])
    .filter(({ file, part }) => !isAllowed(file, part))
    .map(({ file, line, part, name }) => ({ file, line, message: `${name}: ${part} must come through a port` }));
}

interface Use {
  readonly file: string;
  readonly line: number;
  readonly part: string;
  readonly name: string;
}

function worldlyImports(file: SourceFile): Use[] {
  return importsOf(file)
    .filter(({ typeOnly }) => !typeOnly)
    .flatMap(({ specifier, line }) => {
      const part = MODULES.get(specifier) ?? MODULES.get(`node:${specifier}`);
      return part === undefined ? [] : [{ file: file.path, line, part, name: specifier }];
    });
}

function worldlyCalls({ path, ast }: SourceFile): Use[] {
  const uses: Use[] = [];
  visit(ast, (node) => {
    const name = globalName(ast, node);
    const part = name === "new Date()" ? "time" : name === undefined ? undefined : GLOBALS.get(name);
    if (name !== undefined && part !== undefined) uses.push({ file: path, line: lineOf(ast, node), part, name });
  });
  return uses;
}

/** A global by its full name, called or only mentioned. A date made of a given number is no reading of the clock. */
function globalName(ast: ts.SourceFile, node: ts.Node): string | undefined {
  if (ts.isNewExpression(node)) {
    return node.expression.getText(ast) === "Date" && (node.arguments ?? []).length === 0 ? "new Date()" : undefined;
  }
  if (ts.isPropertyAccessExpression(node)) return node.getText(ast).replace(/^globalThis\./, "");
  return ts.isIdentifier(node) && !isMemberName(node) ? node.text : undefined;
}

/** Whether an identifier names a member of something else, as in `timers.setTimeout` or `{ setTimeout() {} }`. */
function isMemberName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  return (
    (ts.isPropertyAssignment(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isPropertySignature(parent)) &&
    parent.name === node
  );
}
