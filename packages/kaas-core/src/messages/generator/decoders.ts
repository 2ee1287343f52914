import { includesVersion, type PrimitiveType } from "../schema.js";
import { choose, condition, type FieldLayout, guarded, isEmpty, type StructLayout } from "./layout.js";
import { defaultValue } from "./types.js";

/** A function that reads one struct: an object of all defaults, then a straight line of assignments. */
export function generateDecoder(struct: StructLayout): string {
  const { flexible } = struct.message;
  const valid = struct.context;
  const defaults = struct.fields.map((field) => `    ${field.schema.name}: ${defaultValue(field)},\n`).join("");
  const body = struct.fields.map((field) => decodeField(field, struct)).join("");
  const tags = guarded(condition(flexible, valid), decodeTags(struct));
  const usesVersion = /\bversion\b/.test(body + tags);
  return (
    `export function read${struct.typeName}(reader: Reader, ${usesVersion ? "version" : "_version"}: number): ${struct.typeName} {\n` +
    `  const message: ${struct.typeName} = {\n${defaults}  };\n${body}${tags}  return message;\n}\n\n`
  );
}

/** A struct with every field at its default; only where a struct field that may be absent needs one. */
export function generateDefault(struct: StructLayout): string {
  const defaults = struct.fields.map((field) => `    ${field.schema.name}: ${defaultValue(field)},\n`).join("");
  return `function default${struct.typeName}(): ${struct.typeName} {\n  return {\n${defaults}  };\n}\n\n`;
}

function decodeField(field: FieldLayout, struct: StructLayout): string {
  const untagged = untaggedCondition(field, struct);
  return guarded(untagged, assign(field, struct));
}

/** When the field travels in the body of the struct rather than among its tags. */
export function untaggedCondition(field: FieldLayout, struct: StructLayout): string {
  const valid = struct.context;
  if (isEmpty(field.tagged)) return condition(field.versions, valid);
  const versions: number[] = [];
  for (let version = valid.first; version <= valid.last; version++) {
    if (includesVersion(field.versions, version) && !includesVersion(field.tagged, version)) versions.push(version);
  }
  if (versions.length === 0) return "false";
  return condition({ first: versions[0] as number, last: versions[versions.length - 1] as number }, valid);
}

function assign(field: FieldLayout, struct: StructLayout): string {
  const { kind, name } = field.schema;
  const valid = struct.context;
  const target = `message.${name}`;
  if (kind === "primitive") return `${target} = ${readPrimitive(field, struct)};\n`;
  const nullable = condition(field.nullable, valid);
  if (kind === "struct") {
    const read = `${target} = read${field.struct?.typeName}(reader, version);\n`;
    if (nullable === "false") return read;
    const readNullable = `${target} = reader.structPresent() ? read${field.struct?.typeName}(reader, version) : null;\n`;
    return nullable === "true" ? readNullable : `if (${nullable}) ${readNullable}else ${read}`;
  }
  return readArray(field, struct, nullable);
}

function readArray(field: FieldLayout, struct: StructLayout, nullable: string): string {
  const { name } = field.schema;
  const compact = condition(field.flexible, struct.context);
  const size = field.elementSizeMin;
  const raw = choose(compact, `reader.compactArrayLength(${size})`, `reader.arrayLength(${size})`);
  const length =
    nullable === "true"
      ? raw
      : nullable === "false"
        ? `reader.required(${raw})`
        : choose(nullable, raw, `reader.required(${raw})`);
  const element =
    field.struct === undefined ? readPrimitive(field, struct) : `read${field.struct.typeName}(reader, version)`;
  const isNull = nullable === "false" ? "" : `if (length < 0) message.${name} = null;\nelse {\n`;
  return (
    `{\nconst length = ${length};\n${isNull}` +
    `const items: NonNullable<typeof message.${name}> = [];\n` +
    `for (let index = 0; index < length; index++) items.push(${element});\n` +
    `message.${name} = items;\n${isNull === "" ? "" : "}\n"}}\n`
  );
}

const VARIABLE: Partial<Record<PrimitiveType, string>> = { string: "String", bytes: "Bytes", records: "Bytes" };

/** The reader's method for a primitive, chosen by compactness and nullability. */
export function primitiveMethod(type: PrimitiveType, compact: boolean, nullable: boolean): string {
  const suffix = VARIABLE[type];
  if (suffix === undefined) return type;
  const prefix = (compact ? "compact" : "") + (nullable ? (compact ? "Nullable" : "nullable") : "");
  return prefix === "" ? suffix.toLowerCase() : prefix + suffix;
}

function readPrimitive(field: FieldLayout, struct: StructLayout): string {
  const type = field.schema.type as PrimitiveType;
  const valid = struct.context;
  const compact = condition(field.flexible, valid);
  const nullable = field.schema.kind === "primitive" ? condition(field.nullable, valid) : "false";
  const call = (isCompact: boolean, isNullable: boolean): string =>
    `reader.${primitiveMethod(type, isCompact, isNullable)}()`;
  return choose(
    compact,
    choose(nullable, call(true, true), call(true, false)),
    choose(nullable, call(false, true), call(false, false)),
  );
}

function decodeTags(struct: StructLayout): string {
  const tagged = struct.fields.filter((field) => !isEmpty(field.tagged));
  if (tagged.length === 0) return "reader.skipTags();\n";
  const valid = struct.context;
  const cases = tagged.map((field) => {
    const cond = condition(field.tagged, valid);
    const guard = cond === "true" ? "" : `if (!(${cond})) { reader.skip(size); break; }\n`;
    return `case ${field.schema.tag}: {\n${guard}const end = reader.enterTag(size);\n${assign(field, struct)}reader.leaveTag(end);\nbreak;\n}\n`;
  });
  return (
    "for (let count = reader.unsignedVarint(); count > 0; count--) {\n" +
    "const tag = reader.unsignedVarint();\nconst size = reader.unsignedVarint();\n" +
    `switch (tag) {\n${cases.join("")}default:\nreader.skip(size);\n}\n}\n`
  );
}
