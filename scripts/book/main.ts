/**
 * Writes the parts of the book that the code knows better: `npm run book`. With `--check` nothing is written, and what
 * is out of date is named.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { ApiRegistry } from "../../packages/kaas-core/src/api/api-registry.js";
import { apiHandlers } from "../../packages/kaas-core/src/api/index.js";
import { unservedApis } from "../../packages/kaas-core/src/api/unserved.js";
import { topicConfigDefinitions } from "../../packages/kaas-core/src/config/topic-config-definitions.js";
import { servedTable, unservedTable } from "./api-tables.js";
import { configTable } from "./config-tables.js";
import { fillSections } from "./section.js";

const book = new URL("../../docs/", import.meta.url);

const sections: Readonly<Record<string, string>> = {
  "served-apis": servedTable(new ApiRegistry(apiHandlers).all()),
  "unserved-apis": unservedTable(unservedApis),
  "topic-configs-honoured": configTable(topicConfigDefinitions, "honoured"),
  "topic-configs-accepted": configTable(topicConfigDefinitions, "accepted"),
  "topic-configs-refused": configTable(topicConfigDefinitions, "refused"),
};

for (const name of readdirSync(book).filter((file) => file.endsWith(".md"))) {
  const file = new URL(name, book);
  const before = readFileSync(file, "utf8");
  const after = fillSections(before, sections);
  if (after === before) continue;
  if (process.argv.includes("--check")) {
    console.log(`docs/${name} is out of date; run npm run book`);
    process.exitCode = 1;
  } else writeFileSync(file, after);
}
