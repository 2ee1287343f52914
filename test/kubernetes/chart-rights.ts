import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { ControlPlane } from "./control-plane.js";

const ROLES = fileURLToPath(new URL("../../deploy/helm/kaas/templates/roles.yaml", import.meta.url));
const GROUP = "rbac.authorization.k8s.io";

/** The parts of kaas that have rights of their own. Each is known to the API server by this name. */
export type Part = "broker" | "operator";

/** Gives a part of kaas, in a namespace, the rights that the chart gives it, and no others. */
export async function grantChartRights(plane: ControlPlane, namespace: string, part: Part): Promise<void> {
  const path = `/apis/${GROUP}/v1/namespaces/${namespace}`;
  const apiVersion = `${GROUP}/v1`;
  const metadata = { name: part };
  const role = { apiVersion, kind: "Role", metadata, rules: chartRules(part) };
  const binding = {
    apiVersion,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: GROUP, kind: "Role", name: part },
    subjects: [{ apiGroup: GROUP, kind: "User", name: part }],
  };
  await plane.ask("POST", `${path}/roles`, JSON.stringify(role));
  await plane.ask("POST", `${path}/rolebindings`, JSON.stringify(binding));
}

/** Those lines of the chart's template that are the same for everybody. */
function chartRules(part: Part): unknown {
  const documents = readFileSync(ROLES, "utf8").split(/^---$/m);
  const role = documents.find((text) => /kind: Role\n/.test(text) && text.includes(`}}-${part}`));
  if (role === undefined) throw new Error(`the chart has no Role for the ${part}`);
  const lines = role.slice(role.indexOf("rules:")).split("\n");
  return (parse(lines.filter((line) => !line.includes("{{")).join("\n")) as { rules: unknown }).rules;
}
