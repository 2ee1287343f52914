import type { PrimitiveType } from "../schema.js";
import { primitiveMethod, untaggedCondition } from "./decoders.js";
import { condition, type FieldLayout, guarded, isEmpty, type StructLayout } from "./layout.js";
import { defaultValue, isNullable, isOptional } from "./types.js";

/** A function that writes one struct: a straight line of writes, then the tagged fields that differ from defaults. */
export function generateEncoder(struct: StructLayout): string {
  const { flexible } = struct.message;
  const valid = struct.context;
  const body = struct.fields
    .map((field) => guarded(untaggedCondition(field, struct), encodeField(field, struct)))
    .join("");
  const tags = guarded(condition(flexible, valid), encodeTags(struct));
  const usesVersion = /\bversion\b/.test(body + tags);
  const usesMessage = /\bmessage\b/.test(body + tags);
  return (
    `export function write${struct.typeName}(writer: Writer, ${usesMessage ? "message" : "_message"}: ${struct.typeName}Init, ` +
    `${usesVersion ? "version" : "_version"}: number): void {\n${body}${tags}}\n\n`
  );
}

/** The field's value with its default in place of undefined. */
function valueOf(field: FieldLayout, struct: StructLayout): string {
  if (!isOptional(field, struct)) return `message.${field.schema.name}`;
  const access = `message.${field.schema.name}`;
  const fallback =
    field.schema.kind === "primitives" || field.schema.kind === "structs" ? emptyArray(field) : defaultValue(field);
  return isNullable(field) && fallback !== "null"
    ? `${access} === undefined ? ${fallback} : ${access}`
    : `${access} ?? ${fallback}`;
}

function emptyArray(field: FieldLayout): string {
  return field.schema.default === null ? "null" : "NONE";
}

function encodeField(field: FieldLayout, struct: StructLayout): string {
  const statements = `const value = ${valueOf(field, struct)};\n${encodeValue(field, struct)}`;
  return `{\n${statements}}\n`;
}

function encodeValue(field: FieldLayout, struct: StructLayout): string {
  const { kind } = field.schema;
  const valid = struct.context;
  if (kind === "primitive") return writePrimitive(field, struct);
  const nullable = condition(field.nullable, valid);
  if (kind === "struct") return encodeStruct(field, nullable);
  return encodeArray(field, struct, nullable);
}

function encodeStruct(field: FieldLayout, nullable: string): string {
  const name = field.struct?.typeName;
  if (nullable === "false") {
    const value = isNullable(field) ? `value ?? default${name}()` : "value";
    return `write${name}(writer, ${value}, version);\n`;
  }
  const present = `else {\nwriter.int8(1);\nwrite${name}(writer, value, version);\n}\n`;
  return `${refuseNull(field, nullable)}if (value === null) writer.int8(-1);\n${present}`;
}

function encodeArray(field: FieldLayout, struct: StructLayout, nullable: string): string {
  const compact = condition(field.flexible, struct.context);
  const length = (size: string): string =>
    compact === "true"
      ? `writer.compactArrayLength(${size});\n`
      : compact === "false"
        ? `writer.arrayLength(${size});\n`
        : `if (${compact}) writer.compactArrayLength(${size});\nelse writer.arrayLength(${size});\n`;
  const element =
    field.struct === undefined
      ? writePrimitive(field, struct).replaceAll("value", "item")
      : `write${field.struct.typeName}(writer, item, version);\n`;
  const items = `${length("value.length")}for (const item of value) {\n${element}}\n`;
  if (!isNullable(field)) return items;
  return `${refuseNull(field, nullable)}if (value === null) {\n${length("-1")}} else {\n${items}}\n`;
}

/** Where only some versions allow null, the others must fail loudly rather than write an unreadable message. */
function refuseNull(field: FieldLayout, nullable: string): string {
  if (nullable === "true" || !isNullable(field)) return "";
  const allowed = nullable === "false" ? "" : ` && !(${nullable})`;
  return `if (value === null${allowed}) throw nullNotAllowed("${field.schema.name}", version);\n`;
}

function writePrimitive(field: FieldLayout, struct: StructLayout): string {
  const type = field.schema.type as PrimitiveType;
  const valid = struct.context;
  const compact = condition(field.flexible, valid);
  const isPlain = field.schema.kind === "primitive";
  const nullable = isPlain && isNullable(field);
  const call = (isCompact: boolean): string => `writer.${primitiveMethod(type, isCompact, nullable)}(value);\n`;
  const refuse = nullable ? refuseNull(field, condition(field.nullable, valid)) : "";
  if (compact === "true" || call(true) === call(false)) return refuse + call(true);
  if (compact === "false") return refuse + call(false);
  return `${refuse}if (${compact}) ${call(true)}else ${call(false)}`;
}

function encodeTags(struct: StructLayout): string {
  const valid = struct.context;
  const tagged = struct.fields
    .filter((field) => !isEmpty(field.tagged))
    .sort((a, b) => (a.schema.tag as number) - (b.schema.tag as number));
  if (tagged.length === 0) return "writer.unsignedVarint(0);\n";
  let count = "let tagCount = 0;\n";
  let writes = "";
  for (const field of tagged) {
    const cond = condition(field.tagged, valid);
    const present = cond === "true" ? differs(field) : `${cond} && ${differs(field)}`;
    const variable = `has${field.schema.name}`;
    count += `const ${variable} = ${present};\nif (${variable}) tagCount++;\n`;
    writes +=
      `if (${variable}) {\nconst mark = writer.beginTag(${field.schema.tag});\n` +
      `const value = ${valueOf(field, struct)};\n${taggedValue(field, struct)}writer.endTag(mark);\n}\n`;
  }
  return `${count}writer.unsignedVarint(tagCount);\n${writes}`;
}

/** Inside its tag a struct that is only null by absence is there for certain. */
function taggedValue(field: FieldLayout, struct: StructLayout): string {
  if (field.schema.kind === "struct" && isEmpty(field.nullable)) {
    return `if (value !== null) write${field.struct?.typeName}(writer, value, version);\n`;
  }
  return encodeValue(field, struct);
}

/** An expression that is true when a tagged field must be sent. */
function differs(field: FieldLayout): string {
  const access = `message.${field.schema.name}`;
  const { kind, type } = field.schema;
  const fallback = defaultValue(field);
  if (kind === "primitives" || kind === "structs") {
    return fallback === "null" ? `(${access} ?? null) !== null` : `(${access} ?? NONE).length > 0`;
  }
  if (fallback === "null") return `(${access} ?? null) !== null`;
  if (type === "bytes" || type === "records") return `recordsSize(${access} ?? EMPTY) > 0`;
  return `(${access} ?? ${fallback}) !== ${fallback}`;
}
