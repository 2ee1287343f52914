import type { PrimitiveType } from "../schema.js";

const VARIABLE: Partial<Record<PrimitiveType, string>> = { string: "String", bytes: "Bytes", records: "Bytes" };

/** The method of reader and writer for a primitive type; those of variable length have four forms. */
export function primitiveMethod(type: PrimitiveType, isCompact: boolean, isNullable: boolean): string {
  const suffix = VARIABLE[type];
  if (suffix === undefined) return type;
  if (isCompact) return isNullable ? `compactNullable${suffix}` : `compact${suffix}`;
  return isNullable ? `nullable${suffix}` : suffix.toLowerCase();
}
