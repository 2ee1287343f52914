import type { MessageSchema } from "../schema.js";
import { generateDecoder, generateDefault } from "./decoders.js";
import { generateEncoder } from "./encoders.js";
import { layoutOf, type StructLayout } from "./layout.js";
import { generateTypes, isNullable } from "./types.js";

/** Imports of a generated file; names that it does not use are left out. */
const IMPORTS: readonly { readonly from: string; readonly names: readonly string[] }[] = [
  { from: "../../wire/reader.js", names: ["type Reader", "ZERO_UUID"] },
  { from: "../../wire/writer.js", names: ["type Records", "recordsSize", "type Writer"] },
  { from: "../absent.js", names: ["EMPTY", "NONE", "nullNotAllowed"] },
];

export const GENERATED_NOTICE = "// Generated from the schema tables; change those and run `npm run generate`.\n";

/** TypeScript source with the types, decoders and encoders of some messages. */
export function generateSource(messages: readonly MessageSchema[]): string {
  const structs = messages.flatMap((message) => layoutOf(message).structs);
  const defaulted = structsWithDefault(structs);
  let body = "";
  for (const struct of structs) {
    body += generateTypes(struct) + generateDecoder(struct) + generateEncoder(struct);
    if (defaulted.has(struct.typeName)) body += generateDefault(struct);
  }
  return `${GENERATED_NOTICE}${importsFor(body)}\n${indent(body.trimEnd())}\n`;
}

/** Structs that stand in for themselves where a version does not have them. */
function structsWithDefault(structs: readonly StructLayout[]): ReadonlySet<string> {
  return new Set(
    structs.flatMap((struct) =>
      struct.fields
        .filter((field) => field.schema.kind === "struct" && !isNullable(field))
        .map((field) => field.structName as string),
    ),
  );
}

function importsFor(body: string): string {
  return IMPORTS.map(({ from, names }) => {
    const used = names.filter((name) => new RegExp(`\\b${name.replace("type ", "")}\\b`).test(body));
    if (used.length === 0) return "";
    const clause = used.every((name) => name.startsWith("type "))
      ? `type { ${used.map((name) => name.slice("type ".length)).join(", ")} }`
      : `{ ${used.join(", ")} }`;
    return `import ${clause} from "${from}";\n`;
  }).join("");
}

/** Indents by counting braces: enough for generated code, and the formatter need not see it. */
function indent(source: string): string {
  let depth = 0;
  return source
    .split("\n")
    .map((line) => {
      const text = line.trim();
      if (text === "") return "";
      const leading = /^[}\])]+/.exec(text)?.[0].length ?? 0;
      const out = "  ".repeat(Math.max(0, depth - leading)) + text;
      for (const char of text) {
        if (char === "{" || char === "[" || char === "(") depth++;
        else if (char === "}" || char === "]" || char === ")") depth--;
      }
      return out;
    })
    .join("\n");
}
