import type { PrimitiveType, VersionRange } from "../schema.js";
import type { FieldLayout, StructLayout } from "./layout.js";
import { primitiveMethod } from "./primitive-methods.js";
import { defaultValue, elementType, isArray } from "./types.js";
import {
  choose,
  chooseStatement,
  condition,
  guarded,
  intersect,
  isEmpty,
  NO_VERSIONS,
  without,
} from "./version-range.js";

/** A function that reads one struct: an object of all defaults, then a straight line of assignments. */
export function generateDecoder(struct: StructLayout): string {
  const body = guarded([
    ...struct.fields.map((field) => ({
      when: condition(field.untagged, struct.versions),
      code: assign(field, field.untagged),
    })),
    { when: condition(struct.flexible, struct.versions), code: decodeTags(struct) },
  ]);
  const version = /\bversion\b/.test(body) ? "version" : "_version";
  return (
    `export function read${struct.typeName}(reader: Reader, ${version}: number): ${struct.typeName} {\n` +
    `const message: ${struct.typeName} = {\n${defaults(struct)}};\n${body}return message;\n}\n\n`
  );
}

/** A function that makes a struct with every field at its default. */
export function generateDefault(struct: StructLayout): string {
  return `function default${struct.typeName}(): ${struct.typeName} {\nreturn {\n${defaults(struct)}};\n}\n\n`;
}

function defaults(struct: StructLayout): string {
  return struct.fields.map((field) => `${field.name}: ${defaultValue(field)},\n`).join("");
}

/** Statements that read a field, given that the version lies in `known`. */
function assign(field: FieldLayout, known: VersionRange): string {
  if (isEmpty(known)) return "";
  if (isArray(field)) return assignArray(field, known);
  const target = `message.${field.name}`;
  if (field.structName === undefined) return `${target} = ${readPrimitive(field, known, field.nullable)};\n`;
  const read = `read${field.structName}(reader, version)`;
  return chooseStatement(
    condition(field.nullable, known),
    `${target} = reader.structPresent() ? ${read} : null;\n`,
    `${target} = ${read};\n`,
  );
}

function assignArray(field: FieldLayout, known: VersionRange): string {
  const size = field.elementSizeMin;
  const length = choose(
    condition(field.compact, known),
    `reader.compactArrayLength(${size})`,
    `reader.arrayLength(${size})`,
  );
  const nullable = condition(field.nullable, known);
  const checked = choose(nullable, length, `reader.required(${length})`);
  const element =
    field.structName === undefined
      ? readPrimitive(field, known, NO_VERSIONS)
      : `read${field.structName}(reader, version)`;
  const items =
    `const items: ${elementType(field)}[] = [];\n` +
    `for (let index = 0; index < length; index++) items.push(${element});\n` +
    `message.${field.name} = items;\n`;
  const body = nullable === "false" ? items : `if (length < 0) {\nmessage.${field.name} = null;\n} else {\n${items}}\n`;
  return `{\nconst length = ${checked};\n${body}}\n`;
}

function readPrimitive(field: FieldLayout, known: VersionRange, nullable: VersionRange): string {
  const type = field.schema.type as PrimitiveType;
  const read = (isCompact: boolean, versions: VersionRange): string =>
    choose(
      condition(nullable, versions),
      `reader.${primitiveMethod(type, isCompact, true)}()`,
      `reader.${primitiveMethod(type, isCompact, false)}()`,
    );
  const compact = intersect(field.compact, known);
  return choose(condition(compact, known), read(true, compact), read(false, without(known, compact) ?? known));
}

function decodeTags(struct: StructLayout): string {
  const tagged = struct.fields.filter((field) => !isEmpty(field.tagged));
  if (tagged.length === 0) return "reader.skipTags();\n";
  const cases = tagged.map((field) => {
    const isKnown = condition(field.tagged, struct.flexible);
    const unless = isKnown === "true" ? "" : `if (!(${isKnown})) {\nreader.skip(size);\nbreak;\n}\n`;
    return (
      `case ${field.schema.tag}: {\n${unless}const end = reader.enterTag(size);\n` +
      `${assign(field, field.tagged)}reader.leaveTag(end);\nbreak;\n}\n`
    );
  });
  return (
    "for (let count = reader.unsignedVarint(); count > 0; count--) {\n" +
    "const tag = reader.unsignedVarint();\nconst size = reader.unsignedVarint();\n" +
    `switch (tag) {\n${cases.join("")}default:\nreader.skip(size);\n}\n}\n`
  );
}
