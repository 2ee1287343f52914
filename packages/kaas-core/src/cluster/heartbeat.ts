import type { AdvertisedListener } from "../ports/cluster-view.js";

/** How often a broker reports to the controller. It reports at once when it has something new to say. */
export const HEARTBEAT_INTERVAL_MS = 500;

/** How long a broker may stay silent before it counts as lost. */
export const HEARTBEAT_TIMEOUT_MS = 3_000;

/** That a broker has claimed a partition, or, with an epoch of −1, that it leads it no longer. */
export interface LedPartition {
  readonly topicId: string;
  readonly partition: number;
  readonly leaderEpoch: number;
}

/** What a broker has open. */
export interface OpenSlots {
  readonly groups: readonly number[];
  readonly transactions: readonly number[];
}

/** What a broker says of itself to the controller. */
export interface HeartbeatReport {
  readonly nodeId: number;
  readonly name: string;
  readonly incarnation: string;
  /** Wall clock at the start of the process: of two processes under one name, the one that started later counts. */
  readonly startedMs: number;
  readonly rack: string | null;
  readonly listeners: readonly AdvertisedListener[];
  /** Whether its data plane is at work. What one that is not leads is given to others. */
  readonly isHealthy: boolean;
  /** Whether it wants to hand over all that it leads. */
  readonly isDraining: boolean;
  /** Counts the reports of this process, to whomever, so that one that is missed is noticed. */
  readonly sequence: number;
  /** Whether `led` is all that is led, or what has changed since the report before. */
  readonly isWhole: boolean;
  readonly led: readonly LedPartition[];
  /** All of them, in each report. */
  readonly slots: OpenSlots;
}

/**
 * - `ok`: heard.
 * - `resync`: heard, but an earlier report was missed; the next one has to be whole.
 * - `superseded`: another process of the same name counts.
 * - `node-id-taken`: a broker of another name has the same node id.
 * - `not-controller`: this process does not hold the lease.
 */
export type HeartbeatVerdict = "ok" | "resync" | "superseded" | "node-id-taken" | "not-controller";

/** What the controller answers. */
export interface HeartbeatAnswer {
  readonly verdict: HeartbeatVerdict;
  /** −1: it has none. */
  readonly controllerEpoch: number;
  /** Of the newest assignment that was published; −1: none. */
  readonly version: number;
}
