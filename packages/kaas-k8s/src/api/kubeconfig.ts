import { KaasError } from "@kaas/core";
import type { ApiServerAccess } from "./api-server-access.js";

/**
 * The API server that a kubeconfig names: the file given, else those of `KUBECONFIG`, else `~/.kube/config`. Knows all
 * that kubectl does (certificates, tokens, exec plugins, OIDC), which is why Kubernetes' own client reads it; that is
 * loaded only here, as it takes a second and 80 MB.
 *
 * @throws KaasError KAAS_CONFIG_INVALID for a file that is missing or makes no sense.
 */
export async function kubeconfigAccess(file?: string): Promise<ApiServerAccess> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  try {
    if (file === undefined) config.loadFromDefault();
    else config.loadFromFile(file);
  } catch (cause) {
    throw new KaasError("KAAS_CONFIG_INVALID", `kubeconfig ${file ?? ""}: ${(cause as Error).message}`, { cause });
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    throw new KaasError("KAAS_CONFIG_INVALID", `kubeconfig ${file ?? ""}: its current-context names no cluster`);
  }
  if (cluster.proxyUrl !== undefined) {
    throw new KaasError(
      "KAAS_CONFIG_INVALID",
      `kubeconfig ${file ?? ""}: proxy-url is not supported; reach the API server without a proxy`,
    );
  }
  return {
    server: cluster.server,
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? "default",
    async credentials() {
      const options: Parameters<typeof config.applyToHTTPSOptions>[0] = {};
      await config.applyToHTTPSOptions(options);
      const { headers, auth, ca, cert, key, servername, rejectUnauthorized } = options;
      const basic = typeof auth === "string" ? { authorization: `Basic ${Buffer.from(auth).toString("base64")}` } : {};
      return {
        headers: { ...(headers as Record<string, string> | undefined), ...basic },
        ca: ca as string | Buffer | undefined,
        cert: cert as string | Buffer | undefined,
        key: key as string | Buffer | undefined,
        servername,
        rejectUnauthorized,
      };
    },
  };
}
