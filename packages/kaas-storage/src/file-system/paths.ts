/** A path without slashes at its end, so that what is made of it can be compared; the root keeps its own. */
export function withoutTrailingSlashes(path: string): string {
  return path.replace(/(?<=.)\/+$/, "");
}

/** The last part of a path that does not end with a slash. */
export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
