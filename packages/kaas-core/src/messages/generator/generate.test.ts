import { describe, expect, test } from "vitest";
import { data, field, list, struct, structs } from "../schema.js";
import { generateSource } from "./generate.js";

const source = generateSource([
  data("Sample", "0-5", "3+", [
    field("id", "int32", "0+"),
    field("name", "string", "2+", { nullable: "4+" }),
    list("codes", "int16", "0+"),
    structs("items", "Item", "1+", [field("size", "int64", "1+", { default: -1 })], { nullable: "1+", default: null }),
    struct("place", "Place", "5+", [field("host", "string", "5+")]),
    field("note", "string", "3+", { tag: 1, default: "none" }),
    field("bytes", "bytes", "3+", { tag: 0 }),
  ]),
]);

/** One top-level declaration of the generated source. */
function declaration(start: string): string {
  const at = source.indexOf(start);
  return at < 0 ? "" : source.slice(at, source.indexOf("\n}\n", at) + 2);
}

describe("types", () => {
  test("what is decoded has every field, what is encoded only what must be said", () => {
    expect(declaration("export interface Sample {")).toBe(
      [
        "export interface Sample {",
        "  id: number;",
        "  name: string | null;",
        "  codes: number[];",
        "  items: SampleItem[] | null;",
        "  place: SamplePlace;",
        "  note: string;",
        "  bytes: Buffer;",
        "}",
      ].join("\n"),
    );
    expect(declaration("export interface SampleInit {")).toBe(
      [
        "export interface SampleInit {",
        "  readonly id: number;",
        "  readonly name?: string | null | undefined;",
        "  readonly codes: readonly number[];",
        "  readonly items?: readonly SampleItemInit[] | null | undefined;",
        "  readonly place?: SamplePlaceInit | undefined;",
        "  readonly note?: string | undefined;",
        "  readonly bytes?: Records | undefined;",
        "}",
      ].join("\n"),
    );
  });
});

describe("code", () => {
  test("decoders ask for the version only where versions differ", () => {
    const decoder = declaration("export function readSample(");
    expect(decoder).toContain("  message.id = reader.int32();\n");
    expect(decoder).toContain(
      "message.name = version >= 3 ? version >= 4 ? reader.compactNullableString() : reader.compactString() : reader.string();",
    );
    expect(decoder).toContain("reader.required(version >= 3 ? reader.compactArrayLength(2) : reader.arrayLength(2))");
    expect(declaration("export function readSamplePlace(")).toContain("message.host = reader.compactString();");
    expect(declaration("export function readSampleItem(")).toContain("message.size = reader.int64();");
  });

  test("encoders refuse null where a version has none", () => {
    expect(declaration("export function writeSample(")).toContain(
      'if (value === null && !(version >= 4)) throw nullNotAllowed("name", version);',
    );
  });

  test("encoders write tagged fields in the order of their tags, where they are not at their defaults", () => {
    const encoder = declaration("export function writeSample(");
    expect(encoder).toContain("const hasBytes = recordsSize(message.bytes ?? EMPTY) > 0;");
    expect(encoder).toContain('const hasNote = (message.note ?? "none") !== "none";');
    expect(encoder.indexOf("writer.beginTag(0)")).toBeLessThan(encoder.indexOf("writer.beginTag(1)"));
  });

  test("structs have a default only where a version may lack them", () => {
    expect(source).toContain("function defaultSamplePlace(): SamplePlace {");
    expect(source).not.toContain("defaultSampleItem");
  });

  test("imports are what is used", () => {
    const imports = source.split("\n").filter((line) => line.startsWith("import "));
    expect(imports).toEqual([
      'import type { Reader } from "../../wire/reader.js";',
      'import { type Records, recordsSize, type Writer } from "../../wire/writer.js";',
      'import { EMPTY, nullNotAllowed } from "../absent.js";',
    ]);
  });
});
