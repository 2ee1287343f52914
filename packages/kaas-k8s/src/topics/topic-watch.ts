import type { KafkaTopic } from "@kaas/operator-api";
import { KAFKA_TOPICS } from "../custom-resources.js";
import { Reflector, type ReflectorHealth, type ReflectorSurroundings } from "../reflector/reflector.js";
import { TopicWatchState } from "./topic-watch-state.js";
import type { TopicWatchListener } from "./watched-topic.js";

/** Which KafkaTopics are followed, and who is told. */
export interface TopicWatchOptions extends ReflectorSurroundings {
  readonly namespace: string;
  readonly listener: TopicWatchListener;
}

/** Follows the KafkaTopics of a namespace. */
export class TopicWatch {
  readonly state: TopicWatchState;
  readonly #reflector: Reflector<KafkaTopic>;

  constructor({ namespace, listener, ...surroundings }: TopicWatchOptions) {
    this.state = new TopicWatchState(listener, surroundings.log);
    this.#reflector = new Reflector({
      ...surroundings,
      resource: KAFKA_TOPICS,
      selection: { namespace },
      sink: this.state,
    });
  }

  get health(): ReflectorHealth {
    return this.#reflector.health;
  }

  /** Lists and watches from now on, for ever; a second call changes nothing. */
  start(): void {
    this.#reflector.start();
  }

  /** Resolves when nothing is asked any more. The state keeps what it knew. */
  async stop(): Promise<void> {
    await this.#reflector.stop();
  }
}
