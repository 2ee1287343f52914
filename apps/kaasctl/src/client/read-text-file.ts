import { readFile } from "node:fs/promises";

/** Reads a file that the command line, or what it names, is about: settings, certificates, keys. */
export function readTextFile(path: string): Promise<string> {
  return readFile(path, "utf8");
}
