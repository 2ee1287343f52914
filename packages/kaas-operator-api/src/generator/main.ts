/**
 * Writes the CustomResourceDefinitions to where they are applied from, and what the chart takes of a listener into the schema
 * of its values.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { crdFiles } from "../crd/crd-files.js";
import { type ValuesSchema, withListenerConfiguration } from "../crd/values-schema.js";
import { CRD_FOLDERS, VALUES_SCHEMA } from "./crd-folders.js";

for (const folder of CRD_FOLDERS) {
  const path = fileURLToPath(new URL(`../../../../${folder}/`, import.meta.url));
  mkdirSync(path, { recursive: true });
  for (const [name, text] of crdFiles()) writeFileSync(`${path}${name}`, text);
}

const values = fileURLToPath(new URL(`../../../../${VALUES_SCHEMA}`, import.meta.url));
const before = JSON.parse(readFileSync(values, "utf8")) as ValuesSchema;
const after = withListenerConfiguration(before);
if (!isDeepStrictEqual(before, after)) writeFileSync(values, `${JSON.stringify(after, null, 2)}\n`);
