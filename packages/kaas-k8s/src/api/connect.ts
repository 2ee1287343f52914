import type { Clock } from "@kaas/core";
import type { ApiServerAccess } from "./api-server-access.js";
import { HttpKubernetesApi } from "./http-kubernetes-api.js";
import { inClusterAccess, isInCluster } from "./in-cluster.js";
import { kubeconfigAccess } from "./kubeconfig.js";
import type { KubernetesApi } from "./kubernetes-api.js";

/** What says how the API server is reached. */
export interface ConnectOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** A kubeconfig instead of what the environment says. */
  readonly kubeconfig?: string | undefined;
}

/** The API server of this cluster, and the namespace to work in where none is said. */
export interface Kubernetes {
  readonly api: KubernetesApi;
  readonly namespace: string;
}

/**
 * Reaches the API server: by the kubeconfig given or named by `KUBECONFIG`, else, in a pod, by its ServiceAccount, else by
 * the user's own kubeconfig. Sends nothing yet.
 *
 * @throws KaasError KAAS_CONFIG_INVALID where nothing says how.
 */
export async function connectKubernetes(options: ConnectOptions): Promise<Kubernetes> {
  const access = await accessOf(options);
  return { api: new HttpKubernetesApi(access, options.clock), namespace: access.namespace };
}

async function accessOf({ environment, clock, kubeconfig }: ConnectOptions): Promise<ApiServerAccess> {
  if (kubeconfig !== undefined) return await kubeconfigAccess(kubeconfig);
  const isNamed = (environment["KUBECONFIG"] ?? "") !== "";
  if (!isNamed && isInCluster(environment)) return await inClusterAccess({ environment, clock });
  return await kubeconfigAccess();
}
