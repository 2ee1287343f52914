import fc from "fast-check";
import {
  type FieldSchema,
  includesVersion,
  type MessageSchema,
  parseVersions,
  type PrimitiveType,
} from "../../src/messages/schema.js";

/** Any value of each primitive type; integers at their limits more often than chance would have it. */
const primitives: Readonly<Record<PrimitiveType, fc.Arbitrary<unknown>>> = {
  bool: fc.boolean(),
  int8: fc.integer({ min: -128, max: 127 }),
  int16: fc.integer({ min: -32768, max: 32767 }),
  uint16: fc.integer({ min: 0, max: 65535 }),
  int32: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  int64: fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, -1, 2 ** 63, -(2 ** 63))),
  float64: fc.double({ noNaN: true }),
  string: fc.oneof({ weight: 9, arbitrary: fc.string({ unit: "binary" }) }, fc.constant("x".repeat(200))),
  uuid: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString("base64url")),
  bytes: arbitraryBytes(),
  records: arbitraryBytes(),
};

function arbitraryBytes(): fc.Arbitrary<Buffer> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)) },
    fc.constantFrom(Buffer.alloc(127), Buffer.alloc(1500, 7)),
  );
}

/** Any message of a schema, with those fields that a version has. */
export function arbitraryMessage(schema: MessageSchema, version: number): fc.Arbitrary<Record<string, unknown>> {
  return arbitraryStruct(schema.fields, version, 3);
}

/** Arrays grow shorter from level to level, so that deep messages do not grow without end. */
function arbitraryStruct(
  fields: readonly FieldSchema[],
  version: number,
  lengthMax: number,
): fc.Arbitrary<Record<string, unknown>> {
  const present = fields.filter((field) => includesVersion(parseVersions(field.versions), version));
  return fc.record(Object.fromEntries(present.map((field) => [field.name, arbitraryField(field, version, lengthMax)])));
}

function arbitraryField(field: FieldSchema, version: number, lengthMax: number): fc.Arbitrary<unknown> {
  const isArray = field.kind === "primitives" || field.kind === "structs";
  const element =
    typeof field.type === "string"
      ? primitives[field.type]
      : arbitraryStruct(field.type.fields, version, Math.max(1, lengthMax - 1));
  const value = isArray ? fc.array(element, { maxLength: lengthMax }) : element;
  const isNullable = includesVersion(parseVersions(field.nullable ?? "none"), version);
  const isTaggedStruct = field.tag !== undefined && field.kind === "struct";
  return isNullable || isTaggedStruct ? fc.option(value, { freq: 4 }) : value;
}
