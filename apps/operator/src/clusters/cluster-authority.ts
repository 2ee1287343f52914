import type { KafkaCluster } from "@kaas/operator-api";
import { SECRETS, type Secret } from "../kubernetes/resources.js";
import type { Refusal } from "../reconciling/steps.js";
import { type DesiredObject, desired } from "./desired-object.js";

/** The key of an authority's certificate, as cert-manager and Kubernetes have it. */
export const AUTHORITY_KEY = "ca.crt";

/** Name of the Secret with the authority that clients check the brokers' certificate against, as Strimzi names it. */
export function clusterAuthorityName(clusterName: string): string {
  return `${clusterName}-cluster-ca-cert`;
}

/** That Secret: the brokers' own has their private key beside it, which is nothing for clients. */
export function clusterAuthority(cluster: KafkaCluster, brokers: Secret | undefined): readonly DesiredObject[] {
  const certificate = brokers?.data?.[AUTHORITY_KEY];
  // Of an issuer that the world trusts anyway there is none.
  if (certificate === undefined || certificate === "") return [];
  const name = clusterAuthorityName(cluster.metadata.name);
  return [desired(cluster, [SECRETS], { name, data: { [AUTHORITY_KEY]: certificate } })];
}

export const foreignAuthority = (name: string): Refusal => ({
  reason: "SecretTaken",
  message: `Secret ${name} was not made for this cluster, and is left alone; delete it, or install the release under another name`,
});
