import type { Selection } from "../api/kubernetes-api.js";
import type { KubernetesObject } from "../api/kubernetes-object.js";

/** Whether an object is among those that were asked for: by namespace, labels, and the fields of its metadata. */
export function isSelected(
  { metadata }: KubernetesObject,
  { namespace, labelSelector = "", fieldSelector = "" }: Selection,
): boolean {
  if (namespace !== undefined && metadata.namespace !== namespace) return false;
  const fields = { "metadata.name": metadata.name, "metadata.namespace": metadata.namespace ?? "" };
  return matches(labelSelector, metadata.labels ?? {}) && matches(fieldSelector, fields);
}

function matches(selector: string, values: Readonly<Record<string, string>>): boolean {
  return selector
    .split(",")
    .filter((term) => term !== "")
    .every((term) => {
      const [, name = "", operator, value] = /^([^!=]+)(?:(!=|==?)(.*))?$/.exec(term) ?? [];
      if (operator === undefined) return name in values;
      return (values[name] === value) === (operator !== "!=");
    });
}
