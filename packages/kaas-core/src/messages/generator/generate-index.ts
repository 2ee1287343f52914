import type { ApiSchema, MessageSchema } from "../schema.js";
import { GENERATED_NOTICE } from "./generate.js";
import { layoutOf, messageStruct } from "./layout.js";
import { defaultValue, isOptional } from "./types.js";
import { choose, condition, isEmpty } from "./version-range.js";

interface GeneratedApi {
  readonly api: ApiSchema;
  /** Name of the generated file, without its ending. */
  readonly file: string;
}

/** The barrel of the generated folder, and the table that finds a codec by API key. */
export function generateIndex(apis: readonly GeneratedApi[], dataFiles: readonly string[]): string {
  const files = [...apis.map(({ file }) => file), ...dataFiles];
  const keys = apis.map(({ api }) => `  ${api.name}: ${api.key},\n`);
  return (
    GENERATED_NOTICE +
    'import { ZERO_UUID } from "../../wire/reader.js";\n' +
    'import { EMPTY } from "../absent.js";\n' +
    'import type { ApiCodec } from "../api-codec.js";\n' +
    `${apis.map(importCodecs).join("")}\n` +
    `${files.map((file) => `export * from "./${file}.js";\n`).join("")}\n` +
    `/** Number of every API that has a schema. */\nexport const ApiKey = {\n${keys.join("")}} as const;\n\n` +
    `/** The codecs of every API that has a schema, in the order of their keys. */\n` +
    `export const apiCodecs: readonly ApiCodec[] = [\n${apis.map(codecEntry).join("")}];\n`
  );
}

function importCodecs({ api: { name }, file }: GeneratedApi): string {
  const codecs = [`read${name}Request`, `read${name}Response`, `write${name}Request`, `write${name}Response`];
  return `import { ${codecs.join(", ")} } from "./${file}.js";\n`;
}

function codecEntry({ api: { key, name, request, response } }: GeneratedApi): string {
  const { versions, flexible } = layoutOf(request);
  return (
    `  {\n    key: ${key},\n    name: "${name}",\n` +
    `    versionMin: ${versions.first},\n    versionMax: ${versions.last},\n` +
    `    flexibleSince: ${isEmpty(flexible) ? "Number.POSITIVE_INFINITY" : flexible.first},\n` +
    `    readRequest: read${name}Request,\n` +
    `    writeRequest: write${name}Request as ApiCodec["writeRequest"],\n` +
    `    readResponse: read${name}Response,\n` +
    `    writeResponse: write${name}Response as ApiCodec["writeResponse"],\n` +
    `    errorResponse: ${generateErrorResponse(response)},\n  },\n`
  );
}

/** A function that makes the response of an error that concerns the request as a whole, in versions that have a field for it. */
function generateErrorResponse(response: MessageSchema): string {
  const message = messageStruct(layoutOf(response));
  const errorCode = message.fields.find((field) => field.name === "errorCode");
  if (errorCode === undefined) return "() => undefined";
  const required = message.fields.filter((field) => field !== errorCode && !isOptional(field, message));
  const rest = required.map((field) => `, ${field.name}: ${defaultValue(field)}`).join("");
  const told = condition(errorCode.versions, message.versions);
  const answer = choose(told, `({ errorCode${rest} })`, "undefined");
  return `(${told === "true" ? "errorCode" : "errorCode, version"}) => ${answer}`;
}
