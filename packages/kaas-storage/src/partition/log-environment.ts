import type { Clock, Histogram, Log, Random } from "@kaas/core";
import type { FileSystem } from "../file-system/file-system.js";
import type { Fuse } from "../leadership/fuse.js";
import type { QueueMemory } from "./queue-memory.js";
import type { ReadMemory } from "./read-memory.js";
import type { SegmentCache } from "./segment-cache.js";
import type { SlowReads } from "./slow-reads.js";
import type { SpaceGuard } from "./space-guard.js";
import type { SyncSlots } from "./sync-slots.js";
import type { TailCache } from "./tail-cache.js";

/** What all logs of a volume share. */
export interface LogEnvironment {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly syncSlots: SyncSlots;
  readonly tailCache: TailCache;
  readonly segmentCache: SegmentCache;
  readonly readMemory: ReadMemory;
  readonly slowReads: SlowReads;
  readonly space: SpaceGuard;
  /** To be confirmed between making something durable and acting upon it. */
  readonly fuse: Fuse;
  /** The directory of all brokers' fuses. */
  readonly brokers: string;
  /** Whether other machines use the volume at the same time. */
  readonly isShared: boolean;
  /** Who claims: the broker's name and this start of its process. */
  readonly broker: string;
  readonly incarnation: string;
  /** Whether a process lives, as far as is known: it is given time to hand over before it is taken over from. */
  readonly isAlive: (broker: string, incarnation: string) => boolean;
  readonly releaseWaitMsMax: number;
  readonly queueMemory: QueueMemory;
  /** How long groups of appends take until they are acknowledged. */
  readonly commitTimes: Histogram;
}
