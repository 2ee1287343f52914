/**
 * Looks at the packages as a registry would get them: packs each, has publint and attw judge the archive, then
 * installs the archives into an empty project and uses them there, from JavaScript, from TypeScript and from the
 * command line. The example in the README of @kaas/storage runs in a project of its own, that has what it imports and
 * nothing else. Needs a build.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = join(root, "node_modules/.bin");
const folder = mkdtempSync(join(tmpdir(), "kaas-packages-"));
const embedder = mkdtempSync(join(tmpdir(), "kaas-embedder-"));
const installOptions = ["--no-audit", "--no-fund", "--prefer-offline", "--silent"];
let passed = 0;
let failed = 0;

/**
 * @param {string} name
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @param {string} [printed] what the command is to say, to the letter
 */
function check(name, command, args, cwd, printed) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  const isGood = status === 0 && (printed === undefined || stdout === printed);
  console.log(`${isGood ? "✓" : "✗"} ${name}`);
  if (isGood) passed++;
  else {
    failed++;
    process.stdout.write(`${stdout}${stderr}`);
  }
}

/**
 * @param {string} directory
 * @returns {string} the archive
 */
function pack(directory) {
  const args = ["pack", "--json", "--silent", "--ignore-scripts", "--pack-destination", folder];
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: directory, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm pack failed in ${directory}: ${stderr}`);
  return join(folder, JSON.parse(stdout)[0].filename);
}

/**
 * @param {string} markdown
 * @param {string} heading
 * @returns {string} the block of JavaScript that comes first under a heading
 */
function exampleUnder(markdown, heading) {
  const section = markdown.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  const code = section?.match(/^```js\n(.*?)^```$/ms)?.[1];
  if (code === undefined) throw new Error(`there is no example under "${heading}"`);
  return code;
}

/**
 * Does what the README of @kaas/storage says, in an empty project.
 *
 * @param {string[]} archives
 */
function runStorageExample(archives) {
  const readme = readFileSync(join(root, "packages/kaas-storage/README.md"), "utf8");
  writeFileSync(join(embedder, "package.json"), JSON.stringify({ name: "embedder", private: true }));
  writeFileSync(join(embedder, "example.mjs"), exampleUnder(readme, "Keep records in a directory"));
  check("install @kaas/storage alone", "npm", ["install", ...installOptions, ...archives], embedder);
  const printed = "appended with error 0 from offset 0\n0 hello\n1 world\n";
  check("the example in the README of @kaas/storage", process.execPath, ["example.mjs"], embedder, printed);
}

/** Uses every exported entry; a broker is started, reached and stopped. */
const useFromJavaScript = `
import { connect } from "node:net";
import * as core from "@kaas/core";
import * as storage from "@kaas/storage";
import { startKafkaBroker } from "@kaas/broker";
import { runKaasctl } from "@kaas/kaasctl";
import { Operator } from "@kaas/operator";
import { customResourceDefinitions, validateResource } from "@kaas/operator-api";
if (typeof Operator !== "function" || customResourceDefinitions().length !== 4) throw new Error("the operator is not whole");
const topic = { apiVersion: "kaas.rs/v1alpha1", kind: "KafkaTopic", metadata: { name: "t" }, spec: { partitions: 0 } };
if (validateResource(topic).ok) throw new Error("a topic without partitions is fine");
if (typeof runKaasctl !== "function") throw new Error("kaasctl exports nothing to run");
if (!("KaasError" in core) || Object.keys(storage).length === 0) throw new Error("an entry exports nothing");
const broker = await startKafkaBroker();
const [host, port] = broker.bootstrapServers.split(":");
const socket = connect(Number(port), host);
await new Promise((resolve, reject) => socket.on("connect", resolve).on("error", reject));
socket.destroy();
await broker.close();
`;

const useFromTypeScript = `
import { KaasError } from "@kaas/core";
import { startKafkaBroker } from "@kaas/broker";
import type { KafkaTopicInput } from "@kaas/operator-api";
export const topic: KafkaTopicInput = {
  apiVersion: "kaas.rs/v1alpha1",
  kind: "KafkaTopic",
  metadata: { name: "t" },
  spec: { config: { "retention.ms": 1 } },
};
export const broker: ReturnType<typeof startKafkaBroker> = startKafkaBroker();
export const isOurs = (error: unknown): error is KaasError => error instanceof KaasError;
`;

try {
  const archives = ["packages", "apps"].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => join(root, group, name))
      .filter((path) => existsSync(join(path, "package.json")))
      .filter((path) => JSON.parse(readFileSync(join(path, "package.json"), "utf8")).private !== true)
      .map((path) => ({ name: path.slice(root.length), archive: pack(path) })),
  );
  for (const { name, archive } of archives) {
    check(`publint ${name}`, join(bin, "publint"), ["run", archive, "--strict"], folder);
    check(`attw ${name}`, join(bin, "attw"), [archive, "--profile", "esm-only", "--no-definitely-typed"], folder);
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  check("install", "npm", ["install", ...installOptions, ...archives.map(({ archive }) => archive)], folder);
  writeFileSync(join(folder, "use.js"), useFromJavaScript);
  check("use from JavaScript", process.execPath, ["use.js"], folder);
  writeFileSync(join(folder, "use.ts"), useFromTypeScript);
  const strict = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--skipLibCheck", "false"];
  const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
  const compiler = join(root, "node_modules/tsc7/bin/tsc");
  check("use from TypeScript", process.execPath, [compiler, ...strict, ...types, "use.ts"], folder);
  check("use from the command line", join(folder, "node_modules/.bin/kaas-broker"), ["--version"], folder);
  check("kaasctl from the command line", join(folder, "node_modules/.bin/kaasctl"), ["doctor", "--help"], folder);
  const taken = ["packages/kaas-core", "packages/kaas-storage"];
  runStorageExample(archives.filter(({ name }) => taken.includes(name)).map(({ archive }) => archive));
} finally {
  for (const made of [folder, embedder]) rmSync(made, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
