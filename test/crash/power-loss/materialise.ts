// A tree becomes files: in memory, where many are quick to try, or in a directory, for a broker as it is.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { LosingFileSystem } from "../../../packages/kaas-storage/src/testing/losing-file-system.js";
import type { Tree } from "./survivor.js";

/** A file system that has the tree, all of it durable, as `/`. */
export async function inMemory(tree: Tree): Promise<LosingFileSystem> {
  const fileSystem = new LosingFileSystem();
  const make = async (path: string, entries: Tree): Promise<void> => {
    for (const [name, node] of entries) {
      const child = `${path}/${name}`;
      if (node instanceof Map) {
        await fileSystem.makeDirectory(child);
        await make(child, node);
        continue;
      }
      const file = await fileSystem.open(child, "create");
      if (node.length > 0) file.writevSync([node], 0);
      await file.dataSync();
      await file.close();
    }
    await fileSystem.syncDirectory(path);
  };
  await make("", tree);
  return fileSystem;
}

export function inDirectory(path: string, tree: Tree): void {
  mkdirSync(path, { recursive: true });
  for (const [name, node] of tree) {
    if (node instanceof Map) inDirectory(`${path}/${name}`, node);
    else writeFileSync(`${path}/${name}`, node, { mode: 0o600 });
  }
}

/** Where a directory is not what a tree says. */
export function differences(path: string, tree: Tree): string[] {
  const found: string[] = [];
  const entries = new Map(readdirSync(path, { withFileTypes: true }).map((entry) => [entry.name, entry]));
  for (const name of entries.keys()) if (!tree.has(name)) found.push(`${path}/${name} is not known`);
  for (const [name, node] of tree) {
    const entry = entries.get(name);
    const child = `${path}/${name}`;
    if (entry === undefined) found.push(`${child} is missing`);
    else if (node instanceof Map)
      found.push(...(entry.isDirectory() ? differences(child, node) : [`${child} is a file`]));
    else if (entry.isFile() && !readFileSync(child).equals(node)) found.push(`${child} has other bytes`);
  }
  return found;
}
