import type { ConfigDefinition } from "../../packages/kaas-core/src/config/config-definition.js";
import { table } from "./section.js";

const LONG_MAX = "9223372036854775807";

function shownDefault({ defaultValue }: ConfigDefinition): string {
  if (defaultValue === null) return "none";
  if (defaultValue === "") return "empty";
  return defaultValue === LONG_MAX ? "2⁶³ − 1" : `\`${defaultValue}\``;
}

/** The configurations of one standing, with what they do or why they do nothing. */
export function configTable(definitions: readonly ConfigDefinition[], standing: ConfigDefinition["standing"]): string {
  const rows = definitions
    .filter((definition) => definition.standing === standing && definition.internal !== true)
    .map((definition) => [
      `\`${definition.name}\``,
      definition.type,
      shownDefault(definition),
      definition.rule?.text ?? "",
      definition.documentation,
    ]);
  return table(["name", "type", "default", "values", standing === "honoured" ? "what it does" : "why"], rows);
}

/** The configurations of one standing by the reason that they share, for tables that would else be very long. */
export function reasonTable(definitions: readonly ConfigDefinition[], standing: ConfigDefinition["standing"]): string {
  const byReason = new Map<string, string[]>();
  for (const { name, documentation, internal, standing: its } of definitions) {
    if (its !== standing || internal === true) continue;
    const names = byReason.get(documentation) ?? [];
    byReason.set(documentation, names);
    names.push(`\`${name}\``);
  }
  return table(
    ["configs", "why they do nothing"],
    [...byReason].map(([reason, names]) => [names.join(", "), reason]),
  );
}

/** Names of the configurations that do something and can be changed while a broker runs. */
export function runTimeList(
  definitions: readonly (ConfigDefinition & { readonly dynamic?: "cluster" | "broker" })[],
): string {
  return definitions
    .filter(({ standing, dynamic }) => standing === "honoured" && dynamic !== undefined)
    .map(({ name }) => `\`${name}\``)
    .join(", ");
}
