type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** RFC 7396. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Json = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** What a manager applied before and does not apply any more goes. Lists are taken as a whole. */
export function without(target: unknown, before: unknown, after: unknown): unknown {
  if (!isObject(target) || !isObject(before)) return target;
  const result: Json = { ...target };
  for (const [key, value] of Object.entries(before)) {
    const next = isObject(after) ? after[key] : undefined;
    if (next === undefined) {
      if (isObject(value) && isObject(result[key])) result[key] = without(result[key], value, {});
      else delete result[key];
    } else result[key] = without(result[key], value, next);
  }
  return result;
}
