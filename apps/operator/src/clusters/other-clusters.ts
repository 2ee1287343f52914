import { KAFKA_CLUSTERS } from "@kaas/k8s";
import type { KafkaCluster } from "@kaas/operator-api";
import { isStill, reconcileBySteps } from "../reconciling/steps.js";
import { OUTDATED, type Turn } from "../reconciling/work-queue.js";
import type { EventRecorder } from "../reporting/event-recorder.js";
import type { StatusReporter } from "../reporting/status-reporter.js";
import { namespaceTaken } from "./namespace-owner.js";

export interface OtherClustersOptions {
  /** Name of the cluster that is this operator's. */
  readonly clusterName: string;
  readonly reporter: StatusReporter;
  readonly events: Pick<EventRecorder, "record">;
  readonly find: (name: string) => KafkaCluster | undefined;
  readonly owner: () => KafkaCluster | undefined;
  readonly leads: () => boolean;
}

/**
 * KafkaClusters that are not this operator's. Nobody else may be there to say so: one that somebody has written by hand
 * would be waited for without a word.
 */
export class OtherClusters {
  readonly #options: OtherClustersOptions;
  /** Uids of those that were told of by an Event. */
  readonly #told = new Set<string>();

  constructor(options: OtherClustersOptions) {
    this.#options = options;
  }

  async reconcile(name: string): Promise<Turn> {
    const { clusterName, reporter, find, owner, leads } = this.#options;
    const object = find(name);
    const first = owner();
    if (object === undefined || first === undefined || object.metadata.deletionTimestamp !== undefined) return {};
    // A condition is for its own operator to write, if it has the namespace, and there is one.
    if (first.metadata.name !== clusterName) return this.#tell(object);
    const refusal = namespaceTaken(first);
    const outcome = await reconcileBySteps({
      steps: [{ name: "see whose namespace it is", run: async () => refusal }],
      run: object,
      goesOn: () => leads() && isStill(object, find(name)),
      whenDone: async () => {},
      whenRefused: (why) => reporter.report(KAFKA_CLUSTERS, object, { isReady: false, ...why }),
    });
    return outcome === "outdated" ? OUTDATED : {};
  }

  #tell(object: KafkaCluster): Turn {
    const { clusterName, events } = this.#options;
    const { name, uid = "" } = object.metadata;
    if (this.#told.has(uid)) return {};
    this.#told.add(uid);
    events.record(object, {
      type: "Warning",
      reason: "OtherCluster",
      note: `the operator of KafkaCluster ${clusterName} has seen this one, which is called ${name}, and leaves the namespace to it; a KafkaCluster is written by the chart, together with the brokers`,
      action: "Ignore",
    });
    return {};
  }
}
