/** Topic configs that were set for the topic itself, by Kafka's names; defaults are not among them. */
export type TopicOverrides = Readonly<Record<string, string>>;

/** A topic at one moment. Another one of the same name is told from it by its id (KIP-516). */
export interface TopicDescription {
  readonly name: string;
  /** 22 characters of base64url; a topic created again under the same name has another. */
  readonly id: string;
  readonly partitionCount: number;
  readonly overrides: TopicOverrides;
}

/** Called when topics appear, grow, change their configuration or disappear. */
export interface TopicListener {
  /** A topic is new, or has another partition count or configuration. */
  topicChanged(topic: TopicDescription): void;
  /** A topic is gone; its last description. */
  topicDeleted(topic: TopicDescription): void;
}

/** Which topics there are. Reads are from memory. */
export interface TopicCatalog {
  /** All that are served, in no order. */
  topics(): Iterable<TopicDescription>;
  /** Tells a listener of every change from now on. What is there already it finds in {@link topics}. */
  addListener(listener: TopicListener): void;
  removeListener(listener: TopicListener): void;
  /**
   * Looks for names that came or went without this process doing it, where others may make and delete topics. Calls that
   * come while one is under way share the next look. Never rejects.
   */
  discover?(): Promise<void>;
  /** Reads a topic again, which others may have changed, deleted or made anew. Rejects when the volume fails. */
  refresh?(name: string): Promise<void>;
  /** Lets go of a topic at once that others are about to remove. Nothing happens to one of another id. */
  retract?(name: string, id: string): Promise<void>;
  /** It is not to be removed after all. Rejects when the volume fails. */
  reinstate?(name: string, id: string): Promise<void>;
}

/**
 * Changes topics. Arguments are validated by the caller. Rejects with a `KaasError` when the outside fails, and with
 * `KAAS_TOPIC_CONFLICT` when the topic is not, or no longer, what the caller believed.
 *
 * A call resolves when its change is durable. Where this process makes it, the catalog's listeners have been told by then;
 * where others carry it out, they are told later, and a call takes no longer than `timeoutMs`, if that is given.
 */
export interface TopicAdmin {
  /** What was made; undefined where others make it. */
  create(
    name: string,
    partitionCount: number,
    overrides: TopicOverrides,
    timeoutMs?: number,
  ): Promise<TopicDescription | undefined>;
  /** Also removes the data; the directory is set aside first, so that a crash never leaves half a topic. */
  delete(topic: TopicDescription, timeoutMs?: number): Promise<void>;
  /** Raises the number of partitions. Rejects with `KAAS_TOPIC_CONFLICT` where there are as many already. */
  createPartitions(topic: TopicDescription, partitionCount: number, timeoutMs?: number): Promise<void>;
  /**
   * Replaces the overrides: as a whole, or only `names` of them, whether they are among `overrides` or not. Others may
   * change what is not named meanwhile; who alone makes all changes may take `overrides` as they are.
   */
  configure(
    topic: TopicDescription,
    overrides: TopicOverrides,
    timeoutMs?: number,
    names?: readonly string[],
  ): Promise<void>;
}

/** Changes topics itself. */
export interface LocalTopicAdmin extends TopicAdmin {
  create(name: string, partitionCount: number, overrides: TopicOverrides): Promise<TopicDescription>;
}
