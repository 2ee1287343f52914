import type { FileHandle } from "../file-system/file-system.js";
import type { ActiveSegment } from "./active-segment.js";
import type { PendingAppend } from "./pending-append.js";

/** A group of appends that become durable together. */
export interface Cycle {
  readonly appends: readonly PendingAppend[];
  readonly active: ActiveSegment;
  /** One of the segment's descriptors, for this group alone while it is on its way. */
  readonly handle: FileHandle;
  /** Whether it ends with an fsync. It then has one of the slots for that. */
  readonly syncs: boolean;
  readonly endOffset: number;
  /** Position in the active segment. */
  readonly endPosition: number;
  isWritten: boolean;
  /** Whether those who need not wait for more than the write have been answered. */
  isAnswered: boolean;
  isDone: boolean;
}
