/**
 * What the project asks of its own files beyond what linters know. Run by `npm run check:rules`; `-- --tighten` lowers
 * the accepted sizes to what they are now.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findCycles } from "./cycles.js";
import { checkDeterminism } from "./determinism.js";
import { describeFinding, type Finding } from "./finding.js";
import { checkFolders } from "./folders.js";
import { checkLayers, checkTestsStayTests } from "./layers.js";
import { checkLinks } from "./links.js";
import { checkManifests } from "./manifests.js";
import { checkPublicDocs } from "./public-docs.js";
import { checkSizes, measure, type SizeRatchet, tighten } from "./sizes.js";
import { isTypeScript, listFiles, parse } from "./source-files.js";
import { checkWording } from "./wording.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const ratchetFile = new URL("size-ratchet.json", import.meta.url);

const files = listFiles(root);
const sources = files.filter(({ path }) => isTypeScript(path)).map(parse);
const shipped = sources.filter(({ path }) => /^(packages|apps)\/[^/]+\/src\//.test(path));
const textOf = (wanted: string): string => files.find(({ path }) => path === wanted)?.text ?? "";

const ratchet = JSON.parse(readFileSync(ratchetFile, "utf8")) as SizeRatchet;
const sizes = measure(sources);
if (process.argv.includes("--tighten")) {
  writeFileSync(ratchetFile, `${JSON.stringify(tighten(sizes, ratchet), null, 2)}\n`);
}

const checks: Readonly<Record<string, readonly Finding[]>> = {
  "imports between packages": checkLayers(shipped),
  "imports between folders of core": checkFolders(shipped),
  "import cycles": findCycles(sources),
  "tests apart from sources": checkTestsStayTests(shipped),
  "the world only in adapters": checkDeterminism(shipped),
  "sizes of files and functions": checkSizes(sizes, ratchet),
  "names and words": checkWording(files),
  "what is exported says what it is": checkPublicDocs(shipped),
  dependencies: checkManifests(
    files.filter(({ path }) => /^((packages|apps)\/[^/]+\/)?package\.json$/.test(path)),
    textOf("docs/dependencies.md"),
  ),
  links: checkLinks(
    files.filter(({ path }) => path.endsWith(".md")),
    new Set(files.map(({ path }) => path)),
  ),
};

for (const [name, findings] of Object.entries(checks)) {
  console.log(`${findings.length === 0 ? "✓" : "✗"} ${name}`);
  for (const finding of findings) console.log(`    ${describeFinding(finding)}`);
}
process.exitCode = Object.values(checks).some((findings) => findings.length > 0) ? 1 : 0;
