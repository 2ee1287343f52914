/** Lists that are merged by a key, by the name of their field: those of the kinds that tests use. */
const KEYS: Readonly<Record<string, string>> = {
  conditions: "type",
  volumeAssignments: "partition",
  scramCredentials: "mechanism",
};

export type Fields = Readonly<Record<string, unknown>>;

const ENTRY = "\u0000";

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keyed lists as objects, so that everything is merged by name. */
export function withoutLists(value: unknown, field = ""): unknown {
  const key = KEYS[field];
  if (Array.isArray(value) && key !== undefined) {
    return Object.fromEntries(value.map((entry: Fields) => [`${ENTRY}${String(entry[key])}`, withoutLists(entry)]));
  }
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutLists(inner, name)]));
}

/** The reverse. */
export function withLists(value: unknown, field = ""): unknown {
  if (!isFields(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [name, withLists(inner, name)]);
  return KEYS[field] === undefined ? Object.fromEntries(entries) : entries.map(([, inner]) => inner);
}

/** RFC 7396. */
export function merge(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const result: Record<string, unknown> = isFields(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merge(result[name], value);
  }
  return result;
}

/** What is not an object, and objects that are empty, by the path that leads there. */
export function leaves(value: unknown, path = ""): Map<string, string> {
  if (!isFields(value) || Object.keys(value).length === 0) return new Map([[path, JSON.stringify(value)]]);
  const found = new Map<string, string>();
  for (const [name, inner] of Object.entries(value)) {
    for (const [at, leaf] of leaves(inner, path === "" ? name : `${path}\u0001${name}`)) found.set(at, leaf);
  }
  return found;
}

/** Without one leaf, and without what is empty after that. */
export function withoutLeaf(value: unknown, path: string): unknown {
  const [name = "", ...rest] = path.split("\u0001");
  if (!isFields(value) || !(name in value)) return value;
  const { [name]: inner, ...others } = value;
  const left = rest.length === 0 ? undefined : withoutLeaf(inner, rest.join("\u0001"));
  const isEmpty = left === undefined || (isFields(left) && Object.keys(left).length === 0);
  return isEmpty ? others : { ...others, [name]: left };
}
