import type { KubernetesObject } from "../api/kubernetes-object.js";
import type { Resource } from "../api/resource.js";

/** A machine of the Kubernetes cluster; of it, labels are all that is used. */
export const NODES: Resource<KubernetesObject> = {
  group: "",
  version: "v1",
  kind: "Node",
  plural: "nodes",
  isNamespaced: false,
};
