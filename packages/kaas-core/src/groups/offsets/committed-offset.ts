/** What a group committed for one partition. */
export interface CommittedOffset {
  readonly offset: number;
  /** −1: the client did not say. */
  readonly leaderEpoch: number;
  readonly metadata: string;
  /** Wall-clock milliseconds. */
  readonly committedAt: number;
  /** When it expires, where the client said so (OffsetCommit v2 to v4); null: by the broker's retention. */
  readonly expiresAt: number | null;
}

/** The committed offsets of one incarnation of a topic, by partition. Never empty while it is part of a group. */
export interface TopicOffsets {
  readonly topicId: string;
  readonly partitions: Map<number, CommittedOffset>;
}
