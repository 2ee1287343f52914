import type { AclBinding, Assignment, ClientQuota, Json, ScramMechanism } from "@kaas/core";

/** A log segment as documents describe it. `sizeBytes` binds: what lies beyond it in the file does not exist. */
export interface SegmentRecord {
  /** The leader epoch whose leader wrote it; with the base offset, its name. */
  readonly epoch: number;
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly sizeBytes: number;
  /** −1: no record has a timestamp. */
  readonly maxTimestamp: number;
  /** Base offset of the first batch that has the largest timestamp. */
  readonly maxTimestampOffset: number;
  readonly lastAppendMs: number;
  /** How many entries its index files have; −1 when they have to be made. */
  readonly indexEntries: number;
  readonly timeIndexEntries: number;
  /** How many transactions that ended in it were aborted; −1 where that has to be found out. */
  readonly abortedEntries: number;
  /** The third number of its name; a segment that compaction did not write has none. */
  readonly generation?: number | undefined;
}

export interface EpochStart {
  readonly epoch: number;
  readonly startOffset: number;
}

/** What a partition consists of at some moment. */
export interface LogState {
  readonly logStartOffset: number;
  /** Where the next record goes. Whatever lies between the log start and here is in `segments`. */
  readonly endOffset: number;
  readonly segments: readonly SegmentRecord[];
  readonly epochs: readonly EpochStart[];
  readonly producers: SavedProducers;
  /** Compaction has looked at the keys of everything below; a log that was never compacted has none. */
  readonly cleanedOffset?: number | undefined;
}

/** Where a partition went. */
export interface MovedTo {
  /** The name of the log directory; null is the data directory. */
  readonly logDirectory: string | null;
  /** The epoch whose leader moved it. A later leader that passes by says again what that one said. */
  readonly since: number;
}

/** Where the producers' state is: what they were at `offset` is in the file `snapshot`; null when there were none. */
export interface SavedProducers {
  readonly offset: number;
  readonly snapshot: string | null;
}

export interface ProducerRecord {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly coordinatorEpoch: number;
  readonly lastTimestamp: number;
  readonly lastAppendMs: number;
  /** First offset of its open transaction; −1 when there is none. */
  readonly transactionStartOffset: number;
  /** Oldest first: first sequence, last sequence, base offset, largest timestamp. */
  readonly batches: readonly (readonly [number, number, number, number])[];
}

/** A SCRAM credential as it is kept; the bytes are base64. */
export interface ScramRecord {
  readonly salt: string;
  readonly iterations: number;
  readonly storedKey: string;
  readonly serverKey: string;
}

/** A user that can log in by password. */
export interface UserRecord {
  readonly name: string;
  readonly scram: { readonly [Mechanism in ScramMechanism]?: ScramRecord };
}

/** Every JSON file on the volume by its kind. `docs` names each; `format` is added and checked by the reader. */
export interface DocumentTypes {
  cluster: { readonly clusterId: string; readonly slotCount: number };
  "cluster-document": { readonly content: Json };
  /** Users and quotas; has one writer. A reader never goes back to a lower generation. */
  credentials: {
    readonly generation: number;
    /** base64 of random bytes that answers to unknown users are made from. */
    readonly decoySecret: string;
    readonly users: readonly UserRecord[];
    readonly quotas: readonly ClientQuota[];
  };
  /** All ACLs; has one writer. A reader never goes back to a lower generation. */
  acls: { readonly generation: number; readonly acls: readonly AclBinding[] };
  "producer-id-block": {
    readonly first: number;
    readonly count: number;
    readonly incarnation: string;
    /** Tells two claims of one process apart. */
    readonly nonce?: string | undefined;
  };
  /** A process that uses the volume, for people and tools. */
  incarnation: {
    readonly broker: string;
    readonly incarnation: string;
    readonly version: string;
    readonly endpoints: readonly string[];
    readonly startMs: number;
    /** Whether others use the volume at the same time. One that does not has the lock while it lives. */
    readonly isShared?: boolean | undefined;
  };
  lock: { readonly pid: number; readonly host: string; readonly socket: string };
  /** Who should lead what, as a controller decided. */
  assignment: Assignment;
  /** The epoch of a controller, which nobody else has. */
  "controller-claim": {
    readonly epoch: number;
    readonly broker: string;
    readonly incarnation: string;
    readonly claimedMs: number;
  };
  /** Somebody wants a broker to lead nothing. */
  "drain-wish": { readonly broker: string; readonly askedMs: number };
  claim: { readonly epoch: number; readonly broker: string; readonly incarnation: string };
  /** What was valid when the epoch began; or that the partition lies elsewhere, and what it consists of there. */
  seal: { readonly epoch: number; readonly movedTo?: MovedTo | undefined } & LogState;
  /** That epoch's seal says where the partition went, and that has been acted upon. */
  moved: { readonly epoch: number };
  /** Files of the epoch are copies that count for nothing until the partition has moved here. */
  arriving: { readonly epoch: number; readonly broker: string; readonly incarnation: string };
  released: { readonly epoch: number } & LogState;
  manifest: {
    readonly epoch: number;
    readonly number: number;
    readonly obsolete: readonly Pick<SegmentRecord, "epoch" | "baseOffset" | "generation">[];
  } & LogState;
  checkpoint: { readonly epoch: number; readonly baseOffset: number; readonly sizeBytes: number };
  "producer-snapshot": {
    readonly offset: number;
    readonly producers: readonly ProducerRecord[];
    /** Aborted transactions that ended in no closed segment: producer id, first, last and last stable offset. */
    readonly aborted: readonly (readonly [number, number, number, number])[];
  };
  "topic-id": { readonly name: string; readonly id: string };
  "topic-config": {
    readonly partitionCount: number;
    readonly overrides: Readonly<Record<string, string>>;
    /** Log directories of partitions that do not lie in the data directory, by partition. */
    readonly placement?: Readonly<Record<string, string>> | undefined;
    /** Log directories that partitions are to be moved to, by partition; null is the data directory. */
    readonly moves?: Readonly<Record<string, string | null>> | undefined;
    /** The uid of the KafkaCluster whose operator keeps the topic; only such a topic goes with its KafkaTopic. */
    readonly keptFor?: string | undefined;
  };
  /** Where clients from outside reach brokers. A host that is null is that of the broker's node. */
  "external-addresses": {
    readonly generation: number;
    readonly listeners: readonly {
      readonly name: string;
      readonly brokers: readonly { readonly nodeId: number; readonly host: string | null; readonly port: number }[];
    }[];
  };
  "slot-released": {
    readonly epoch: number;
    /** The journal in force, and how long it was. Earlier versions did not say. */
    readonly journal?: { readonly number: number; readonly sizeBytes: number } | undefined;
  };
  "slot-snapshot": {
    readonly epoch: number;
    readonly number: number;
    readonly hasState: boolean;
    readonly state: Json;
    readonly entries: readonly Json[];
  };
}

export type DocumentKind = keyof DocumentTypes;
