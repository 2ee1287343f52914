/** A property, and the line of the file on which it begins. */
export interface Property {
  readonly name: string;
  readonly value: string;
  readonly line: number;
}

/** A file that is not of Java's properties format. */
export class PropertiesError extends Error {}

const ESCAPES: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", f: "\f" };

/**
 * Reads Java's properties format: `name=value`, `name: value` or `name value` on a line, `#` and `!` before comments,
 * a backslash at the end of a line that goes on, and escapes, `\u` and four digits among them.
 *
 * @throws PropertiesError naming the line of a malformed escape.
 */
export function parseProperties(text: string): readonly Property[] {
  const properties: Property[] = [];
  for (const { content, line } of logicalLines(text)) {
    // The name ends at the first separator that no backslash stands before.
    const [, name = "", value = ""] = /^((?:\\.|[^\\=:\s])*)\s*[=:]?\s*(.*)$/su.exec(content) ?? [];
    properties.push({ name: unescape(name, line), value: unescape(value, line), line });
  }
  return properties;
}

/** Lines without comments and blank ones, those that a backslash continues put together. */
function logicalLines(text: string): { content: string; line: number }[] {
  const lines: { content: string; line: number }[] = [];
  let unfinished: { content: string; line: number } | undefined;
  for (const [index, natural] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\r|\n/)
    .entries()) {
    const part = natural.replace(/^[ \t\f]+/, "");
    if (unfinished === undefined && (part === "" || /^[#!]/.test(part))) continue;
    const current = unfinished ?? { content: "", line: index + 1 };
    const isContinued = /(?<!\\)(?:\\\\)*\\$/.test(part);
    current.content += isContinued ? part.slice(0, -1) : part;
    unfinished = isContinued ? current : undefined;
    if (!isContinued) lines.push(current);
  }
  if (unfinished !== undefined) lines.push(unfinished);
  return lines;
}

function unescape(text: string, line: number): string {
  return text.replaceAll(/\\u([0-9a-fA-F]{0,4})|\\(.)/gsu, (_, digits: string | undefined, character: string) => {
    if (digits === undefined) return ESCAPES[character] ?? character;
    if (digits.length < 4) throw new PropertiesError(`line ${line}: \\u needs four hexadecimal digits`);
    return String.fromCharCode(Number.parseInt(digits, 16));
  });
}
