import { stringify } from "yaml";
import { customResourceDefinitions } from "./custom-resource-definition.js";

const HEADER = "# Generated from packages/kaas-operator-api: npm run generate --workspace @kaas/operator-api\n";

/** The files that hold the definitions, by name. */
export function crdFiles(): ReadonlyMap<string, string> {
  return new Map(
    customResourceDefinitions().map((definition) => [
      `${definition.metadata.name}.yaml`,
      HEADER + stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false }),
    ]),
  );
}
