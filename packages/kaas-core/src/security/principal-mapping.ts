import { createContext, Script } from "node:vm";
import { KaasError } from "../errors/kaas-error.js";

/** Longest subject that rules are tried on. */
const SUBJECT_LENGTH_MAX = 2_048;
/** A pattern that goes astray on a subject is stopped after this. */
const MATCH_MS_MAX = 50;

type Rule =
  | { readonly kind: "default" }
  | {
      readonly kind: "replace";
      readonly pattern: RegExp;
      readonly replacement: string;
      readonly letters: "" | "L" | "U";
    };

/** Makes a user's name of a certificate's subject; undefined when no rule is for it. */
export type PrincipalMapping = (subject: string) => string | undefined;

/** One rule of Kafka's grammar: `RULE:pattern/replacement/[LU]`, in which `\` lets `/` be part of a pattern. */
const RULE = /\s*(?:(DEFAULT)|RULE:((?:\\.|[^\\/])*)\/((?:\\.|[^\\/])*)\/([LU]?))\s*(?:,|$)/y;

/**
 * Reads `ssl.principal.mapping.rules`. The first rule whose pattern is that of the whole subject decides. Patterns are
 * those of JavaScript, which are Java's but for rare constructs.
 *
 * @throws KaasError KAAS_CONFIG_INVALID naming the rule that cannot be read.
 */
export function parsePrincipalMapping(text: string): PrincipalMapping {
  const rules = parseRules(text.trim());
  return (subject) => {
    for (const rule of rules) {
      if (rule.kind === "default") return subject;
      const mapped = apply(rule, subject);
      if (mapped !== undefined) return mapped;
    }
    return undefined;
  };
}

function parseRules(text: string): readonly Rule[] {
  const rules: Rule[] = [];
  RULE.lastIndex = 0;
  while (RULE.lastIndex < text.length) {
    const from = RULE.lastIndex;
    const match = RULE.exec(text);
    if (match === null)
      throw invalid(`cannot be read from "${text.slice(from)}" on; rules are RULE:pattern/replacement/[LU] or DEFAULT`);
    const [, isDefault, pattern = "", replacement = "", letters = ""] = match;
    rules.push(
      isDefault === undefined
        ? {
            kind: "replace",
            pattern: compile(pattern),
            replacement: scriptReplacement(replacement),
            letters: letters as "" | "L" | "U",
          }
        : { kind: "default" },
    );
  }
  return rules.length === 0 ? [{ kind: "default" }] : rules;
}

function compile(pattern: string): RegExp {
  try {
    return new RegExp(`^(?:${pattern})$`, "u");
  } catch (cause) {
    throw invalid(`has the pattern "${pattern}", which is no regular expression: ${(cause as Error).message}`, cause);
  }
}

/** In Java `$n` is a group and `\` takes the meaning from what follows; here `$$` is a dollar sign. */
function scriptReplacement(replacement: string): string {
  return replacement.replace(/\\(.)/gs, (_all, char: string) => (char === "$" ? "$$" : char));
}

function apply({ pattern, replacement, letters }: Rule & { kind: "replace" }, subject: string): string | undefined {
  if (subject.length > SUBJECT_LENGTH_MAX || !matches(pattern, subject)) return undefined;
  const name = subject.replace(pattern, replacement).trim();
  if (letters === "L") return name.toLowerCase();
  return letters === "U" ? name.toUpperCase() : name;
}

/** What a match is run with: V8 stops no other code after a time. */
interface Matching {
  readonly script: Script;
  readonly globals: { pattern: RegExp; subject: string };
}

let matching: Matching | undefined;

/** Made when first needed, once: a context costs milliseconds. */
function theMatching(): Matching {
  matching ??= {
    script: new Script("pattern.test(subject)"),
    globals: createContext({ pattern: /^/, subject: "" }) as Matching["globals"],
  };
  return matching;
}

/** A subject is what somebody else wrote: matching it takes a bounded time, whatever the pattern. */
function matches(pattern: RegExp, subject: string): boolean {
  const { script, globals } = theMatching();
  Object.assign(globals, { pattern, subject });
  try {
    return script.runInContext(globals, { timeout: MATCH_MS_MAX }) === true;
  } catch {
    return false; // stopped: the rule is not for this subject
  }
}

function invalid(why: string, cause?: unknown): KaasError {
  return new KaasError("KAAS_CONFIG_INVALID", `ssl.principal.mapping.rules ${why}`, { cause });
}
