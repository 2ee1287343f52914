import type { PrimitiveType } from "../schema.js";
import type { FieldLayout, StructLayout } from "./layout.js";
import { covers, isEmpty } from "./version-range.js";

const TYPES: Readonly<Record<PrimitiveType, string>> = {
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
  const decoded = struct.fields.map((field) => `${field.name}: ${valueType(field, elementType(field))};\n`);
  const init = struct.fields.map((field) => {
    const type = valueType(field, initElementType(field), "readonly ");
    return isOptional(field, struct)
      ? `readonly ${field.name}?: ${type} | undefined;\n`
      : `readonly ${field.name}: ${type};\n`;
  });
  return (
    `export interface ${struct.typeName} {\n${decoded.join("")}}\n\n` +
    `export interface ${struct.typeName}Init {\n${init.join("")}}\n\n`
  );
}

export function isArray(field: FieldLayout): boolean {
  return field.schema.kind === "primitives" || field.schema.kind === "structs";
}

/** Whether a value is bytes, which decode to a view and encode from one buffer or several. */
export function isBytes(field: FieldLayout): boolean {
  return field.schema.type === "bytes" || field.schema.type === "records";
}

/** Whether null is one of the field's values. A tagged struct that was not sent reads as null. */
export function isNullable(field: FieldLayout): boolean {
  return !isEmpty(field.nullable) || (field.schema.kind === "struct" && !isEmpty(field.tagged));
}

/** What the field reads as when it was not sent. */
export function defaultValue(field: FieldLayout): string {
  const { kind, type, default: value } = field.schema;
  if (value === null) return "null";
  if (isArray(field)) return "[]";
  if (kind === "struct") return isNullable(field) ? "null" : `default${field.structName}()`;
  if (value !== undefined) return JSON.stringify(value);
  if (type === "bool") return "false";
  if (type === "string") return '""';
  if (type === "uuid") return "ZERO_UUID";
  return isBytes(field) ? "EMPTY" : "0";
}

/** A field may be left out when it has a default of its own, is tagged, or does not exist in every version. */
export function isOptional(field: FieldLayout, struct: StructLayout): boolean {
  if (field.name === "throttleTimeMs") return true; // 0 unless a quota says otherwise
  if (field.schema.default !== undefined || field.schema.tag !== undefined) return true;
  return !covers(field.versions, struct.versions);
}

/** Type of a decoded value, or of the elements of a decoded array. */
export function elementType(field: FieldLayout): string {
  return field.structName ?? TYPES[field.schema.type as PrimitiveType];
}

function initElementType(field: FieldLayout): string {
  if (field.structName !== undefined) return `${field.structName}Init`;
  return isBytes(field) ? "Records" : elementType(field);
}

function valueType(field: FieldLayout, element: string, modifier = ""): string {
  const type = isArray(field) ? `${modifier}${element}[]` : element;
  return isNullable(field) ? `${type} | null` : type;
}
