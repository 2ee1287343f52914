import type { PrimitiveType, VersionRange } from "../schema.js";
import type { FieldLayout, StructLayout } from "./layout.js";
import { primitiveMethod } from "./primitive-methods.js";
import { defaultValue, isArray, isBytes, isNullable, isOptional } from "./types.js";
import { chooseStatement, condition, covers, guarded, isEmpty } from "./version-range.js";

/** A function that writes one struct: a straight line of writes, then the tagged fields that differ from defaults. */
export function generateEncoder(struct: StructLayout): string {
  const body = guarded([
    ...struct.fields.map((field) => ({
      when: condition(field.untagged, struct.versions),
      code: encode(field, struct, field.untagged),
    })),
    { when: condition(struct.flexible, struct.versions), code: encodeTags(struct) },
  ]);
  const uses = (name: string): string => (new RegExp(`\\b${name}\\b`).test(body) ? name : `_${name}`);
  return (
    `export function write${struct.typeName}(writer: Writer, ${uses("message")}: ${struct.typeName}Init, ` +
    `${uses("version")}: number): void {\n${body}}\n\n`
  );
}

/** Statements that write a field, given that the version lies in `known`. */
function encode(field: FieldLayout, struct: StructLayout, known: VersionRange): string {
  if (isEmpty(known)) return "";
  const value = valueOf(field, struct);
  const isSimple = field.schema.kind === "primitive" && covers(field.nullable, known);
  const inline = isSimple || !isNullable(field) ? encodeValue(field, known, value) : "";
  // One mention: no variable is needed.
  if (inline !== "" && inline.split(value).length === 2) return inline;
  return `{\nconst value = ${value};\n${encodeValue(field, known, "value")}}\n`;
}

/** The field's value with its default in place of undefined. */
function valueOf(field: FieldLayout, struct: StructLayout): string {
  const access = `message.${field.name}`;
  if (!isOptional(field, struct)) return access;
  const fallback = isArray(field) && field.schema.default !== null ? "NONE" : defaultValue(field);
  return isNullable(field) && fallback !== "null"
    ? `${access} === undefined ? ${fallback} : ${access}`
    : `${access} ?? ${fallback}`;
}

function encodeValue(field: FieldLayout, known: VersionRange, value: string): string {
  if (field.schema.kind === "primitive") return refuseNull(field, known, value) + writePrimitive(field, known, value);
  return isArray(field) ? encodeArray(field, known, value) : encodeStruct(field, known, value);
}

function encodeStruct(field: FieldLayout, known: VersionRange, value: string): string {
  const write = `write${field.structName}(writer, ${value}, version);\n`;
  if (!isNullable(field)) return write;
  const present = `if (${value} === null) {\nwriter.int8(-1);\n} else {\nwriter.int8(1);\n${write}}\n`;
  return refuseNull(field, known, value) + chooseStatement(condition(field.nullable, known), present, write);
}

function encodeArray(field: FieldLayout, known: VersionRange, value: string): string {
  const writeLength = (length: string): string =>
    chooseStatement(
      condition(field.compact, known),
      `writer.compactArrayLength(${length});\n`,
      `writer.arrayLength(${length});\n`,
    );
  const writeItem =
    field.structName === undefined
      ? writePrimitive(field, known, "item")
      : `write${field.structName}(writer, item, version);\n`;
  const items = `${writeLength(`${value}.length`)}for (const item of ${value}) {\n${writeItem}}\n`;
  if (isEmpty(field.nullable)) return items;
  return `${refuseNull(field, known, value)}if (${value} === null) {\n${writeLength("-1")}} else {\n${items}}\n`;
}

/** Where only some versions allow null, the others must fail loudly rather than write an unreadable message. */
function refuseNull(field: FieldLayout, known: VersionRange, value: string): string {
  if (!isNullable(field) || covers(field.nullable, known)) return "";
  const allowed = condition(field.nullable, known);
  const refused = allowed === "false" ? `${value} === null` : `${value} === null && !(${allowed})`;
  return `if (${refused}) throw nullNotAllowed("${field.name}", version);\n`;
}

function writePrimitive(field: FieldLayout, known: VersionRange, value: string): string {
  const type = field.schema.type as PrimitiveType;
  const isNullablePrimitive = field.schema.kind === "primitive" && isNullable(field);
  const call = (isCompact: boolean): string =>
    `writer.${primitiveMethod(type, isCompact, isNullablePrimitive)}(${value});\n`;
  return chooseStatement(condition(field.compact, known), call(true), call(false));
}

function encodeTags(struct: StructLayout): string {
  const tagged = struct.fields
    .filter((field) => !isEmpty(field.tagged))
    .sort((a, b) => (a.schema.tag as number) - (b.schema.tag as number));
  if (tagged.length === 0) return "writer.unsignedVarint(0);\n";
  let count = "let tagCount = 0;\n";
  let writes = "";
  for (const field of tagged) {
    const isKnown = condition(field.tagged, struct.flexible);
    const isPresent = isKnown === "true" ? differs(field) : `${isKnown} && ${differs(field)}`;
    const variable = `has${field.name.charAt(0).toUpperCase()}${field.name.slice(1)}`;
    count += `const ${variable} = ${isPresent};\nif (${variable}) tagCount++;\n`;
    writes +=
      `if (${variable}) {\nconst mark = writer.beginTag(${field.schema.tag});\n` +
      `${encodeTagged(field, struct)}writer.endTag(mark);\n}\n`;
  }
  return `${count}writer.unsignedVarint(tagCount);\n${writes}`;
}

/** Inside its tag a struct that is only null by absence is there for certain. */
function encodeTagged(field: FieldLayout, struct: StructLayout): string {
  if (field.schema.kind !== "struct" || !isEmpty(field.nullable)) return encode(field, struct, field.tagged);
  return (
    `const value = ${valueOf(field, struct)};\n` +
    `if (value !== null) write${field.structName}(writer, value, version);\n`
  );
}

/** An expression that is true when a tagged field must be sent. */
function differs(field: FieldLayout): string {
  const access = `message.${field.name}`;
  const fallback = defaultValue(field);
  if (fallback === "null") return `(${access} ?? null) !== null`;
  if (isArray(field)) return `(${access} ?? NONE).length > 0`;
  if (isBytes(field)) return `recordsSize(${access} ?? EMPTY) > 0`;
  return `(${access} ?? ${fallback}) !== ${fallback}`;
}
