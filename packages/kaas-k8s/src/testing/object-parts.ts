import type { KubernetesObject } from "../api/kubernetes-object.js";
import type { Fields } from "./keyed-lists.js";

/** Everything that counts as the object's content, for its generation. */
export function specOf(object: KubernetesObject): string {
  const { metadata: _, status: __, ...content } = object as KubernetesObject & { status?: unknown };
  return JSON.stringify(content);
}

/** A change of the status changes nothing else, and any other change does not change the status. */
export function keepOther(
  before: KubernetesObject,
  wanted: KubernetesObject,
  subresource: "status" | undefined,
): KubernetesObject {
  const { status: oldStatus, ...oldRest } = before as KubernetesObject & { status?: unknown };
  const { status, ...rest } = wanted as KubernetesObject & { status?: unknown };
  const [kept, keptStatus] = subresource === "status" ? [oldRest, status] : [rest, oldStatus];
  return { ...kept, ...(keptStatus === undefined ? {} : { status: keptStatus }) };
}

/** Fields that nobody owns. */
export function withoutIdentity(object: KubernetesObject | undefined): Fields {
  if (object === undefined) return {};
  const { apiVersion: _a, kind: _k, metadata, ...body } = object;
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  const owned = Object.entries({ labels, annotations, finalizers, ownerReferences }).filter(([, v]) => v !== undefined);
  return { ...body, ...(owned.length === 0 ? {} : { metadata: Object.fromEntries(owned) }) };
}
