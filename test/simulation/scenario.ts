import type { Chance } from "../../packages/kaas-storage/src/testing/simulated/chance.js";

export interface PartitionScenario {
  readonly segmentBytes: number;
  readonly flushMessages: number;
  readonly retentionBytes: number;
  readonly deletesRecords: boolean;
}

/** What may happen in one history. Each seed leaves most of it out: rare things meet more often when others are away. */
export interface Scenario {
  readonly partitions: readonly PartitionScenario[];
  readonly slots: number;
  readonly lives: number;
  /** Milliseconds that a life lasts, about. */
  readonly lifeMs: number;
  readonly preallocationHelps: boolean;
  readonly concurrentSyncs: number;
  readonly recordBytesMax: number;
  /** Milliseconds between two batches of a client, about. */
  readonly paceMs: number;
  /** Milliseconds that half an operation takes, about, and how often it takes far longer. */
  readonly delayMs: number;
  readonly slowness: number;
  readonly stalls: number;
  /** Milliseconds that half an asynchronous write takes where the disk is slow: two groups are then on their way. */
  readonly writeDelayMs: number;
  readonly killsAtOperation: number;
  readonly failures: number;
  readonly syncFailures: number;
  readonly hangs: number;
  /** Of the lives that do not end well, how many end with a loss of power. */
  readonly powerLoss: number;
  readonly cleanEnds: number;
  readonly quietMinutes: boolean;
}

export function drawScenario(chance: Chance): Scenario {
  const rate = (probability: number, low: number, high: number): number =>
    chance.happens(probability) ? chance.between(low, high) : 0;
  const delayMs = chance.pick([0.05, 0.3, 2]);
  const writeDelayMs = rate(0.6, 1, 20);
  const segmentBytes = chance.pick([600, 4_000, 100_000, 400_000, 1_000_000]);
  return {
    partitions: Array.from({ length: 1 + chance.below(2) }, () => ({
      segmentBytes: chance.happens(0.7) ? segmentBytes : chance.pick([600, 10_000, 1_000_000]),
      flushMessages: chance.pick([1, 1, 1, 1, 0, 7]),
      retentionBytes: chance.happens(0.25) ? chance.pick([500, 5_000, 50_000]) : -1,
      deletesRecords: chance.happens(0.25),
    })),
    slots: chance.below(3),
    lives: 2 + chance.below(4),
    // On a slow disk everything takes longer, and as much has to happen.
    lifeMs: chance.pick([15, 40, 100]) * (1 + delayMs + writeDelayMs / 3),
    preallocationHelps: chance.happens(0.7),
    concurrentSyncs: chance.pick([1, 2, 12]),
    recordBytesMax: chance.pick([40, 400, 40, 25_000, 60_000]),
    paceMs: chance.pick([0.5, 1, 4]),
    delayMs,
    slowness: rate(0.5, 0.01, 0.2),
    stalls: rate(0.7, 0.02, 0.5),
    writeDelayMs,
    killsAtOperation: rate(0.5, 0.5, 1),
    failures: rate(0.25, 0.0005, 0.02),
    syncFailures: rate(0.3, 0.002, 0.05),
    hangs: rate(0.15, 0.0002, 0.002),
    powerLoss: chance.pick([0, 0.5, 1]),
    cleanEnds: chance.pick([0, 0.2, 0.5]),
    quietMinutes: chance.happens(0.3),
  };
}
