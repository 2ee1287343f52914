import type * as z from "zod";
import type { ResourceProblem } from "./validate.js";

/** `spec.listeners[0].port`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    const name = String(part);
    if (!/^[\w-]+$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === "" ? name : `${text}.${name}`;
  }, "");
}

/** What an issue of zod means to somebody who wrote YAML. */
export function describeIssue(issue: z.core.$ZodIssue, object: unknown): ResourceProblem[] {
  const path = pathText(issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: pathText([...issue.path, key]), message: "is no field that there is" }));
  }
  return [{ path, message: messageOf(issue, valueAt(object, issue.path)) }];
}

function messageOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return "is missing";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${withArticle(issue.expected)}, not ${typeOf(value)}`;
    case "invalid_value":
      return `must be ${listOf(issue.values.map(String))}, not ${shown(value)}`;
    case "too_small":
      if (issue.inclusive === false) return `must be more than ${Number(issue.minimum)}`;
      return `must ${limit(issue.origin, "least", Number(issue.minimum))}`;
    case "too_big":
      return `must ${limit(issue.origin, "most", Number(issue.maximum))}`;
    case "invalid_format":
      return `${shown(value)} does not match ${"pattern" in issue ? String(issue.pattern) : issue.format}`;
    case "invalid_union":
      return `must be text, a number or true or false, not ${typeOf(value)}`;
    default:
      return issue.message;
  }
}

function limit(origin: string, which: "least" | "most", bound: number): string {
  const nouns: Readonly<Record<string, string>> = { string: "character", array: "element" };
  const noun = nouns[origin];
  return noun === undefined ? `be at ${which} ${bound}` : `have at ${which} ${bound} ${noun}${bound === 1 ? "" : "s"}`;
}

function withArticle(type: string): string {
  const names: Readonly<Record<string, string>> = {
    int: "a whole number",
    number: "a number",
    string: "text",
    boolean: "true or false",
    array: "a list",
    object: "a map",
    record: "a map",
  };
  return names[type] ?? type;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  return typeof value === "string" ? `the text ${JSON.stringify(value)}` : JSON.stringify(value);
}

function shown(value: unknown): string {
  return typeof value === "object" ? typeOf(value) : JSON.stringify(value);
}

function listOf(values: readonly string[]): string {
  return values.length === 1 ? `${values[0]}` : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

function valueAt(object: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined),
    object,
  );
}
