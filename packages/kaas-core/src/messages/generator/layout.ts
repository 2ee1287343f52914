import {
  type FieldSchema,
  includesVersion,
  type MessageSchema,
  parseVersions,
  type PrimitiveType,
  type VersionRange,
} from "../schema.js";

/** One struct of a message, ready to be written out: the message itself counts as its outermost struct. */
export interface StructLayout {
  readonly typeName: string;
  readonly fields: readonly FieldLayout[];
  readonly message: MessageLayout;
  /** The versions in which the struct is used. */
  context: VersionRange;
}

export interface FieldLayout {
  readonly schema: FieldSchema;
  readonly versions: VersionRange;
  readonly nullable: VersionRange;
  readonly tagged: VersionRange;
  /** Versions in which this field's lengths are compact. */
  readonly flexible: VersionRange;
  readonly struct: StructLayout | undefined;
  /** The fewest bytes that one array element takes in any version. */
  readonly elementSizeMin: number;
}

export interface MessageLayout {
  readonly schema: MessageSchema;
  readonly valid: VersionRange;
  readonly flexible: VersionRange;
  /** Innermost first, the message last. */
  readonly structs: StructLayout[];
}

const EMPTY: VersionRange = { first: 0, last: -1 };

export function layoutOf(schema: MessageSchema): MessageLayout {
  const message: MessageLayout = {
    schema,
    valid: parseVersions(schema.validVersions),
    flexible: parseVersions(schema.flexibleVersions),
    structs: [],
  };
  addStruct(message, schema.name, schema.fields, message.valid);
  return message;
}

function addStruct(
  message: MessageLayout,
  name: string,
  fields: readonly FieldSchema[],
  within: VersionRange,
): StructLayout {
  const typeName = name.startsWith(message.schema.name) ? name : message.schema.name + name;
  const known = message.structs.find((struct) => struct.typeName === typeName);
  if (known !== undefined) {
    known.context = span(known.context, within);
    return known;
  }
  const struct: StructLayout = {
    typeName,
    fields: fields.map((field) => layoutField(message, field, within)),
    message,
    context: within,
  };
  message.structs.push(struct);
  return struct;
}

function layoutField(message: MessageLayout, schema: FieldSchema, within: VersionRange): FieldLayout {
  const versions = intersect(parseVersions(schema.versions), within);
  const tagged = schema.tag === undefined ? EMPTY : parseVersions(schema.tagged ?? schema.versions);
  const struct =
    typeof schema.type === "string" ? undefined : addStruct(message, schema.type.name, schema.type.fields, versions);
  const flexible = schema.flexible === undefined ? message.flexible : parseVersions(schema.flexible);
  return {
    schema,
    versions,
    nullable: parseVersions(schema.nullable ?? "none"),
    tagged,
    flexible,
    struct,
    elementSizeMin:
      struct === undefined ? primitiveSizeMin(schema.type as PrimitiveType) : structSizeMin(struct, versions),
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

function structSizeMin(struct: StructLayout, versions: VersionRange): number {
  let fewest = Number.POSITIVE_INFINITY;
  for (let version = versions.first; version <= versions.last; version++) {
    let size = includesVersion(struct.message.flexible, version) ? 1 : 0;
    for (const field of struct.fields) {
      if (!includesVersion(field.versions, version) || includesVersion(field.tagged, version)) continue;
      const isPrimitive = field.schema.kind === "primitive";
      size += isPrimitive ? primitiveSizeMin(field.schema.type as PrimitiveType) : 1;
    }
    fewest = Math.min(fewest, size);
  }
  return Math.max(1, Number.isFinite(fewest) ? fewest : 1);
}

export function intersect(a: VersionRange, b: VersionRange): VersionRange {
  return { first: Math.max(a.first, b.first), last: Math.min(a.last, b.last) };
}

/** The smallest range that holds both. */
function span(a: VersionRange, b: VersionRange): VersionRange {
  return { first: Math.min(a.first, b.first), last: Math.max(a.last, b.last) };
}

export function isEmpty(range: VersionRange): boolean {
  return range.last < range.first;
}

/** Whether `inner` lies wholly in `outer`. */
export function covers(outer: VersionRange, inner: VersionRange): boolean {
  return outer.first <= inner.first && outer.last >= inner.last;
}

/**
 * A JavaScript condition on `version` that is true within `range`, given that `version` lies in `context`:
 * `"true"` and `"false"` when that is already decided.
 */
export function condition(range: VersionRange, context: VersionRange): string {
  const both = intersect(range, context);
  if (isEmpty(both)) return "false";
  const lower = both.first > context.first ? `version >= ${both.first}` : "";
  const upper = both.last < context.last ? `version <= ${both.last}` : "";
  if (lower !== "" && upper !== "") {
    return both.first === both.last ? `version === ${both.first}` : `${lower} && ${upper}`;
  }
  return lower || upper || "true";
}

/** `condition ? yes : no`, shortened where the condition is decided. */
export function choose(cond: string, yes: string, no: string): string {
  if (cond === "true" || yes === no) return yes;
  if (cond === "false") return no;
  return `${cond.includes("&&") ? `(${cond})` : cond} ? ${yes} : ${no}`;
}

/** Statements under a condition. */
export function guarded(cond: string, statements: string): string {
  if (cond === "true") return statements;
  if (cond === "false") return "";
  return `if (${cond}) {\n${statements}}\n`;
}
