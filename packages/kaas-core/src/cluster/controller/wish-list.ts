import type { PartitionWish, TopicAssignment } from "../assignment.js";

/** Where admin clients want partitions to be led, by topic. Lists are replaced, never changed. */
export class WishList {
  readonly #byTopic = new Map<string, readonly PartitionWish[]>();

  /** Takes over what an earlier controller had published. */
  adopt(topics: readonly TopicAssignment[]): void {
    for (const { topicId, wishes } of topics) if (wishes !== undefined) this.#byTopic.set(topicId, wishes);
  }

  of(topicId: string): readonly PartitionWish[] | undefined {
    return this.#byTopic.get(topicId);
  }

  get(topicId: string, partition: number): PartitionWish | undefined {
    return this.#byTopic.get(topicId)?.find((wish) => wish.partition === partition);
  }

  set(topicId: string, wish: PartitionWish): void {
    const others = this.#without(topicId, wish.partition);
    this.#byTopic.set(
      topicId,
      [...others, wish].sort((one, other) => one.partition - other.partition),
    );
  }

  /** Whether there was one. */
  remove(topicId: string, partition: number): boolean {
    if (this.get(topicId, partition) === undefined) return false;
    const others = this.#without(topicId, partition);
    if (others.length > 0) this.#byTopic.set(topicId, others);
    else this.#byTopic.delete(topicId);
    return true;
  }

  /** Forgets topics that are gone. */
  retain(isThere: (topicId: string) => boolean): void {
    for (const topicId of this.#byTopic.keys()) if (!isThere(topicId)) this.#byTopic.delete(topicId);
  }

  #without(topicId: string, partition: number): readonly PartitionWish[] {
    return (this.#byTopic.get(topicId) ?? []).filter((wish) => wish.partition !== partition);
  }
}
