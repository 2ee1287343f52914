import type { ApiSchema } from "../schema.js";
import { parseVersions } from "../schema.js";

/** The barrel of the generated folder, and the table that finds a codec by API key. */
export function generateIndex(
  apis: readonly { readonly api: ApiSchema; readonly file: string }[],
  dataFiles: readonly string[],
): string {
  let imports = 'import type { ApiCodec } from "../api-codec.js";\n';
  let exports = "";
  let keys = "";
  let table = "";
  for (const { api, file } of apis) {
    const { key, name, request } = api;
    imports += `import { read${name}Request, read${name}Response, write${name}Request, write${name}Response } from "./${file}.js";\n`;
    exports += `export * from "./${file}.js";\n`;
    keys += `  ${name}: ${key},\n`;
    const valid = parseVersions(request.validVersions);
    const flexible = parseVersions(request.flexibleVersions);
    const first = flexible.last < flexible.first ? "Number.POSITIVE_INFINITY" : String(flexible.first);
    table +=
      `  { key: ${key}, name: "${name}", versionMin: ${valid.first}, versionMax: ${valid.last}, flexibleSince: ${first}, ` +
      `readRequest: read${name}Request, writeRequest: write${name}Request as ApiCodec["writeRequest"], ` +
      `readResponse: read${name}Response, writeResponse: write${name}Response as ApiCodec["writeResponse"] },\n`;
  }
  for (const file of dataFiles) exports += `export * from "./${file}.js";\n`;
  return (
    "// Generated from the schema tables; change those and run `npm run generate`.\n" +
    `${imports}\n${exports}\n` +
    `/** Number of every API that has a schema. */\nexport const ApiKey = {\n${keys}} as const;\n\n` +
    `export const apiCodecs: readonly ApiCodec[] = [\n${table}];\n`
  );
}
