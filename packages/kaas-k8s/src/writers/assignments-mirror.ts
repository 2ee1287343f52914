import type { Assignment, Clock, Log, Random } from "@kaas/core";
import type { KubernetesApi } from "../api/kubernetes-api.js";
import { apiVersionOf } from "../api/resource.js";
import { KAFKA_CLUSTER_ASSIGNMENTS } from "../custom-resources.js";
import { assignmentStatus } from "./assignment-status.js";
import { LatestOnly } from "./latest-only.js";

const FIELD_MANAGER = "kaas-controller";

/** A rolling restart makes many assignments; people need not see each. */
const PAUSE_MS = 1000;

/** The object may not be there yet, or not any more: only the operator makes it. */
const BACKOFF = { firstMs: 1000, longestMs: 60_000 };

/** For one attempt. A busy server takes seconds to store thousands of topics, and has more to do if it is asked again. */
const TIMEOUT_MS = 30_000;

/** Which KafkaClusterAssignments is kept up to date. */
export interface AssignmentsMirrorOptions {
  readonly api: KubernetesApi;
  readonly namespace: string;
  /** Name of the KafkaClusterAssignments. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Shows the newest assignment in the status of a KafkaClusterAssignments. Nobody waits for it, and no broker reads it. */
export class AssignmentsMirror {
  readonly #writer: LatestOnly<Assignment>;

  constructor({ api, namespace, name, clock, random, log }: AssignmentsMirrorOptions) {
    const { kind } = KAFKA_CLUSTER_ASSIGNMENTS;
    const apiVersion = apiVersionOf(KAFKA_CLUSTER_ASSIGNMENTS);
    this.#writer = new LatestOnly({
      write: async (assignment, signal) => {
        const object = { apiVersion, kind, metadata: { namespace, name }, status: assignmentStatus(assignment) };
        const patch = { type: "apply", object, fieldManager: FIELD_MANAGER, isForced: true } as const;
        const options = { subresource: "status", timeoutMs: TIMEOUT_MS, signal } as const;
        await api.patch(KAFKA_CLUSTER_ASSIGNMENTS, { namespace, name }, patch, options);
      },
      what: `KafkaClusterAssignments ${name}`,
      backoff: BACKOFF,
      pauseMs: PAUSE_MS,
      clock,
      random,
      log,
    });
  }

  /** Shows it in place of the one before. One that was not written yet is skipped. */
  publish(assignment: Assignment): void {
    this.#writer.set(assignment);
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    await this.#writer.stop();
  }
}
