import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { type Clock, KaasError } from "@kaas/core";
import type { ApiServerAccess, Credentials } from "./api-server-access.js";

/** Where Kubernetes mounts a pod's token. */
const MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Tokens are renewed long before they end; the files are not read for every request. */
const REREAD_AFTER_MS = 60_000;

export interface InClusterOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Where the token is mounted, if not where Kubernetes does it. */
  readonly mount?: string;
}

/** Whether this process runs in a pod, by the variables that every pod gets. */
export function isInCluster(environment: InClusterOptions["environment"]): boolean {
  return (environment["KUBERNETES_SERVICE_HOST"] ?? "") !== "";
}

/**
 * The API server as a pod reaches it: address from the environment, token and authority from the mounted files, which
 * are read again as they are renewed.
 *
 * @throws KaasError KAAS_CONFIG_INVALID where no token is mounted.
 */
export async function inClusterAccess({
  environment,
  clock,
  mount = MOUNT,
}: InClusterOptions): Promise<ApiServerAccess> {
  const host = environment["KUBERNETES_SERVICE_HOST"] ?? "";
  const port = environment["KUBERNETES_SERVICE_PORT"] ?? "443";
  const read = async (): Promise<Credentials> => {
    const [token, ca] = await Promise.all([readFile(`${mount}/token`, "utf8"), readFile(`${mount}/ca.crt`)]);
    return { headers: { authorization: `Bearer ${token.trim()}` }, ca };
  };
  const namespace = await readFile(`${mount}/namespace`, "utf8").catch(missingToken);
  let current = await read().catch(missingToken);
  let readAt = clock.monotonic();
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    namespace: namespace.trim(),
    async credentials() {
      if (clock.monotonic() - readAt >= REREAD_AFTER_MS) {
        current = await read();
        readAt = clock.monotonic();
      }
      return current;
    },
  };
}

function missingToken(cause: unknown): never {
  throw new KaasError(
    "KAAS_CONFIG_INVALID",
    `the pod has no ServiceAccount token (${(cause as Error).message}); do not set automountServiceAccountToken: false`,
    { cause },
  );
}
