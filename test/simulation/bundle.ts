import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "vite";
import type { Mutation } from "./mutations.js";
import type { simulate } from "./simulate.js";

const root: string = fileURLToPath(new URL("../..", import.meta.url));
const storage: string = "packages/kaas-storage/src/";

/** What a bundle of the simulation and the code under test exports. */
export interface Simulation {
  readonly simulate: typeof simulate;
}

/** Brokers on disks and file servers, and somebody who decides at random who leads what. */
const ENTRY = "simulate.ts";

/**
 * Bundles the sources, with a guard taken out of them if so wanted, and loads the bundle.
 *
 * @param entry the world to be simulated: what exports `simulate`
 */
export async function loadSimulation(mutation?: Mutation, entry: string = ENTRY): Promise<Simulation> {
  const name = basename(entry, ".ts");
  const outDir = join(
    root,
    "node_modules/.cache/kaas-simulation",
    `${process.pid}-${name}-${mutation?.name ?? "sound"}`,
  );
  mkdirSync(outDir, { recursive: true });
  await build({
    root,
    configFile: false,
    logLevel: "error",
    plugins: mutation === undefined ? [] : [mutating(mutation)],
    resolve: {
      alias: [
        { find: "@kaas/core/internal", replacement: join(root, "packages/kaas-core/src/internal.ts") },
        { find: "@kaas/core", replacement: join(root, "packages/kaas-core/src/index.ts") },
        { find: "@kaas/k8s", replacement: join(root, "packages/kaas-k8s/src/index.ts") },
        { find: "@kaas/storage", replacement: join(root, storage, "index.ts") },
      ],
    },
    build: {
      ssr: join(root, "test/simulation", entry),
      outDir,
      minify: false,
      target: "node20",
      // A module that is loaded later would be loaded from a real disk, in real time.
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  try {
    return (await import(pathToFileURL(join(outDir, `${name}.js`)).href)) as Simulation;
  } finally {
    rmSync(outDir, { recursive: true });
  }
}

/** Throws unless each text that a mutation replaces is there, once. */
export function mutated(mutation: Mutation, text: string): string {
  let changed = text;
  for (const { find, replace } of mutation.edits) {
    if (changed.split(find).length !== 2) {
      throw new Error(`${mutation.name}: this does not occur once in ${mutation.file}:\n${find}`);
    }
    changed = changed.replace(find, () => replace);
  }
  return changed;
}

export function sourceOf(mutation: Mutation): string {
  return readFileSync(join(root, storage, mutation.file), "utf8");
}

function mutating(mutation: Mutation): Plugin {
  const changed = mutated(mutation, sourceOf(mutation));
  return {
    name: "take-a-guard-out",
    enforce: "pre",
    load: (id) => (id === join(root, storage, mutation.file) ? changed : undefined),
  };
}
