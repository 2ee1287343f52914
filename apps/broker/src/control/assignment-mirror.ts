import type { Assignment, Log } from "@kaas/core";
import { KAFKA_CLUSTER_ASSIGNMENTS, type KubernetesApi } from "@kaas/k8s";

/** etcd takes 1.5 MiB; the rest of the object and its managed fields have to fit as well. */
export const MIRRORED_BYTES_MAX = 900_000;
const PATCH_TIMEOUT_MS = 5_000;

export interface AssignmentMirrorOptions {
  readonly api: KubernetesApi;
  readonly namespace: string;
  /** Of the KafkaClusterAssignments. */
  readonly name: string;
  readonly log: Log;
}

/** Shows assignments in Kubernetes: the newest, when it can; nobody waits for it. */
export class AssignmentMirror {
  readonly #options: AssignmentMirrorOptions;
  #next: Assignment | undefined;
  #isWriting = false;

  constructor(options: AssignmentMirrorOptions) {
    this.#options = options;
  }

  show(assignment: Assignment): void {
    this.#next = assignment;
    if (!this.#isWriting) void this.#write();
  }

  async #write(): Promise<void> {
    const { api, namespace, name, log } = this.#options;
    this.#isWriting = true;
    while (this.#next !== undefined) {
      const object = { status: mirroredStatus(this.#next) };
      this.#next = undefined;
      try {
        const options = { subresource: "status", timeoutMs: PATCH_TIMEOUT_MS } as const;
        await api.patch(KAFKA_CLUSTER_ASSIGNMENTS, { namespace, name }, { type: "merge", object }, options);
      } catch (error) {
        log.debug({ err: error }, "the assignment is not shown in Kubernetes");
      }
    }
    this.#isWriting = false;
  }
}

/** The status of a KafkaClusterAssignments: whole, or with as many topics as it can hold. */
export function mirroredStatus(assignment: Assignment, bytesMax: number = MIRRORED_BYTES_MAX): Record<string, unknown> {
  const leads = new Map<number, number>();
  let partitionCount = 0;
  for (const { leaders } of assignment.topics) {
    partitionCount += leaders.length;
    for (const leader of leaders) leads.set(leader, (leads.get(leader) ?? 0) + 1);
  }
  const whole = {
    controllerId: assignment.controllerId,
    controllerEpoch: assignment.controllerEpoch,
    version: assignment.version,
    publishedAt: new Date(assignment.createdMs).toISOString(),
    brokers: assignment.brokers.map(({ nodeId, name, rack, isFenced }) => ({
      nodeId,
      name,
      ...(rack === null ? {} : { rack }),
      fenced: isFenced,
      leads: leads.get(nodeId) ?? 0,
    })),
    slots: assignment.slots,
    topicCount: assignment.topics.length,
    partitionCount,
  };
  let bytes = JSON.stringify(whole).length;
  const topics: unknown[] = [];
  for (const { name, topicId, leaders, leaderEpochs } of assignment.topics) {
    const topic = { name, topicId, leaders, leaderEpochs };
    bytes += JSON.stringify(topic).length + 1;
    if (bytes > bytesMax) return { ...whole, topics, truncated: true };
    topics.push(topic);
  }
  return { ...whole, topics, truncated: false };
}
