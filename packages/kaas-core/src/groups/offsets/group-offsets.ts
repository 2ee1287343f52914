import type { CommittedOffset, TopicOffsets } from "./committed-offset.js";

/** Everything that one group committed. */
export class GroupOffsets {
  readonly #topics = new Map<string, TopicOffsets>();

  get isEmpty(): boolean {
    return this.#topics.size === 0;
  }

  topics(): IterableIterator<[string, TopicOffsets]> {
    return this.#topics.entries();
  }

  topic(name: string): TopicOffsets | undefined {
    return this.#topics.get(name);
  }

  /** Where to put offsets of a topic. Those of an earlier topic of the same name are forgotten. */
  ensureTopic(name: string, topicId: string): Map<number, CommittedOffset> {
    const known = this.#topics.get(name);
    if (known !== undefined && known.topicId === topicId) return known.partitions;
    const partitions = new Map<number, CommittedOffset>();
    this.#topics.set(name, { topicId, partitions });
    return partitions;
  }

  delete(name: string, partitions: Iterable<number>): void {
    const topic = this.#topics.get(name);
    if (topic === undefined) return;
    for (const partition of partitions) topic.partitions.delete(partition);
    if (topic.partitions.size === 0) this.#topics.delete(name);
  }

  /** Forgets what was committed for one incarnation of a topic. */
  deleteTopic(name: string, topicId: string): void {
    if (this.#topics.get(name)?.topicId === topicId) this.#topics.delete(name);
  }
}
