import type { ConfigDefinition, ConfigType, ConfigValue } from "./config-definition.js";

/** A value, or what is wrong with its text. */
export type ParsedConfig = { readonly value: ConfigValue } | { readonly problem: string };

const integerRange: Readonly<Partial<Record<ConfigType, readonly [bigint, bigint]>>> = {
  short: [-(2n ** 15n), 2n ** 15n - 1n],
  int: [-(2n ** 31n), 2n ** 31n - 1n],
  long: [-(2n ** 63n), 2n ** 63n - 1n],
};

/** Reads a configuration value from its text, by the rules of Java's ConfigDef; messages are worded as Kafka's. */
export function parseConfigValue(definition: ConfigDefinition, text: string): ParsedConfig {
  const parsed = parseType(definition.type, text.trim());
  if ("problem" in parsed) return invalid(definition, text, parsed.problem);
  const problem = definition.rule?.problem(parsed.value);
  return problem === undefined ? parsed : invalid(definition, text, problem);
}

/** The text that a value is described by, as Java writes it: `7` for ` +7 `. What cannot be read stays as it is. */
export function canonicalText(type: ConfigType, text: string): string {
  const parsed = parseType(type, text.trim());
  if ("problem" in parsed) return text;
  switch (type) {
    case "int":
    case "short":
    case "long":
      return BigInt(text.trim().replace(/^\+/, "")).toString();
    case "double":
      return javaDouble(parsed.value as number);
    case "list":
      return (parsed.value as readonly string[]).join(",");
    default:
      return String(parsed.value);
  }
}

/** Java writes a double with a fraction always, and with an exponent below 10^-3 and from 10^7. */
function javaDouble(value: number): string {
  const size = Math.abs(value);
  const [mantissa = "", exponent] =
    size !== 0 && (size < 1e-3 || size >= 1e7) ? value.toExponential().split("e") : [`${value}`];
  const decimal = mantissa.includes(".") ? mantissa : `${mantissa}.0`;
  return exponent === undefined ? decimal : `${decimal}E${Number(exponent)}`;
}

/** Why a value, though valid in Kafka, is not taken: kaas would not do what it asks. */
export function refusal(definition: ConfigDefinition, value: ConfigValue): string | undefined {
  if (definition.standing !== "refused" || String(value) === (definition.defaultValue ?? "")) return undefined;
  return `${definition.name}=${String(value)} is not supported by kaas: ${definition.documentation}`;
}

/** Items of a list value; none for the empty text. */
export function splitList(text: string): readonly string[] {
  const trimmed = text.trim();
  return trimmed === "" ? [] : trimmed.split(/\s*,\s*/);
}

function parseType(type: ConfigType, text: string): ParsedConfig {
  switch (type) {
    case "boolean":
      return parseBoolean(text);
    case "int":
    case "short":
    case "long":
      return parseInteger(type, text);
    case "double":
      return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?[df]?$/i.test(text)
        ? { value: Number.parseFloat(text) }
        : { problem: "Not a number of type DOUBLE" };
    case "list":
      return { value: splitList(text) };
    case "string":
    case "class":
    case "password":
      return { value: text };
  }
}

function parseBoolean(text: string): ParsedConfig {
  const word = text.toLowerCase();
  if (word === "true") return { value: true };
  if (word === "false") return { value: false };
  return { problem: "Expected value to be either true or false" };
}

function parseInteger(type: "int" | "short" | "long", text: string): ParsedConfig {
  const problem = `Not a number of type ${type.toUpperCase()}`;
  if (!/^[-+]?\d{1,19}$/.test(text)) return { problem };
  const number = BigInt(text.startsWith("+") ? text.slice(1) : text);
  const [min, max] = integerRange[type] as readonly [bigint, bigint];
  return number < min || number > max ? { problem } : { value: Number(number) };
}

function invalid(definition: ConfigDefinition, text: string, problem: string): ParsedConfig {
  const shown = definition.type === "password" ? "[hidden]" : text;
  return { problem: `Invalid value ${shown} for configuration ${definition.name}: ${problem}` };
}
