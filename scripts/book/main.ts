/**
 * Writes the parts of the book that the code knows better: `npm run book`. With `--check` nothing is written, and what
 * is out of date is named. Needs a build.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ApiRegistry } from "../../packages/kaas-core/src/api/api-registry.js";
import { apiHandlers } from "../../packages/kaas-core/src/api/index.js";
import { unservedApis } from "../../packages/kaas-core/src/api/unserved.js";
import { brokerConfigDefinitions } from "../../packages/kaas-core/src/config/broker-config-definitions.js";
import { topicConfigDefinitions } from "../../packages/kaas-core/src/config/topic-config-definitions.js";
import { apiReport } from "./api-report.js";
import { authorizationTable, servedTable, unservedTable } from "./api-tables.js";
import { configTable, reasonTable, runTimeList } from "./config-tables.js";
import { findingCatalogue } from "../../packages/kaas-storage/src/inspection/finding-catalogue.js";
import { findingsTable, helpSections } from "./kaasctl-sections.js";
import { fillSections } from "./section.js";

const root = new URL("../../", import.meta.url);
const book = new URL("docs/", root);

const sections: Readonly<Record<string, string>> = {
  "served-apis": servedTable(new ApiRegistry(apiHandlers).all()),
  authorizations: authorizationTable(new ApiRegistry(apiHandlers).all()),
  "unserved-apis": unservedTable(unservedApis),
  "broker-configs-honoured": configTable(brokerConfigDefinitions, "honoured"),
  "broker-configs-accepted": reasonTable(brokerConfigDefinitions, "accepted"),
  "broker-configs-at-run-time": runTimeList(brokerConfigDefinitions),
  "broker-configs-refused": configTable(brokerConfigDefinitions, "refused"),
  "topic-configs-honoured": configTable(topicConfigDefinitions, "honoured"),
  "topic-configs-accepted": configTable(topicConfigDefinitions, "accepted"),
  "topic-configs-refused": configTable(topicConfigDefinitions, "refused"),
  "kaasctl-findings": findingsTable(findingCatalogue),
  "kaasctl-help": await helpSections(),
};

/** The packages whose interface is kept under review, by folder. */
const published: Readonly<Record<string, string>> = {
  "@kaas/core": "packages/kaas-core",
  "@kaas/storage": "packages/kaas-storage",
  "@kaas/operator-api": "packages/kaas-operator-api",
  "@kaas/k8s": "packages/kaas-k8s",
  "@kaas/broker": "apps/broker",
  "@kaas/kaasctl": "apps/kaasctl",
};

function write(name: string, content: string): void {
  const file = new URL(name, book);
  if (existsSync(file) && readFileSync(file, "utf8") === content) return;
  if (process.argv.includes("--check")) {
    console.log(`docs/${name} is out of date; run npm run book`);
    process.exitCode = 1;
  } else writeFileSync(file, content);
}

for (const name of readdirSync(book).filter((file) => file.endsWith(".md"))) {
  write(name, fillSections(readFileSync(new URL(name, book), "utf8"), sections));
}

mkdirSync(new URL("api/", book), { recursive: true });
for (const [name, folder] of Object.entries(published)) {
  const report = apiReport(fileURLToPath(new URL(`${folder}/dist/index.d.ts`, root)));
  const introduction = `What \`${name}\` exports. Written by \`npm run book\`; a change here is a change for its users.`;
  write(`api/${name.slice("@kaas/".length)}.md`, `# ${name}\n\n${introduction}\n\n\`\`\`ts\n${report}\`\`\`\n`);
}
