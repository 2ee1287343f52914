import { describe, expect, test } from "vitest";
import { parseVersions } from "../../src/messages/schema.js";
import { codecOf } from "./codecs.js";
import { lines, RELEASES } from "./jar-data.js";
import { kaasMessages } from "./kaas-schemas.js";

/** What `java/Vectors.java` prints. */
interface Vector {
  readonly message: string;
  readonly version: number;
  readonly shape: string;
  /** What Kafka's class wrote. */
  readonly hex: string;
  /** What Kafka's JSON converter says it was. */
  readonly json: Json;
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Messages and fields that 4.x calls by another name than 3.7. */
const RENAMED: Readonly<Record<string, string>> = {
  ListClientMetricsResourcesRequest: "ListConfigResourcesRequest",
  ListClientMetricsResourcesResponse: "ListConfigResourcesResponse",
  "ListConfigResourcesResponse.clientMetricsResources": "configResources",
  "ListConfigResourcesResponse.clientMetricsResources.name": "resourceName",
  "TxnOffsetCommitRequest.generationId": "generationIdOrMemberEpoch",
};

/** Previews that 3.7 has under a version whose stable form came out different. */
const PREVIEWS: ReadonlySet<string> = new Set(["3.7.2 ConsumerGroupDescribeResponse 0"]);

/** How many ways of filling each message there are. */
const SHAPES = ["defaults", "filled", "nulls", "empty", "extremes"];

/** Asserts that what was decoded says the same as Kafka's JSON, in every field that Kafka mentions. */
function expectSame(decoded: unknown, json: Json, path: string): void {
  if (Array.isArray(json)) {
    expect(decoded, path).toHaveLength(json.length);
    for (const [index, item] of json.entries()) expectSame((decoded as unknown[])[index], item, path);
  } else if (json !== null && typeof json === "object") {
    for (const [name, value] of Object.entries(json)) {
      const own = RENAMED[`${path}.${name}`] ?? name;
      expectSame((decoded as Record<string, unknown>)[own], value, `${path}.${name}`);
    }
  } else if (path.endsWith(".records")) {
    // The converters leave record data out, saying only that there is none; the bytes hold it.
    expect(decoded === null, path).toBe(json === null);
  } else {
    expect(Buffer.isBuffer(decoded) ? decoded.toString("base64") : decoded, path).toBe(json);
  }
}

describe.each(RELEASES)("bytes that the Java classes of %s write", (release) => {
  const counts = new Map<string, number>();
  const count = (name: string, version: number): string => `${name} ${version}`;

  test("are read as Kafka reads them, and written to the same bytes", () => {
    for (const { message, version, shape, hex, json } of lines<Vector>(`vectors-${release}.jsonl.gz`)) {
      const name = RENAMED[message] ?? message;
      counts.set(count(name, version), (counts.get(count(name, version)) ?? 0) + 1);
      if (PREVIEWS.has(`${release} ${name} ${version}`)) continue;
      const where = `${name} version ${version}, ${shape}`;
      const codec = codecOf(name);
      const decoded = codec.decode(Buffer.from(hex, "hex"), version);
      expect(codec.encode(decoded, version).toString("hex"), where).toBe(hex);
      expectSame(decoded, json, name);
    }
  });

  test("cover every version that the release has, in every shape", () => {
    expect(new Set(counts.values())).toEqual(new Set([SHAPES.length]));
    if (release !== RELEASES[0]) return;
    const expected = kaasMessages.flatMap(({ name, validVersions }) => {
      const { first, last } = parseVersions(validVersions);
      return Array.from({ length: last - first + 1 }, (_, index) => count(name, first + index));
    });
    const older = new Set<string>();
    for (const { message, version } of lines<Vector>("vectors-3.7.2.jsonl.gz")) {
      older.add(count(RENAMED[message] ?? message, version));
    }
    expect(expected.filter((name) => !counts.has(name) && !older.has(name))).toEqual([]);
  });
});
