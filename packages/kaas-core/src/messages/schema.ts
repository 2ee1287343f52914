/**
 * The vocabulary of the schema tables in this folder: what Kafka's messages consist of, written as data.
 *
 * A version range is written as Kafka writes it: `"3"`, `"3-7"`, `"3+"`. Ranges of fields are understood within the
 * valid versions of their message.
 *
 * The block above each API's schema says what its versions brought; those that it does not name changed nothing, or
 * only went over to compact lengths.
 */

/** Types without structure. `records` is `bytes` that hold record batches. */
export type PrimitiveType =
  | "bool"
  | "int8"
  | "int16"
  | "uint16"
  | "int32"
  | "int64"
  | "float64"
  | "string"
  | "uuid"
  | "bytes"
  | "records";

/** What may be said of any field beyond name, type and versions. */
export interface FieldOptions {
  /** Versions in which the field may be null. */
  readonly nullable?: string;
  /** Value outside the field's versions, and of a tagged field that was not sent. Without one: 0, "", empty, zero. */
  readonly default?: null | boolean | number | string;
  /** Tag number; the field travels in the tagged section (KIP-482). */
  readonly tag?: number;
  /** Versions in which the field is tagged; all of the field's versions when only `tag` is given. */
  readonly tagged?: string;
  /** Versions in which this one string is compact although its message says otherwise (RequestHeader's client id). */
  readonly flexible?: string;
}

export interface FieldSchema extends FieldOptions {
  readonly name: string;
  readonly versions: string;
  readonly kind: "primitive" | "primitives" | "struct" | "structs";
  /** The type of the field, or of its elements. */
  readonly type: PrimitiveType | { readonly name: string; readonly fields: readonly FieldSchema[] };
}

export interface MessageSchema {
  /** Kafka's name, such as `FetchRequest`. */
  readonly name: string;
  readonly kind: "request" | "response" | "header" | "data";
  readonly apiKey?: number;
  readonly validVersions: string;
  /** Versions with compact lengths and tagged fields; `"none"` if there are none. */
  readonly flexibleVersions: string;
  readonly fields: readonly FieldSchema[];
}

/** A field of a primitive type. */
export function field(name: string, type: PrimitiveType, versions: string, options?: FieldOptions): FieldSchema {
  return { name, versions, kind: "primitive", type, ...options };
}

/** An array of a primitive type. */
export function list(name: string, type: PrimitiveType, versions: string, options?: FieldOptions): FieldSchema {
  return { name, versions, kind: "primitives", type, ...options };
}

/** A struct; `struct` names it in Kafka's own way. */
export function struct(
  name: string,
  structName: string,
  versions: string,
  fields: readonly FieldSchema[],
  options?: FieldOptions,
): FieldSchema {
  return { name, versions, kind: "struct", type: { name: structName, fields }, ...options };
}

/** An array of structs. */
export function structs(
  name: string,
  structName: string,
  versions: string,
  fields: readonly FieldSchema[],
  options?: FieldOptions,
): FieldSchema {
  return { name, versions, kind: "structs", type: { name: structName, fields }, ...options };
}

/** The request and the response of one API key. */
export interface ApiSchema {
  readonly key: number;
  /** Kafka's name without the suffix, such as `Fetch`. */
  readonly name: string;
  readonly request: MessageSchema;
  readonly response: MessageSchema;
}

export function api(
  key: number,
  name: string,
  validVersions: string,
  flexibleVersions: string,
  fields: { readonly request: readonly FieldSchema[]; readonly response: readonly FieldSchema[] },
): ApiSchema {
  const message = (kind: "request" | "response", suffix: string): MessageSchema => ({
    name: name + suffix,
    kind,
    apiKey: key,
    validVersions,
    flexibleVersions,
    fields: fields[kind],
  });
  return { key, name, request: message("request", "Request"), response: message("response", "Response") };
}

/** A message that is neither request nor response: headers, and what is stored inside bytes fields and records. */
export function data(
  name: string,
  validVersions: string,
  flexibleVersions: string,
  fields: readonly FieldSchema[],
): MessageSchema {
  return { name, kind: "data", validVersions, flexibleVersions, fields };
}

/** Inclusive bounds of a range; `last` is Infinity for `"3+"`, and the range is empty when `last < first`. */
export interface VersionRange {
  readonly first: number;
  readonly last: number;
}

export function parseVersions(range: string): VersionRange {
  const match = /^(\d+)(?:(\+)|-(\d+))?$/.exec(range);
  if (match === null) return { first: 0, last: -1 };
  const first = Number(match[1]);
  if (match[2] !== undefined) return { first, last: Number.POSITIVE_INFINITY };
  return { first, last: match[3] === undefined ? first : Number(match[3]) };
}

export function includesVersion(range: VersionRange, version: number): boolean {
  return version >= range.first && version <= range.last;
}
