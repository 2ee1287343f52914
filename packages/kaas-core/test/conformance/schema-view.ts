/**
 * One way of looking at a message, whoever defined it: what its fields are in one version. Kaas's schema tables and
 * the definitions inside Kafka's jars are both brought into this form, and then compared.
 */
import {
  type FieldSchema,
  includesVersion,
  type MessageSchema,
  parseVersions,
  type VersionRange,
} from "../../src/messages/schema.js";

/** A field in one version. */
export interface FieldView {
  /** In camel case. */
  readonly name: string;
  /** `[]` before the type of an array's elements. Structs have their name here, and their fields below. */
  readonly type: string;
  readonly nullable: boolean;
  readonly tag: number | undefined;
  readonly compact: boolean;
  readonly default: null | boolean | number | string;
  readonly fields: readonly FieldView[] | undefined;
}

/** A definition as `java/Schemas.java` prints it. */
export interface JarMessage {
  readonly name: string;
  readonly type: string;
  readonly apiKey?: number;
  readonly listeners?: readonly string[];
  readonly validVersions: string;
  readonly flexibleVersions: string;
  readonly latestVersionUnstable?: boolean;
  readonly fields: readonly JarField[];
}

interface JarField {
  readonly name: string;
  readonly type: string;
  readonly versions: string;
  readonly nullableVersions?: string;
  readonly default?: boolean | number | string;
  readonly tag?: number;
  readonly taggedVersions?: string;
  readonly flexibleVersions?: string;
  readonly fields?: readonly JarField[];
}

const range = (versions: string | undefined): VersionRange => parseVersions(versions ?? "none");

/** Types whose length is written in two ways. */
const hasLength = (type: string): boolean => type.startsWith("[]") || ["string", "bytes", "records"].includes(type);

export function viewOfJar(message: JarMessage, version: number): FieldView[] {
  const view = (field: JarField): FieldView => {
    const isFlexible = includesVersion(range(field.flexibleVersions ?? message.flexibleVersions), version);
    const isTagged = includesVersion(range(field.taggedVersions), version);
    return {
      name: camelCase(field.name),
      type: field.type,
      nullable: includesVersion(range(field.nullableVersions), version),
      tag: isTagged ? field.tag : undefined,
      compact: isFlexible && hasLength(field.type),
      default: jarDefault(field),
      fields: field.fields && present(field.fields, version).map(view),
    };
  };
  return present(message.fields, version).map(view);
}

export function viewOfKaas(message: MessageSchema, version: number): FieldView[] {
  const view = (field: FieldSchema): FieldView => {
    const isFlexible = includesVersion(range(field.flexible ?? message.flexibleVersions), version);
    const isTagged = field.tag !== undefined && includesVersion(range(field.tagged ?? field.versions), version);
    const isArray = field.kind === "primitives" || field.kind === "structs";
    const element = typeof field.type === "string" ? field.type : field.type.name;
    const type = isArray ? `[]${element}` : element;
    return {
      name: field.name,
      type,
      nullable: includesVersion(range(field.nullable), version),
      tag: isTagged ? field.tag : undefined,
      compact: isFlexible && hasLength(type),
      default: field.default === undefined ? zeroOf(type) : field.default,
      fields: typeof field.type === "string" ? undefined : present(field.type.fields, version).map(view),
    };
  };
  return present(message.fields, version).map(view);
}

function present<Field extends { readonly versions: string }>(fields: readonly Field[], version: number): Field[] {
  return fields.filter((field) => includesVersion(range(field.versions), version));
}

function camelCase(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function jarDefault(field: JarField): FieldView["default"] {
  const value = field.default;
  if (value === undefined) return zeroOf(field.type);
  if (value === "null") return null;
  if (field.type === "bool") return String(value) === "true";
  if (field.type === "string" || field.type === "uuid") return String(value);
  return Number(value);
}

function zeroOf(type: string): FieldView["default"] {
  if (type === "bool") return false;
  return /^(u?int\d+|float64)$/.test(type) ? 0 : "";
}

/** What is different, as paths such as `topics.partitions.index: type int32, not int64`. */
export function differences(actual: readonly FieldView[], expected: readonly FieldView[], path = ""): string[] {
  const found: string[] = [];
  const [names, expectedNames] = [actual, expected].map((fields) => fields.map(({ name }) => name).join(", "));
  if (names !== expectedNames) found.push(`${path || "fields"}: ${names}; not ${expectedNames}`);
  for (const field of expected) {
    const own = actual.find(({ name }) => name === field.name);
    if (own === undefined) continue;
    const where = path === "" ? field.name : `${path}.${field.name}`;
    for (const fact of ["type", "nullable", "tag", "compact", "default"] as const) {
      if (own[fact] !== field[fact]) found.push(`${where}: ${fact} ${own[fact]}, not ${field[fact]}`);
    }
    found.push(...differences(own.fields ?? [], field.fields ?? [], where));
  }
  return found;
}
