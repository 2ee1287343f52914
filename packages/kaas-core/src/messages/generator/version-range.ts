/** Arithmetic on ranges of versions, and the JavaScript conditions that test them. */
import type { VersionRange } from "../schema.js";

export const NO_VERSIONS: VersionRange = { first: 0, last: -1 };

export function isEmpty(range: VersionRange): boolean {
  return range.last < range.first;
}

export function intersect(a: VersionRange, b: VersionRange): VersionRange {
  return { first: Math.max(a.first, b.first), last: Math.min(a.last, b.last) };
}

/** The smallest range that holds both. */
export function span(a: VersionRange, b: VersionRange): VersionRange {
  if (isEmpty(a)) return b;
  if (isEmpty(b)) return a;
  return { first: Math.min(a.first, b.first), last: Math.max(a.last, b.last) };
}

/** Whether `inner` lies wholly in `outer`. */
export function covers(outer: VersionRange, inner: VersionRange): boolean {
  return isEmpty(inner) || (outer.first <= inner.first && outer.last >= inner.last);
}

/** `range` without `removed`; undefined when that leaves two pieces. */
export function without(range: VersionRange, removed: VersionRange): VersionRange | undefined {
  const common = intersect(range, removed);
  if (isEmpty(common)) return range;
  if (covers(removed, range)) return NO_VERSIONS;
  if (common.first === range.first) return { first: common.last + 1, last: range.last };
  if (common.last === range.last) return { first: range.first, last: common.first - 1 };
  return undefined;
}

/** Every version of a range that has an end. */
export function versionsIn(range: VersionRange): number[] {
  return Array.from({ length: Math.max(0, range.last - range.first + 1) }, (_, index) => range.first + index);
}

/**
 * A JavaScript condition on `version` that is true within `range`, given that `version` lies in `known`: `"true"` and
 * `"false"` when that is already decided.
 */
export function condition(range: VersionRange, known: VersionRange): string {
  const both = intersect(range, known);
  if (isEmpty(both)) return "false";
  const lower = both.first > known.first ? `version >= ${both.first}` : "";
  const upper = both.last < known.last ? `version <= ${both.last}` : "";
  if (lower !== "" && upper !== "") {
    return both.first === both.last ? `version === ${both.first}` : `${lower} && ${upper}`;
  }
  return lower || upper || "true";
}

/** `condition ? yes : no`, shortened where the condition is decided. */
export function choose(cond: string, yes: string, no: string): string {
  if (cond === "true" || yes === no) return yes;
  if (cond === "false") return no;
  return `${cond} ? ${yes} : ${no}`;
}

/** Statements under a condition, with an alternative. */
export function chooseStatement(cond: string, yes: string, no: string): string {
  if (cond === "true" || yes === no) return yes;
  if (cond === "false") return no;
  return `if (${cond}) ${yes}else ${no}`;
}

/** Statements, each with the condition that it stands under. Neighbours under the same condition share one `if`. */
export function guarded(parts: readonly { readonly when: string; readonly code: string }[]): string {
  let source = "";
  let open = "true";
  for (const { when, code } of parts) {
    if (when === "false" || code === "") continue;
    if (when !== open) {
      if (open !== "true") source += "}\n";
      if (when !== "true") source += `if (${when}) {\n`;
      open = when;
    }
    source += code;
  }
  return open === "true" ? source : `${source}}\n`;
}
