import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { formatProblems, validateResource } from "../src/validate.js";

const folder = new URL("../../../deploy/examples/", import.meta.url);

/** The resources of kaas in the examples that are shipped. */
const resources = readdirSync(folder)
  .filter((file) => file.endsWith(".yaml"))
  .flatMap((file) =>
    parseAllDocuments(readFileSync(new URL(file, folder), "utf8")).map((document) => ({
      file,
      resource: document.toJS() as { apiVersion?: string; kind?: string } | null,
    })),
  )
  .filter(({ resource }) => resource?.apiVersion?.startsWith("kaas.rs/") === true);

describe("resources in deploy/examples", () => {
  test("are there", () => {
    expect(resources.map(({ resource }) => resource?.kind)).toEqual(
      expect.arrayContaining(["KafkaTopic", "KafkaUser"]),
    );
  });

  test.each(resources)("$file, $resource.kind is fine", ({ resource }) => {
    const result = validateResource(resource);
    expect(result.ok ? "" : formatProblems(result.problems)).toBe("");
  });
});
