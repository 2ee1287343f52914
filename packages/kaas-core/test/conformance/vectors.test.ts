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

const versionName = (message: string, version: number): string => `${RENAMED[message] ?? message} ${version}`;

/** Every message in every version that kaas has a codec for. */
const versionNames = kaasMessages.flatMap(({ name, validVersions }) => {
  const { first, last } = parseVersions(validVersions);
  return Array.from({ length: last - first + 1 }, (_, index) => versionName(name, first + index));
});

/** How many vectors of each message and version the releases' classes gave. */
const counts = new Map(RELEASES.map((release) => [release, new Map<string, number>()] as const));

describe.each(RELEASES)("bytes that the Java classes of %s write", (release) => {
  const counted = counts.get(release) as Map<string, number>;

  test("are read as Kafka reads them, and written to the same bytes", () => {
    for (const { message, version, shape, hex, json } of lines<Vector>(`vectors-${release}.jsonl.gz`)) {
      const name = RENAMED[message] ?? message;
      const where = `${versionName(name, version)} ${shape}`;
      counted.set(versionName(name, version), (counted.get(versionName(name, version)) ?? 0) + 1);
      if (PREVIEWS.has(`${release} ${versionName(name, version)}`)) continue;
      const codec = codecOf(name);
      const decoded = codec.decode(Buffer.from(hex, "hex"), version);
      expect(codec.encode(decoded, version).toString("hex"), where).toBe(hex);
      expectSame(decoded, json, name);
    }
  });

  test("come in every shape", () => {
    expect([...counted].filter(([, count]) => count !== SHAPES.length)).toEqual([]);
  });
});

test(`cover all ${versionNames.length} versions of ${kaasMessages.length} messages`, () => {
  const covered = new Set([...counts.values()].flatMap((counted) => [...counted.keys()]));
  expect(versionNames.filter((name) => !covered.has(name))).toEqual([]);
});
