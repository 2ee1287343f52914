import { elementId, type Plain } from "./normalise.js";

/** One field that two brokers answer differently. */
export interface Difference {
  readonly path: string;
  readonly kafka: string;
  readonly kaas: string;
}

const ABSENT = "(absent)";

/** All fields that differ; what only one side has is one difference, however much is in it. */
export function compare(kafka: Plain | undefined, kaas: Plain | undefined, path = ""): Difference[] {
  if (isTree(kafka) && isTree(kaas)) {
    const left = children(kafka);
    const right = children(kaas);
    const names = new Set([...left.keys(), ...right.keys()]);
    return [...names].flatMap((name) => compare(left.get(name), right.get(name), `${path}${name}`));
  }
  const texts = [show(kafka), show(kaas)] as const;
  return texts[0] === texts[1] ? [] : [{ path, kafka: texts[0], kaas: texts[1] }];
}

type Tree = readonly Plain[] | { readonly [name: string]: Plain };

function isTree(value: Plain | undefined): value is Tree {
  return typeof value === "object" && value !== null;
}

/** Children by their part of the path: a field's name, an element's id or place. */
function children(tree: Tree): Map<string, Plain> {
  if (!Array.isArray(tree)) return new Map(Object.entries(tree).map(([name, value]) => [`.${name}`, value]));
  const found = new Map<string, Plain>();
  for (const [place, element] of (tree as readonly Plain[]).entries()) {
    const id = elementId(element) ?? String(place);
    found.set(found.has(`[${id}]`) ? `[${id}#${place}]` : `[${id}]`, element);
  }
  return found;
}

function show(value: Plain | undefined): string {
  if (value === undefined) return ABSENT;
  if (!isTree(value)) return JSON.stringify(value);
  const json = JSON.stringify(value);
  return json.length > 90 ? `${json.slice(0, 90)}…` : json;
}
