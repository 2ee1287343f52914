import { isDeepStrictEqual } from "node:util";
import type { Clock } from "@kaas/core";
import type { KubernetesApi, KubernetesObject, Resource } from "@kaas/k8s";
import type { Condition } from "@kaas/operator-api";
import type { EventRecorder } from "./event-recorder.js";
import { isNews, isTurn, type Verdict, withCondition, withoutCondition } from "./ready-condition.js";

interface Reported extends KubernetesObject {
  readonly status?:
    | { readonly conditions?: readonly Condition[] | undefined; readonly observedGeneration?: number | undefined }
    | undefined;
}

export interface StatusReporterOptions {
  readonly api: KubernetesApi;
  readonly events: EventRecorder;
  readonly clock: Clock;
}

/** Keeps the status of resources: writes what has changed and nothing else, and tells people what is new. */
export class StatusReporter {
  readonly #options: StatusReporterOptions;

  constructor(options: StatusReporterOptions) {
    this.#options = options;
  }

  /**
   * Writes a status with a verdict. Fields that are null go; those that are not named stay.
   *
   * @param also further conditions by their type; one that is undefined goes
   */
  async report<T extends Reported>(
    resource: Resource<T>,
    object: T,
    verdict: Verdict,
    fields: Readonly<Record<string, unknown>> = {},
    also: Readonly<Record<string, Verdict | undefined>> = {},
  ): Promise<void> {
    const { clock } = this.#options;
    const { generation } = object.metadata;
    const before = object.status?.conditions;
    let conditions = withCondition(before, "Ready", verdict, generation, clock.now());
    for (const [type, one] of Object.entries(also)) {
      conditions =
        one === undefined
          ? withoutCondition(conditions, type)
          : withCondition(conditions, type, one, generation, clock.now());
    }
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    await this.write(resource, object, { ...fields, ...observed, conditions });
    if (isNews(before, verdict)) this.#tell(object, verdict, "Reconcile");
    for (const [type, one] of Object.entries(also)) {
      if (one !== undefined && isTurn(before, type, one)) this.#tell(object, one, type);
    }
  }

  #tell(object: KubernetesObject, { isReady, reason, message }: Verdict, action: string): void {
    const isGood = isReady || reason === "Progressing";
    this.#options.events.record(object, { type: isGood ? "Normal" : "Warning", reason, note: message, action });
  }

  /**
   * Writes fields of a status, unless they are there already. Fails with a conflict if the object is not as it was seen:
   * it may be being deleted by now, or another operator may have decided something else.
   */
  async write<T extends Reported>(
    resource: Resource<T>,
    object: T,
    fields: Readonly<Record<string, unknown>>,
  ): Promise<T> {
    const status = (object.status ?? {}) as Readonly<Record<string, unknown>>;
    const changed = Object.entries(fields).filter(
      ([name, value]) => !isDeepStrictEqual(status[name] ?? null, value ?? null),
    );
    if (changed.length === 0) return object;
    const { name, namespace, resourceVersion } = object.metadata;
    const patch = {
      type: "merge",
      object: { metadata: { resourceVersion }, status: Object.fromEntries(changed) },
    } as const;
    const ref = namespace === undefined ? { name } : { name, namespace };
    return await this.#options.api.patch(resource, ref, patch, { subresource: "status" });
  }
}
