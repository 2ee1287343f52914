/** A topic as its KafkaTopic has it. */
export interface WatchedTopic {
  /** Kafka's name of it. */
  readonly name: string;
  /** Name of the KafkaTopic. */
  readonly objectName: string;
  /** `metadata.uid`: another one when the KafkaTopic is created again. */
  readonly uid: string;
  /** That are asked for; the operator may not have made them yet. */
  readonly partitions: number;
  /** Configs that are set, as Kafka writes their values. */
  readonly config: Readonly<Record<string, string>>;
  /** Where the operator has placed each partition; empty before that. */
  readonly volumes: ReadonlyMap<number, string>;
  /** Annotation `kaas.rs/migrate-to`, word for word. */
  readonly migrateTo: string | undefined;
  /** 22 characters of base64url, as Kafka has it; undefined before the operator has given one. */
  readonly topicId: string | undefined;
  /**
   * How far the operator has come: the generation of the KafkaTopic that it has last dealt with, whether that worked, and
   * which partitions are to be moved.
   * Another one says that there may be something new on the volume. Undefined before it has dealt with any.
   */
  readonly progress: string | undefined;
}

/** Told about topics. Calls must not throw. */
export interface TopicWatchListener {
  /** A topic is new, or something about it is different. */
  topicChanged(topic: WatchedTopic): void;
  /** Its KafkaTopic is gone: handles are to be closed, offsets to be purged, at once. */
  topicDeleted(topic: WatchedTopic): void;
  /** All that existed has been told once. Called once, after the first complete list. */
  onSynced(): void;
}
