/**
 * What a slot's journal holds: one entry a change, only the change. A snapshot holds all groups as a whole. They are
 * JSON, so that they can be read and mended by hand; the field names are part of the volume's format.
 */

/** `[partition, offset, leaderEpoch, metadata]`. */
export type CommittedPartition = readonly [number, number, number, string];

/** Offsets were committed. */
export type CommitEntry = {
  readonly type: "commit";
  readonly group: string;
  readonly committedAt: number;
  readonly expiresAt: number | null;
  readonly topics: readonly {
    readonly topic: string;
    readonly topicId: string;
    readonly partitions: readonly CommittedPartition[];
  }[];
};

/** A group reached a generation, or became empty. */
export type GroupEntry = {
  readonly type: "group";
  readonly group: string;
  readonly protocolType: string | null;
  readonly protocol: string | null;
  readonly generation: number;
  /** Null: it has members. */
  readonly emptySince: number | null;
};

/** Offsets were deleted or expired. */
export type DeleteOffsetsEntry = {
  readonly type: "delete-offsets";
  readonly group: string;
  readonly topics: readonly { readonly topic: string; readonly partitions: readonly number[] }[];
};

/** A group was deleted, with its offsets. */
export type DeleteGroupEntry = { readonly type: "delete-group"; readonly group: string };

/** A topic is gone: so are the offsets that any group of the slot committed for it. */
export type DeleteTopicEntry = { readonly type: "delete-topic"; readonly topic: string; readonly topicId: string };

export type SlotEntry = CommitEntry | GroupEntry | DeleteOffsetsEntry | DeleteGroupEntry | DeleteTopicEntry;

/** `[partition, offset, leaderEpoch, metadata, committedAt, expiresAt]`. */
export type SnapshotPartition = readonly [number, number, number, string, number, number | null];

export type SnapshotGroup = {
  readonly group: string;
  readonly protocolType: string | null;
  readonly protocol: string | null;
  readonly generation: number;
  readonly emptySince: number | null;
  readonly offsets: readonly {
    readonly topic: string;
    readonly topicId: string;
    readonly partitions: readonly SnapshotPartition[];
  }[];
};

export type SlotSnapshot = { readonly groups: readonly SnapshotGroup[] };
