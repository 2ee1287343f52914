import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { JarMessage } from "./schema-view.js";

/** The newest Kafka whose protocol is served whole, and the oldest whose clients are. */
export const RELEASES = ["4.4.0", "3.7.2"] as const;
export type Release = (typeof RELEASES)[number];

/** What one of the programs in `java/` printed: an object a line. */
export function* lines<Line>(name: string): Generator<Line> {
  const bytes = readFileSync(new URL(`data/${name}`, import.meta.url));
  const text = name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
  for (const line of text.toString().split("\n")) {
    if (line !== "") yield JSON.parse(line) as Line;
  }
}

/** Message definitions inside a release's jars. */
export function jarMessages(release: Release): JarMessage[] {
  return [...lines<JarMessage>(`schemas-${release}.jsonl`)];
}
