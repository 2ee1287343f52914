import type { MessageSchema } from "../schema.js";
import { generateDecoder, generateDefault } from "./decoders.js";
import { generateEncoder } from "./encoders.js";
import { layoutOf } from "./layout.js";
import { generateTypes } from "./types.js";

/** Imports of a generated file; names that it does not use are left out. */
const IMPORTS: readonly { readonly from: string; readonly names: readonly string[] }[] = [
  { from: "../../wire/reader.js", names: ["type Reader", "ZERO_UUID"] },
  { from: "../../wire/writer.js", names: ["type Records", "recordsSize", "type Writer"] },
  { from: "../absent.js", names: ["EMPTY", "NONE", "nullNotAllowed"] },
];

/** TypeScript source with the types, decoders and encoders of some messages. */
export function generateSource(messages: readonly MessageSchema[]): string {
  let body = "";
  for (const message of messages) {
    for (const struct of layoutOf(message).structs) {
      body += generateTypes(struct) + generateDecoder(struct) + generateEncoder(struct);
      const factory = generateDefault(struct);
      body += factory;
    }
  }
  body = dropUnusedDefaults(body);
  const uses = (name: string): boolean => new RegExp(`\\b${name.replace("type ", "")}\\b`).test(body);
  const imports = IMPORTS.map(({ from, names }) => {
    const used = names.filter(uses);
    return used.length === 0 ? "" : `import { ${used.join(", ")} } from "${from}";\n`;
  }).join("");
  return `// Generated from the schema tables; change those and run \`npm run generate\`.\n${imports}\n${indent(body)}`;
}

/** Removes factories of default structs that nothing calls, again and again, since they may call each other. */
function dropUnusedDefaults(source: string): string {
  let current = source;
  for (;;) {
    const next = current.replace(/function (default\w+)\(\)[^]*?\n}\n\n/g, (whole, name: string) =>
      current.split(`${name}()`).length > 2 ? whole : "",
    );
    if (next === current) return current;
    current = next;
  }
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
