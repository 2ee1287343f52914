import { KubernetesError } from "@kaas/k8s";

/** Bad request, forbidden, invalid. */
const STATUSES: readonly number[] = [400, 403, 422];

/** Whether the API server will not have an object, as it is or at all: no fault of what is beside it. */
export function isRefused(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && STATUSES.includes(error.status);
}
