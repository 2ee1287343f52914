import { KaasError } from "@kaas/core";

/** Which broker of a cluster this process is. */
export interface PodIdentity {
  /** The pod's name, such as `kaas-0`: the broker's name on the volume. */
  readonly name: string;
  /** The number that a StatefulSet gave the pod: Kafka's `node.id`. */
  readonly ordinal: number;
  /** Name of the StatefulSet: the pod's without the number. */
  readonly set: string;
  readonly namespace: string;
}

const NAMED_BY_STATEFUL_SET = /^(?<set>[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?)-(?<ordinal>0|[1-9][0-9]{0,8})$/;

/**
 * The identity that the downward API put into the environment: `MY_POD_NAME` and `MY_POD_NAMESPACE`. Undefined where
 * there is no pod name, which is to say outside of Kubernetes.
 *
 * @throws KaasError KAAS_CONFIG_INVALID for a name that no StatefulSet gives, or a namespace that is missing.
 */
export function podIdentity(environment: Readonly<Record<string, string | undefined>>): PodIdentity | undefined {
  const { MY_POD_NAME: name = "", MY_POD_NAMESPACE: namespace = "" } = environment;
  if (name === "") return undefined;
  const { set, ordinal } = NAMED_BY_STATEFUL_SET.exec(name)?.groups ?? {};
  if (set === undefined || ordinal === undefined) {
    throw new KaasError(
      "KAAS_CONFIG_INVALID",
      `MY_POD_NAME: "${name}" does not end in the number of a pod of a StatefulSet, such as kaas-0`,
    );
  }
  if (namespace === "") {
    throw new KaasError(
      "KAAS_CONFIG_INVALID",
      "MY_POD_NAMESPACE is missing beside MY_POD_NAME; let the pod spec set both from its metadata",
    );
  }
  return { name, ordinal: Number(ordinal), set, namespace };
}
