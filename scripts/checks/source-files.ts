import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

export interface TextFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface SourceFile extends TextFile {
  readonly ast: ts.SourceFile;
}

/** Files that git tracks or would track, so that what is generated or installed is left out. */
export function listFiles(root: string): TextFile[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  return [...new Set(listed.split("\0"))].flatMap((path) => {
    const text = path === "" ? undefined : readIfThere(join(root, path));
    return text === undefined ? [] : [{ path, text }];
  });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    // Removed from the folder and not yet from the index.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export function parse({ path, text }: TextFile): SourceFile {
  return { path, text, ast: ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true) };
}

export const isTypeScript = (path: string): boolean => /\.c?ts$/.test(path);
/** Tests, and what only tests use. */
export const isTest = (path: string): boolean => path.endsWith(".test.ts") || /(^|\/)(test|testing)\//.test(path);

/** The line of a node, starting at 1. */
export function lineOf(ast: ts.SourceFile, node: ts.Node): number {
  return ast.getLineAndCharacterOfPosition(node.getStart(ast)).line + 1;
}

/** Calls back for every node of a file. */
export function visit(ast: ts.SourceFile, callback: (node: ts.Node) => void): void {
  const walk = (node: ts.Node): void => {
    callback(node);
    ts.forEachChild(node, walk);
  };
  ts.forEachChild(ast, walk);
}
