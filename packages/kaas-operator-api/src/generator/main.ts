/** Writes the CustomResourceDefinitions to where they are applied from. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { crdFiles } from "../crd/crd-files.js";
import { CRD_FOLDERS } from "./crd-folders.js";

for (const folder of CRD_FOLDERS) {
  const path = fileURLToPath(new URL(`../../../../${folder}/`, import.meta.url));
  mkdirSync(path, { recursive: true });
  for (const [name, text] of crdFiles()) writeFileSync(`${path}${name}`, text);
}
