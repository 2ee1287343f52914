/** Writes `messages/generated/`: one file of types and codecs for each schema file. Run by `npm run generate`. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { apiSchemas } from "../api-schemas.js";
import * as consumerProtocol from "../consumer-protocol.js";
import * as controlRecords from "../control-records.js";
import * as defaultPrincipal from "../default-principal.js";
import * as groupMetadata from "../group-metadata.js";
import * as headers from "../headers.js";
import type { ApiSchema, MessageSchema } from "../schema.js";
import { generateSource } from "./generate.js";
import { generateIndex } from "./generate-index.js";

const directory = new URL("../generated/", import.meta.url);

const kebab = (name: string): string => name.replace(/(?<!^)(?=[A-Z])/g, "-").toLowerCase();
const fileName = (api: ApiSchema): string => `${String(api.key).padStart(2, "0")}-${kebab(api.name)}`;

const dataFiles: Record<string, readonly MessageSchema[]> = {
  "consumer-protocol": Object.values(consumerProtocol),
  "control-records": Object.values(controlRecords),
  "default-principal": Object.values(defaultPrincipal),
  "group-metadata": Object.values(groupMetadata),
  headers: Object.values(headers),
};

function write(name: string, source: string): void {
  const file = new URL(`${name}.ts`, directory);
  let before: string | undefined;
  try {
    before = readFileSync(file, "utf8");
  } catch {
    before = undefined; // not there yet
  }
  if (before !== source) writeFileSync(file, source);
}

if (process.argv.includes("--clean")) rmSync(directory, { recursive: true, force: true });
mkdirSync(directory, { recursive: true });
for (const api of apiSchemas) write(fileName(api), generateSource([api.request, api.response]));
for (const [name, messages] of Object.entries(dataFiles)) write(name, generateSource(messages));
write(
  "index",
  generateIndex(
    apiSchemas.map((api) => ({ api, file: fileName(api) })),
    Object.keys(dataFiles),
  ),
);
