import type { Log } from "@kaas/core";
import { type KafkaTopic, topicNameOf } from "@kaas/operator-api";
import type { TopicDirectories } from "@kaas/storage";

/** What a sweep could not do. The rest was done all the same. */
export interface SweepFailure {
  readonly what: string;
  readonly error: unknown;
}

export interface TopicRemovalsOptions {
  readonly directories: TopicDirectories;
  /** The uid of the cluster that the volume belongs to; undefined while there is none. */
  readonly clusterUid: () => string | undefined;
  readonly leads: () => boolean;
  readonly log: Log;
}

/** Removes from the volume what KafkaTopics that are gone have left. */
export class TopicRemovals {
  readonly #options: TopicRemovalsOptions;

  constructor(options: TopicRemovalsOptions) {
    this.#options = options;
  }

  /** Removes one topic whose KafkaTopic was seen to go. */
  async remove(name: string, topicId: string): Promise<readonly SweepFailure[]> {
    const found = await this.#options.directories.find(name);
    if (found?.id === topicId && this.#isKept(found.keptFor)) await this.#setAside(name, topicId);
    return this.#removeSetAside();
  }

  /**
   * Removes every topic that has no KafkaTopic.
   *
   * @param listed all that there are, by a list that is complete
   * @param known all that there are, as watched: one that has come since then has its directory already, maybe
   */
  async sweep(listed: readonly KafkaTopic[], known: () => readonly KafkaTopic[]): Promise<readonly SweepFailure[]> {
    const { directories, leads, log } = this.#options;
    const claimed = new Set(listed.map(topicNameOf));
    const failures: SweepFailure[] = [];
    for (const name of await directories.names()) {
      // Whose it is then, is for the KafkaTopic's own turn to decide.
      if (claimed.has(name) || known().some((topic) => topicNameOf(topic) === name)) continue;
      if (!leads()) return failures;
      try {
        const found = await directories.find(name);
        if (found?.id === undefined) continue; // nobody knows whose it is
        if (this.#isKept(found.keptFor)) await this.#setAside(name, found.id);
        else
          log.debug(
            { topic: name, topicId: found.id },
            "a topic without a KafkaTopic was not kept for this cluster, and stays",
          );
      } catch (error) {
        failures.push({ what: `topic ${name}`, error });
      }
    }
    return [...failures, ...(await this.#removeSetAside())];
  }

  #isKept(keptFor: string | undefined): boolean {
    return keptFor !== undefined && keptFor === this.#options.clusterUid();
  }

  async #setAside(name: string, id: string): Promise<void> {
    if (await this.#options.directories.setAside(name, id)) {
      this.#options.log.info({ topic: name, topicId: id }, "a topic without a KafkaTopic is removed");
    }
  }

  async #removeSetAside(): Promise<readonly SweepFailure[]> {
    const failures = await this.#options.directories.removeSetAside();
    return failures.map(({ path, error }) => ({ what: path, error }));
  }
}
