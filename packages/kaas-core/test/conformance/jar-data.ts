import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { JarMessage } from "./schema-view.js";

/** The newest Kafka whose protocol is served whole, and the oldest whose clients are. */
export const RELEASES = ["4.4.0", "3.7.2"] as const;
export type Release = (typeof RELEASES)[number];

const read = (name: string): Buffer => readFileSync(new URL(`data/${name}`, import.meta.url));

/** Message definitions inside a release's jars. */
export function jarMessages(release: Release): JarMessage[] {
  return JSON.parse(read(`schemas-${release}.json`).toString()) as JarMessage[];
}

/** What `java/Vectors.java` printed: bytes that Kafka's classes wrote, and what they say of them. */
export function* lines<Line>(name: string): Generator<Line> {
  for (const line of gunzipSync(read(name)).toString().split("\n")) {
    if (line !== "") yield JSON.parse(line) as Line;
  }
}
