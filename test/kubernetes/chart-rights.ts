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

/** What the template puts in for a release that is called kaas. */
const RELEASE: Readonly<Record<string, string>> = {
  "{{ $name }}": "kaas",
  '{{ include "kaas.broker.pods" . }}': JSON.stringify(Array.from({ length: 100 }, (_, ordinal) => `kaas-${ordinal}`)),
};

/** The rules of the chart's template. One that nobody knows how to fill in is an error, as it might grant more. */
function chartRules(part: Part): unknown {
  const template = Object.entries(RELEASE).reduce(
    (text, [placeholder, value]) => text.replaceAll(placeholder, value),
    readFileSync(ROLES, "utf8"),
  );
  const documents = template.split(/^---$/m);
  const role = documents.find((text) => /kind: Role\n/.test(text) && text.includes(`name: kaas-${part}\n`));
  if (role === undefined) throw new Error(`the chart has no Role for the ${part}`);
  const rules = role.slice(role.indexOf("rules:")).replace(/^\{\{- (if|end|with|range).*$/gm, "");
  if (rules.includes("{{")) throw new Error(`the Role for the ${part} has what is not filled in: ${rules}`);
  return (parse(rules) as { rules: unknown }).rules;
}
