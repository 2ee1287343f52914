import ts from "typescript";
import type { Finding } from "./finding.js";
import { isTest, lineOf, type SourceFile, visit } from "./source-files.js";

/** Lines of a file that make one think, and that nothing excuses. */
const FILE_LINES_THINK = 400;
const FILE_LINES_MAX = 600;
/** The same of a function: what fits on a screen, and what no screen shows. */
const FUNCTION_LINES_THINK = 60;
const FUNCTION_LINES_MAX = 120;

/** Sizes that were thought about and accepted, by file or `file#function`. They may shrink and never grow. */
export type SizeRatchet = Readonly<Record<string, number>>;

export interface Size {
  /** The file, or `file#function`. */
  readonly key: string;
  readonly file: string;
  readonly line: number;
  readonly lines: number;
  readonly think: number;
  readonly max: number;
}

/** Everything larger than what fits. */
export function measure(files: readonly SourceFile[]): Size[] {
  return files
    .flatMap((file) => [fileSize(file), ...(isTest(file.path) ? [] : functionSizes(file))])
    .filter(({ lines, think }) => lines > think);
}

function fileSize({ path, text }: SourceFile): Size {
  const lines = text.split("\n").length - 1;
  return { key: path, file: path, line: 1, lines, think: FILE_LINES_THINK, max: FILE_LINES_MAX };
}

function functionSizes({ path, ast }: SourceFile): Size[] {
  const sizes: Size[] = [];
  visit(ast, (node) => {
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return;
    const line = lineOf(ast, node);
    const lines = ast.getLineAndCharacterOfPosition(node.end).line + 2 - line;
    const key = `${path}#${functionName(node, ast)}`;
    sizes.push({ key, file: path, line, lines, think: FUNCTION_LINES_THINK, max: FUNCTION_LINES_MAX });
  });
  return sizes;
}

function functionName(node: ts.SignatureDeclaration, ast: ts.SourceFile): string {
  if (node.name !== undefined) return node.name.getText(ast);
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText(ast) : "(anonymous)";
}

/** What is too large, or larger than was accepted. */
export function checkSizes(sizes: readonly Size[], ratchet: SizeRatchet): Finding[] {
  return sizes.flatMap(({ key, file, line, lines, think, max }) => {
    const accepted = ratchet[key];
    if (lines > max) return [{ file, line, message: `${lines} lines; nothing may have more than ${max}` }];
    if (accepted === undefined)
      return [{ file, line, message: `${lines} lines; split it, or accept ${key} (> ${think})` }];
    return lines > accepted ? [{ file, line, message: `grew from ${accepted} to ${lines} lines` }] : [];
  });
}

/** The ratchet one click tighter: entries that shrank are lowered, those that fit now are dropped. */
export function tighten(sizes: readonly Size[], ratchet: SizeRatchet): SizeRatchet {
  const present = new Map(sizes.map(({ key, lines }) => [key, lines]));
  const kept = Object.entries(ratchet).flatMap(([key, accepted]) => {
    const lines = present.get(key);
    return lines === undefined ? [] : [[key, Math.min(lines, accepted)] as const];
  });
  return Object.fromEntries(kept);
}
