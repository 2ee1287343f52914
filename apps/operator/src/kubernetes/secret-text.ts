import type { Secret } from "./resources.js";

/** The text behind a key of a Secret; undefined where there is none, or nothing in it. */
export function textOf(secret: Secret | undefined, key: string): string | undefined {
  const value = secret?.data?.[key];
  if (value === undefined || value === "") return undefined;
  return Buffer.from(value, "base64").toString("utf8");
}
