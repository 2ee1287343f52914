import type { Log } from "@kaas/core";
import { KAFKA_TOPICS, KAFKA_USERS, type KubernetesApi } from "@kaas/k8s";
import type { KafkaTopic, KafkaUser } from "@kaas/operator-api";
import type { CredentialsFile } from "@kaas/storage";
import type { Turn } from "../reconciling/work-queue.js";
import type { AclKeeper } from "../users/acl-keeper.js";
import type { SweepFailure, TopicRemovals } from "./topic-removals.js";
import { sweepSecrets, sweepUsers } from "./user-sweep.js";

/** How often is looked for what was left. */
export const SWEEP_INTERVAL_MS = 300_000;

export interface SweepOptions {
  readonly api: KubernetesApi;
  readonly namespace: string;
  readonly removals: TopicRemovals;
  /** All KafkaTopics and KafkaUsers, as watched. */
  readonly topics: () => readonly KafkaTopic[];
  readonly users: () => readonly KafkaUser[];
  readonly credentials: CredentialsFile;
  readonly acls: AclKeeper;
  /** Whether the volume has a cluster. While it has none, nothing on it is an orphan. */
  readonly hasCluster: () => boolean;
  readonly leads: () => boolean;
  readonly log: Log;
}

/**
 * Removes what resources that are gone have left, also while no operator was there to see them go. Each part is tried,
 * whatever becomes of the others; what could not be removed is tried again by the next sweep.
 */
export class Sweep {
  readonly #options: SweepOptions;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  async run(): Promise<Turn> {
    const { leads, log, hasCluster } = this.#options;
    for (const { name, run } of this.#parts()) {
      if (!leads()) return {};
      if (!hasCluster()) break;
      try {
        for (const { what, error } of (await run()) ?? [])
          log.warn({ err: error, what }, `sweep: ${what} is not removed yet`);
      } catch (error) {
        log.warn({ err: error, part: name }, `sweep: ${name} failed, and is tried again`);
      }
    }
    return { againAfterMs: SWEEP_INTERVAL_MS };
  }

  #parts(): readonly { readonly name: string; readonly run: () => Promise<readonly SweepFailure[] | undefined> }[] {
    const { api, namespace, removals, topics, users } = this.#options;
    /**
     * Asked for now, and whole, as the watch may not have told of it yet; together with what it has told, as that may be
     * newer than the list when something is removed.
     */
    const allUsers = async () => {
      const { items } = await api.list(KAFKA_USERS, { namespace });
      return () => [...items, ...users()];
    };
    return [
      {
        name: "topics",
        run: async () => removals.sweep((await api.list(KAFKA_TOPICS, { namespace })).items, topics),
      },
      {
        name: "users",
        run: async () => {
          await sweepUsers(await allUsers(), this.#options);
          return undefined;
        },
      },
      {
        name: "secrets",
        run: async () => {
          await sweepSecrets(await allUsers(), api, namespace);
          return undefined;
        },
      },
    ];
  }
}
