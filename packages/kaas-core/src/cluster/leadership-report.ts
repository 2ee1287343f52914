import type { LedPartition, OpenSlots } from "./heartbeat.js";

/** What a broker leads, as it tells the controller and whoever asks whether it is ready. */
export interface LeadershipReport {
  /** Partitions that are open and serve, at the epochs that were claimed for them. */
  readonly led: readonly LedPartition[];
  /** Slots that are loaded and serve. */
  readonly slots: OpenSlots;
  /** Partitions and slots that this broker has been given, and has heard of. */
  readonly assigned: number;
  /** How many of those do not serve yet, or do not serve at the moment. */
  readonly recovering: number;
  /** Partitions and slots that are being handed over. */
  readonly releasing: number;
}
