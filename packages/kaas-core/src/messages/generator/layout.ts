import { isDeepStrictEqual } from "node:util";
import { assert } from "../../errors/kaas-error.js";
import {
  type FieldSchema,
  includesVersion,
  type MessageSchema,
  parseVersions,
  type PrimitiveType,
  type VersionRange,
} from "../schema.js";
import { covers, intersect, isEmpty, NO_VERSIONS, span, versionsIn, without } from "./version-range.js";

/** A message with everything worked out that its codecs depend on. */
export interface MessageLayout {
  readonly schema: MessageSchema;
  readonly versions: VersionRange;
  readonly flexible: VersionRange;
  /** Its structs, innermost first; the message itself is the last. */
  readonly structs: readonly StructLayout[];
}

/** One struct of a message. A struct that several fields use is there once. */
export interface StructLayout {
  readonly typeName: string;
  /** The versions in which anything uses it. */
  readonly versions: VersionRange;
  /** Those of them that have tagged fields and compact lengths. */
  readonly flexible: VersionRange;
  readonly fields: readonly FieldLayout[];
}

/** One field; all ranges lie within the versions of its struct. */
export interface FieldLayout {
  readonly schema: FieldSchema;
  readonly name: string;
  readonly versions: VersionRange;
  /** Versions in which it travels in the body of its struct, and those in which it travels among the tags. */
  readonly untagged: VersionRange;
  readonly tagged: VersionRange;
  readonly nullable: VersionRange;
  /** Versions in which its length is compact. */
  readonly compact: VersionRange;
  /** Name of the type of its value, or of its elements, when that is a struct. */
  readonly structName: string | undefined;
  /** The fewest bytes that one element of an array takes in any version. */
  readonly elementSizeMin: number;
}

export function layoutOf(schema: MessageSchema): MessageLayout {
  const versions = parseVersions(schema.validVersions);
  const flexible = parseVersions(schema.flexibleVersions);
  const found = new Map<string, FoundStruct>();
  findStructs(schema, schema.name, schema.fields, versions, found);
  const structs = [...found].map(([typeName, struct]) => ({
    typeName,
    versions: struct.versions,
    flexible: intersect(flexible, struct.versions),
    fields: struct.fields.map((field) => layoutField(schema, field, struct.versions, flexible)),
  }));
  return { schema, versions, flexible, structs };
}

/** The struct that is the message itself. */
export function messageStruct(layout: MessageLayout): StructLayout {
  const last = layout.structs.at(-1);
  assert(last !== undefined, "a message is a struct");
  return last;
}

interface FoundStruct {
  readonly fields: readonly FieldSchema[];
  versions: VersionRange;
}

/** Collects structs by name, innermost first, with the versions of all of their uses. */
function findStructs(
  schema: MessageSchema,
  name: string,
  fields: readonly FieldSchema[],
  versions: VersionRange,
  found: Map<string, FoundStruct>,
): void {
  for (const field of fields) {
    if (typeof field.type === "string") continue;
    findStructs(schema, field.type.name, field.type.fields, intersect(parseVersions(field.versions), versions), found);
  }
  const typeName = typeNameOf(schema, name);
  const known = found.get(typeName);
  if (known === undefined) {
    found.set(typeName, { fields, versions });
    return;
  }
  assert(isDeepStrictEqual(known.fields, fields), `${typeName} has the same fields wherever it is used`);
  known.versions = span(known.versions, versions);
}

/** Struct names are unique within a message only. */
function typeNameOf(schema: MessageSchema, name: string): string {
  return name.startsWith(schema.name) ? name : schema.name + name;
}

function layoutField(
  message: MessageSchema,
  schema: FieldSchema,
  within: VersionRange,
  flexible: VersionRange,
): FieldLayout {
  const versions = intersect(parseVersions(schema.versions), within);
  const isTagged = schema.tag !== undefined;
  const tagged = isTagged ? intersect(parseVersions(schema.tagged ?? schema.versions), versions) : NO_VERSIONS;
  const untagged = without(versions, tagged);
  const where = `${message.name}.${schema.name}`;
  assert(untagged !== undefined, `${where} is untagged in one run of versions`);
  assert(covers(flexible, tagged), `${where} is tagged in flexible versions only`);
  assert(schema.kind !== "struct" || isEmpty(tagged) || isEmpty(untagged), `${where} is always or never tagged`);
  return {
    schema,
    name: schema.name,
    versions,
    untagged,
    tagged,
    nullable: intersect(parseVersions(schema.nullable ?? "none"), versions),
    compact: intersect(schema.flexible === undefined ? flexible : parseVersions(schema.flexible), versions),
    structName: typeof schema.type === "string" ? undefined : typeNameOf(message, schema.type.name),
    elementSizeMin: elementSizeMin(schema, versions, flexible),
  };
}

const FIXED_SIZES: Partial<Record<PrimitiveType, number>> = {
  bool: 1,
  int8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  int64: 8,
  float64: 8,
  uuid: 16,
};

/** The fewest bytes of a primitive: one for anything whose length may be a varint. */
function primitiveSizeMin(type: PrimitiveType): number {
  return FIXED_SIZES[type] ?? 1;
}

function elementSizeMin(schema: FieldSchema, versions: VersionRange, flexible: VersionRange): number {
  const { type } = schema;
  if (typeof type === "string") return primitiveSizeMin(type);
  const sizes = versionsIn(versions).map((version) => {
    const tagCount = includesVersion(flexible, version) ? 1 : 0;
    return type.fields.reduce((size, field) => size + bodySizeMin(field, version), tagCount);
  });
  return Math.max(1, Math.min(...sizes));
}

/** The fewest bytes that a field adds to the body of its struct in a version. */
function bodySizeMin(field: FieldSchema, version: number): number {
  const isTagged = field.tag !== undefined && includesVersion(parseVersions(field.tagged ?? field.versions), version);
  if (isTagged || !includesVersion(parseVersions(field.versions), version)) return 0;
  return field.kind === "primitive" ? primitiveSizeMin(field.type as PrimitiveType) : 1;
}
