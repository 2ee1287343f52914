import { covers, type FieldLayout, isEmpty, type StructLayout } from "./layout.js";

const TYPES: Record<string, string> = {
  bool: "boolean",
  int8: "number",
  int16: "number",
  uint16: "number",
  int32: "number",
  int64: "number",
  float64: "number",
  string: "string",
  uuid: "string",
  bytes: "Buffer",
  records: "Buffer",
};

/** The type that decoding gives, and the looser one that encoding takes. */
export function generateTypes(struct: StructLayout): string {
  const decoded = struct.fields.map((field) => `  ${field.schema.name}: ${fieldType(field, false)};\n`);
  const init = struct.fields.map(
    (field) =>
      `  readonly ${field.schema.name}${isOptional(field, struct) ? "?" : ""}: ${fieldType(field, true)}${isOptional(field, struct) ? " | undefined" : ""};\n`,
  );
  return (
    `export interface ${struct.typeName} {\n${decoded.join("")}}\n\n` +
    `export interface ${struct.typeName}Init {\n${init.join("")}}\n\n`
  );
}

/** Whether null is one of the field's values. A tagged struct that was not sent reads as null. */
export function isNullable(field: FieldLayout): boolean {
  return !isEmpty(field.nullable) || (field.schema.kind === "struct" && !isEmpty(field.tagged));
}

/** What the field reads as when it was not sent. */
export function defaultValue(field: FieldLayout): string {
  const { kind, type, default: value } = field.schema;
  if (value === null) return "null";
  if (kind === "primitives" || kind === "structs") return "[]";
  if (kind === "struct") return isNullable(field) ? "null" : `default${field.struct?.typeName}()`;
  if (value !== undefined) return JSON.stringify(value);
  if (type === "bool") return "false";
  if (type === "string") return '""';
  if (type === "uuid") return "ZERO_UUID";
  if (type === "bytes" || type === "records") return "EMPTY";
  return "0";
}

/** A field may be left out when it has a default of its own, is tagged, or does not exist in every version. */
export function isOptional(field: FieldLayout, struct: StructLayout): boolean {
  if (field.schema.name === "throttleTimeMs") return true; // 0 unless a quota says otherwise
  if (field.schema.default !== undefined || field.schema.tag !== undefined) return true;
  return !covers(field.versions, struct.context);
}

function fieldType(field: FieldLayout, init: boolean): string {
  const { kind, type } = field.schema;
  let text: string;
  if (typeof type === "string") {
    text = init && (type === "bytes" || type === "records") ? "Records" : (TYPES[type] as string);
  } else {
    text = `${field.struct?.typeName}${init ? "Init" : ""}`;
  }
  if (kind === "primitives" || kind === "structs") text = init ? `readonly ${text}[]` : `${text}[]`;
  if (isNullable(field)) text += " | null";
  return text;
}
