import type { AppendResult, SharedLease } from "@kaas/core";

/** An append that has its offsets, on its way to the disk. */
export interface PendingAppend {
  readonly buffer: Buffer;
  /** What the buffer's memory is lent by, if it is: held until it has been written, or never will be. */
  readonly memory: SharedLease | undefined;
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly recordCount: number;
  readonly maxTimestamp: number;
  /** First and last offset of the batch that has it. */
  readonly maxTimestampOffset: number;
  readonly maxTimestampLastOffset: number;
  readonly acks: -1 | 0 | 1;
  readonly logAppendTimeMs: number;
  readonly resolve: (result: AppendResult) => void;
}
