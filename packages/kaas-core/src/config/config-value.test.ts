import { describe, expect, test } from "vitest";
import { atLeast, between, type ConfigDefinition, type ConfigType, listOf, oneOf } from "./config-definition.js";
import { canonicalText, parseConfigValue, refusal } from "./config-value.js";

function definition(type: ConfigType, rest: Partial<ConfigDefinition> = {}): ConfigDefinition {
  return { name: "x", type, defaultValue: null, standing: "honoured", documentation: "", ...rest };
}

function parse(type: ConfigType, text: string, rest: Partial<ConfigDefinition> = {}): unknown {
  const parsed = parseConfigValue(definition(type, rest), text);
  return "problem" in parsed ? parsed.problem : parsed.value;
}

describe("values by type", () => {
  test.each<[ConfigType, string, unknown]>([
    ["boolean", " TRUE ", true],
    ["boolean", "False", false],
    ["int", "+5", 5],
    ["int", "-2147483648", -2147483648],
    ["short", "32767", 32767],
    ["long", "9223372036854775807", 2 ** 63],
    ["double", "1.5e3", 1500],
    ["double", ".5", 0.5],
    ["double", "1.7976931348623157E308", Number.MAX_VALUE],
    ["list", " a , b,c ", ["a", "b", "c"]],
    ["list", "  ", []],
    ["string", " text ", "text"],
  ])("%s %j is %j", (type, text, value) => {
    expect(parse(type, text)).toEqual(value);
  });

  test.each<[ConfigType, string, string]>([
    ["boolean", "yes", "Expected value to be either true or false"],
    ["int", "2147483648", "Not a number of type INT"],
    ["int", "1.0", "Not a number of type INT"],
    ["int", "", "Not a number of type INT"],
    ["short", "32768", "Not a number of type SHORT"],
    ["long", "9223372036854775808", "Not a number of type LONG"],
    ["long", "0x10", "Not a number of type LONG"],
    ["double", "half", "Not a number of type DOUBLE"],
  ])("%s %j is refused: %s", (type, text, problem) => {
    expect(parse(type, text)).toBe(`Invalid value ${text} for configuration x: ${problem}`);
  });

  test("a password is never shown", () => {
    const rule = { text: "", problem: () => "too short" };
    expect(parse("password", "secret", { rule })).toBe("Invalid value [hidden] for configuration x: too short");
  });
});

describe("rules", () => {
  test("bounds are inclusive", () => {
    expect(parse("int", "1", { rule: atLeast(1) })).toBe(1);
    expect(parse("int", "0", { rule: atLeast(1) })).toMatch(/Value must be at least 1$/);
    expect(parse("double", "1", { rule: between(0, 1) })).toBe(1);
    expect(parse("double", "1.01", { rule: between(0, 1) })).toMatch(/Value must be no more than 1$/);
    expect(parse("double", "-0.1", { rule: between(0, 1) })).toMatch(/Value must be at least 0$/);
  });

  test("words and lists of words", () => {
    expect(parse("string", "b", { rule: oneOf("a", "b") })).toBe("b");
    expect(parse("string", "c", { rule: oneOf("a", "b") })).toMatch(/String must be one of: a, b$/);
    expect(parse("list", "b,a", { rule: listOf("a", "b") })).toEqual(["b", "a"]);
    expect(parse("list", "", { rule: listOf("a", "b") })).toEqual([]);
    expect(parse("list", "a,c", { rule: listOf("a", "b") })).toMatch(/String must be one of: a, b$/);
    expect(parse("list", "a,,b", { rule: listOf("a", "b") })).toMatch(/String must be one of: a, b$/);
    expect(parse("list", "a,a", { rule: listOf("a", "b") })).toEqual(["a", "a"]);
  });
});

describe("values that kaas cannot honour", () => {
  const refused = definition("boolean", { standing: "refused", defaultValue: "false", documentation: "Not here." });

  test("only the default is taken", () => {
    expect(refusal(refused, false)).toBeUndefined();
    expect(refusal(refused, true)).toBe("x=true is not supported by kaas: Not here.");
  });

  test("no value is the default of a class", () => {
    expect(refusal(definition("class", { standing: "refused" }), "")).toBeUndefined();
    expect(refusal(definition("class", { standing: "refused" }), "a.B")).toMatch(/not supported/);
  });

  test("what is honoured or accepted takes every value", () => {
    expect(refusal(definition("boolean", { defaultValue: "false" }), true)).toBeUndefined();
  });
});

test.each<[ConfigType, string, string]>([
  ["boolean", " TRUE", "true"],
  ["int", " +07 ", "7"],
  ["long", "9223372036854775807", "9223372036854775807"],
  ["long", "-1", "-1"],
  ["double", ".5", "0.5"],
  ["double", "1", "1.0"],
  ["double", "0.00025", "2.5E-4"],
  ["double", "1e7", "1.0E7"],
  ["list", " a , b", "a,b"],
  ["string", " text ", "text"],
  ["int", "unreadable ", "unreadable "],
])("%s %j is described as %j", (type, text, described) => {
  expect(canonicalText(type, text)).toBe(described);
});
