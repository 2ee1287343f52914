import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { CRD_FOLDERS } from "../generator/crd-folders.js";
import { crdFiles } from "./crd-files.js";
import { customResourceDefinitions } from "./custom-resource-definition.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

describe.each(CRD_FOLDERS)("%s", (folder) => {
  test("has the definitions as the schemas have them; if not: npm run generate --workspace @kaas/operator-api", () => {
    const files = readdirSync(`${root}${folder}`).sort();
    expect(files).toEqual([...crdFiles().keys()].sort());
    for (const [name, text] of crdFiles()) expect(readFileSync(`${root}${folder}/${name}`, "utf8"), name).toBe(text);
  });
});

test("YAML says what the objects say", () => {
  expect([...crdFiles().values()].map((text) => parse(text))).toEqual(
    JSON.parse(JSON.stringify(customResourceDefinitions())),
  );
});
