import { type Fields, leaves, merge, withLists, withoutLeaf, withoutLists } from "./keyed-lists.js";

/** Who wants which fields of an object: by manager, the paths. */
export type Ownership = ReadonlyMap<string, ReadonlySet<string>>;

export type Applied =
  | { readonly fields: Fields; readonly ownership: Ownership }
  /** Somebody else wants another value. */
  | { readonly conflict: string };

/** Server-side apply. `before` is empty for an object that is created by it. */
export function applyFields(
  before: Fields,
  ownership: Ownership,
  wanted: Fields,
  manager: string,
  isForced: boolean,
): Applied {
  const wantedLeaves = leaves(withoutLists(wanted));
  const presentLeaves = leaves(withoutLists(before));
  for (const [other, paths] of ownership) {
    if (other === manager || isForced) continue;
    const disputed = [...wantedLeaves].find(([path, value]) => paths.has(path) && presentLeaves.get(path) !== value);
    if (disputed !== undefined)
      return { conflict: `conflict with "${other}": ${disputed[0].split("\u0001").join(".")}` };
  }
  let fields: unknown = merge(withoutLists(before), withoutLists(wanted));
  const after = new Map([...ownership].map(([other, paths]) => [other, new Set(paths)]));
  for (const path of ownership.get(manager) ?? []) {
    const isWanted = [...after].some(([other, paths]) => other !== manager && paths.has(path));
    if (!wantedLeaves.has(path) && !isWanted) fields = withoutLeaf(fields, path);
  }
  for (const [other, paths] of after) {
    if (other === manager) continue;
    for (const [path, value] of wantedLeaves) if (presentLeaves.get(path) !== value) paths.delete(path);
  }
  after.set(manager, new Set(wantedLeaves.keys()));
  return { fields: withLists(fields) as Fields, ownership: after };
}

/** Who wants what after a change that was no apply: who changes a field has it for himself. */
export function ownershipAfterUpdate(before: Fields, after: Fields, ownership: Ownership, manager: string): Ownership {
  const old = leaves(withoutLists(before));
  const now = leaves(withoutLists(after));
  const changed = new Set([...now].filter(([path, value]) => old.get(path) !== value).map(([path]) => path));
  const result = new Map<string, Set<string>>();
  for (const [other, paths] of ownership) {
    result.set(other, new Set([...paths].filter((path) => now.has(path) && !changed.has(path))));
  }
  result.set(manager, new Set([...(result.get(manager) ?? []), ...changed]));
  return result;
}

export function isSameOwnership(a: Ownership, b: Ownership = new Map()): boolean {
  const lines = (ownership: Ownership): string =>
    [...ownership].map(([manager, paths]) => [manager, ...[...paths].sort()].join(" ")).join("\n");
  return lines(a) === lines(b);
}
