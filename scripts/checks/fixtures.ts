import { parse, type SourceFile } from "./source-files.js";

/** A source file made of some lines, for the tests of the checks. */
export function sourceFile(path: string, ...lines: string[]): SourceFile {
  return parse({ path, text: `${lines.join("\n")}\n` });
}
