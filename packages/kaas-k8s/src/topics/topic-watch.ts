import type { Clock, Log, Random } from "@kaas/core";
import type { KafkaTopic } from "@kaas/operator-api";
import type { KubernetesApi } from "../api/kubernetes-api.js";
import { KAFKA_TOPICS } from "../custom-resources.js";
import { Reflector, type ReflectorHealth, type ReflectorTiming } from "../reflector/reflector.js";
import type { ServerPresence } from "../reflector/server-presence.js";
import { TopicWatchState } from "./topic-watch-state.js";
import type { TopicWatchListener } from "./watched-topic.js";

export interface TopicWatchOptions {
  readonly api: KubernetesApi;
  readonly namespace: string;
  readonly listener: TopicWatchListener;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly timing?: Partial<ReflectorTiming>;
  readonly presence?: ServerPresence;
}

/** Follows the KafkaTopics of a namespace. */
export class TopicWatch {
  readonly state: TopicWatchState;
  readonly #reflector: Reflector<KafkaTopic>;

  constructor({ api, namespace, listener, clock, random, log, timing, presence }: TopicWatchOptions) {
    this.state = new TopicWatchState(listener, log);
    this.#reflector = new Reflector<KafkaTopic>({
      api,
      resource: KAFKA_TOPICS,
      selection: { namespace },
      sink: this.state,
      clock,
      random,
      log,
      presence,
      ...(timing === undefined ? {} : { timing }),
    });
  }

  get health(): ReflectorHealth {
    return this.#reflector.health;
  }

  start(): void {
    this.#reflector.start();
  }

  async stop(): Promise<void> {
    await this.#reflector.stop();
  }
}
