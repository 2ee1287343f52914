import { UsageError } from "../usage-error.js";
import { type Connection, connectionArguments } from "./connection.js";
import type { Kubectl } from "./kubectl-process.js";

const BROKERS = "app.kubernetes.io/name=kaas,app.kubernetes.io/component=broker";
const INSTANCE = "app.kubernetes.io/instance";

/** As much of a pod as says whether something can be run in it. */
interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/**
 * The name of a broker's pod that is ready: the one that was named, or the first of the only cluster in the namespace.
 *
 * @throws UsageError when there is none, or it is not clear of which cluster
 */
export async function findBrokerPod(kubectl: Kubectl, connection: Connection): Promise<string> {
  if (connection.pod !== undefined) return connection.pod;
  const args = [...connectionArguments(connection), "get", "pods", "--selector", BROKERS, "--output", "json"];
  const { code, stdout, stderr } = await kubectl.ask(args);
  if (code !== 0) throw new UsageError(`kubectl get pods failed: ${stderr.trim() || `it ended with ${code}`}`);
  const pods = (JSON.parse(stdout) as { readonly items: readonly Pod[] }).items;
  const where = connection.namespace === undefined ? "the namespace" : `namespace ${connection.namespace}`;
  if (pods.length === 0) throw new UsageError(`there is no broker's pod in ${where}; say where: -n NAMESPACE`);
  const clusters = [...new Set(pods.map(({ metadata }) => metadata.labels?.[INSTANCE] ?? ""))].sort();
  if (clusters.length > 1) {
    throw new UsageError(`${where} has brokers of several clusters: ${clusters.join(", ")}; name a pod: --pod NAME`);
  }
  const ready = pods.find(isReady);
  if (ready !== undefined) return ready.metadata.name;
  const states = pods.map(({ metadata, status }) => `${metadata.name} is ${status?.phase ?? "unknown"}`).join(", ");
  throw new UsageError(`no broker's pod in ${where} is ready: ${states}. One that runs will do: --pod NAME`);
}

function isReady({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return (status?.conditions ?? []).some((one) => one.type === "Ready" && one.status === "True");
}
