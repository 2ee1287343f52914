import { KAFKA_CLUSTERS } from "@kaas/k8s";
import type { KafkaCluster, KafkaClusterStatus } from "@kaas/operator-api";
import { isStill, reconcileBySteps, type Refusal, type Step } from "../reconciling/steps.js";
import { OUTDATED, type Turn } from "../reconciling/work-queue.js";
import type { Verdict } from "../reporting/ready-condition.js";
import type { StatusReporter } from "../reporting/status-reporter.js";
import type { ClusterRun } from "./cluster-run.js";
import { listenerStatuses } from "./cluster-status.js";

/** How often a cluster is looked at when nothing happens, and when something is waited for, or in the way. */
const CLUSTER_INTERVAL_MS = 300_000;
const PENDING_INTERVAL_MS = 15_000;

export interface ClusterReconcilerOptions {
  readonly steps: readonly Step<ClusterRun>[];
  readonly reporter: StatusReporter;
  readonly find: (name: string) => KafkaCluster | undefined;
  readonly leads: () => boolean;
  /** Kafka's cluster id, once brokers have made one. */
  readonly clusterId: () => Promise<string | undefined>;
}

/** Makes the Services, routes and certificates of a cluster what its KafkaCluster says. */
export class ClusterReconciler {
  readonly #options: ClusterReconcilerOptions;

  constructor(options: ClusterReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(name: string): Promise<Turn> {
    const { find, steps, leads } = this.#options;
    const object = find(name);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return {};
    const run: ClusterRun = { object, refused: new Map(), pending: [] };
    const outcome = await reconcileBySteps({
      steps,
      run,
      goesOn: () => leads() && isStill(object, find(name)),
      whenDone: () => this.#report(run, verdictOf(run)),
      whenRefused: (refusal) => this.#report(run, refusalOf(run, [refusal, ...run.refused.values()])),
    });
    if (outcome === "outdated") return OUTDATED;
    if (outcome === "stopped") return {};
    const isWaiting = run.pending.length > 0 || run.refused.size > 0;
    return { againAfterMs: isWaiting ? PENDING_INTERVAL_MS : CLUSTER_INTERVAL_MS };
  }

  async #report(run: ClusterRun, verdict: Verdict): Promise<void> {
    const { object, addresses } = run;
    const clusterId = await this.#options.clusterId();
    // Who did not get as far as the addresses says nothing of them.
    const known = addresses === undefined ? {} : reached(run, listenerStatuses(object, addresses));
    await this.#options.reporter.report(KAFKA_CLUSTERS, object, verdict, {
      ...known,
      ...(clusterId === undefined ? {} : { clusterId }),
    });
  }
}

function verdictOf(run: ClusterRun): Verdict {
  const { object, pending, refused } = run;
  if (refused.size > 0) return refusalOf(run, [...refused.values()]);
  if (pending.length > 0) return { isReady: false, reason: "Pending", message: pending.join("; ") };
  const { listeners, replicas } = object.spec;
  const names = listeners.map(({ name }) => name).join(", ");
  const provided = replicas === 1 ? "1 broker has what it needs" : `${replicas} brokers have what they need`;
  return { isReady: true, reason: "Ready", message: `${provided}; listeners ${names}` };
}

/** Everything that keeps a cluster from being ready; the reason is that of the first. */
function refusalOf({ pending }: ClusterRun, refusals: readonly Refusal[]): Verdict {
  const messages = new Set([...refusals.map(({ message }) => message), ...pending]);
  return { isReady: false, reason: refusals[0]?.reason ?? "Failed", message: [...messages].join("; ") };
}

/** The status of what is reached, and of what a table can show of it: a column has one value, not one a listener. */
function reached(
  run: ClusterRun,
  listeners: NonNullable<KafkaClusterStatus["listeners"]>,
): Pick<KafkaClusterStatus, "listeners" | "replicas" | "bootstrapServers"> {
  const bootstrapServers = listeners.map((listener) => `${listener.name}=${listener.bootstrapServers}`).join(" ");
  return { listeners, replicas: reachable(run), bootstrapServers };
}

/** How many brokers can be reached by every listener. */
function reachable({ object, refused, addresses = [] }: ClusterRun): number {
  if (refused.size > 0) return 0;
  const external = object.spec.listeners.filter(({ type }) => type !== "internal").map(({ name }) => name);
  const known = addresses.filter(({ name }) => external.includes(name)).map(({ brokers }) => brokers.length);
  return Math.min(object.spec.replicas, ...known);
}
