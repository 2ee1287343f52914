/** Topic configs that were set for the topic itself, by Kafka's names; defaults are not among them. */
export type TopicOverrides = Readonly<Record<string, string>>;

export interface TopicDescription {
  readonly name: string;
  /** 22 characters of base64url; a topic created again under the same name has another. */
  readonly id: string;
  readonly partitionCount: number;
  readonly overrides: TopicOverrides;
}

/** Called when topics appear, grow, change their configuration or disappear. */
export interface TopicListener {
  topicChanged(topic: TopicDescription): void;
  topicDeleted(topic: TopicDescription): void;
}

/** Which topics there are. Reads are from memory. */
export interface TopicCatalog {
  topics(): Iterable<TopicDescription>;
  addListener(listener: TopicListener): void;
  removeListener(listener: TopicListener): void;
}

/**
 * Changes topics. Arguments are validated by the caller; each call is durable, and told to the catalog's listeners,
 * before it resolves. Rejects with a `KaasError` when the outside fails, and with `KAAS_TOPIC_CONFLICT` when the
 * topic is not, or no longer, what the caller believed.
 */
export interface TopicAdmin {
  create(name: string, partitionCount: number, overrides: TopicOverrides): Promise<TopicDescription>;
  /** Also removes the data; the directory is set aside first, so that a crash never leaves half a topic. */
  delete(topic: TopicDescription): Promise<void>;
  createPartitions(topic: TopicDescription, partitionCount: number): Promise<void>;
  /** Replaces the overrides as a whole. */
  configure(topic: TopicDescription, overrides: TopicOverrides): Promise<void>;
}
