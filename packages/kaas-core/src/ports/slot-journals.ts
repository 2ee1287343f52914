import type { SlotKind } from "./cluster-view.js";

/** Anything JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * The durable state of one coordinator slot: a snapshot, and what happened since as a sequence of JSON entries.
 * State = snapshot + entries, in order.
 */
export interface SlotJournal {
  readonly slot: number;
  /** The epoch that was claimed when the journal was opened. */
  readonly epoch: number;
  /** What was recovered at opening; released after the first call. */
  recovered(): { readonly snapshot: Json | undefined; readonly entries: readonly Json[] };
  /**
   * Appends one entry. Resolves once it is durable; entries become durable in order, many with one fsync. Rejects
   * with a `KaasError` when the volume fails, after which the journal accepts nothing more.
   */
  append(entry: Json): Promise<void>;
  /** Whether enough was appended since the last snapshot that a new one is worth its cost. */
  readonly wantsSnapshot: boolean;
  /** Replaces snapshot and entries by a new snapshot. Entries appended after the call are kept. */
  writeSnapshot(state: Json): Promise<void>;
  /** Hands the slot over: everything appended is durable when it resolves. */
  close(): Promise<void>;
}

/** The coordinator slots on the volume: groups and transactions hash into them, and each has one coordinator. */
export interface SlotJournals {
  /** How many slots there are; fixed when the cluster was created. */
  readonly slotCount: number;
  /**
   * Claims a slot and recovers its state. A coordinator before that lives is given time to hand over; an opening that is
   * not wanted any more does not wait for it, and rejects with `KAAS_CLOSED`.
   */
  open(kind: SlotKind, slot: number, unwanted?: AbortSignal): Promise<SlotJournal>;
}
