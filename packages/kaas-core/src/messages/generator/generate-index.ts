import type { ApiSchema, MessageSchema } from "../schema.js";
import { parseVersions } from "../schema.js";
import { choose, condition, layoutOf, type StructLayout } from "./layout.js";
import { defaultValue, isOptional } from "./types.js";

/** The barrel of the generated folder, and the table that finds a codec by API key. */
export function generateIndex(
  apis: readonly { readonly api: ApiSchema; readonly file: string }[],
  dataFiles: readonly string[],
): string {
  let imports =
    'import { ZERO_UUID } from "../../wire/reader.js";\nimport { EMPTY } from "../absent.js";\nimport type { ApiCodec } from "../api-codec.js";\n';
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
      `readResponse: read${name}Response, writeResponse: write${name}Response as ApiCodec["writeResponse"], ` +
      `errorResponse: ${generateErrorResponse(api.response)} },\n`;
  }
  for (const file of dataFiles) exports += `export * from "./${file}.js";\n`;
  return (
    "// Generated from the schema tables; change those and run `npm run generate`.\n" +
    `${imports}\n${exports}\n` +
    `/** Number of every API that has a schema. */\nexport const ApiKey = {\n${keys}} as const;\n\n` +
    `export const apiCodecs: readonly ApiCodec[] = [\n${table}];\n`
  );
}

/** A function that makes the response of an error that concerns the request as a whole, in versions that have a field for it. */
function generateErrorResponse(response: MessageSchema): string {
  const message = layoutOf(response).structs.at(-1) as StructLayout;
  const errorCode = message.fields.find((field) => field.schema.name === "errorCode");
  if (errorCode === undefined) return "() => undefined";
  const required = message.fields.filter((field) => field !== errorCode && !isOptional(field, message));
  const rest = required.map((field) => `, ${field.schema.name}: ${defaultValue(field)}`).join("");
  const told = condition(errorCode.versions, message.context);
  const answer = choose(told, `({ errorCode${rest} })`, "undefined");
  return `(${told === "true" ? "errorCode" : "errorCode, version"}) => ${answer}`;
}
