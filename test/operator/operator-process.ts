import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OPERATOR_USER, type Site } from "./site.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * The operator as the chart runs it: a process that knows its environment alone. Its log is its standard output. The
 * volume's folder has the data directory `data`, and may have a further one, `fast`.
 */
export function spawnOperator(site: Pick<Site, "plane" | "namespace" | "volume">, healthPort: number): ChildProcess {
  const further = join(site.volume, "fast");
  return spawn(process.execPath, ["--import", "tsx", join(ROOT, "apps/operator/src/main.ts")], {
    cwd: ROOT,
    env: {
      ...process.env,
      KUBECONFIG: `${site.plane.kubeconfig}-${OPERATOR_USER}`,
      MY_POD_NAME: "kaas-operator-0",
      MY_POD_NAMESPACE: site.namespace,
      KAAS_DATA_DIR: join(site.volume, "data"),
      ...(existsSync(further) ? { KAAS_LOG_DIRS: further } : {}),
      KAAS_HEALTH_PORT: String(healthPort),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
}
