import type { Chance } from "../../packages/kaas-storage/src/testing/simulated/chance.js";

/** In clusters whose seed is a multiple of it, partitions move. */
export const MOVING_SEEDS = 18;

export interface PartitionScenario {
  readonly segmentBytes: number;
  readonly flushMessages: number;
  readonly retentionBytes: number;
  readonly deletesRecords: boolean;
}

/** What may happen to several brokers on one volume: how often, at each step of the adversary. */
export interface ClusterScenario {
  readonly brokers: number;
  readonly steps: number;
  readonly stepMs: number;
  readonly delegations: number;
  readonly pauses: number;
  readonly partitions: number;
  readonly kills: number;
  readonly crashes: number;
  readonly serverCrashes: number;
  /** How often two brokers are made to take the same partition at once. */
  readonly contests: number;
  /** How often somebody wants a partition in another log directory; 0 where there is only one. */
  readonly moves: number;
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
  /** How often such a write takes a minute, while the one behind it arrives. */
  readonly writeHangs: number;
  readonly killsAtOperation: number;
  readonly failures: number;
  readonly syncFailures: number;
  readonly hangs: number;
  /** How often the news of a failed fsync comes late: others may be answered before. */
  readonly slowNews: number;
  /** Of the writes that a loss of power meets, the share that leaves bytes which nobody wrote. */
  readonly garbles: number;
  /** How often a producer does not come back before the next broker but one. */
  readonly absences: number;
  /** Of the lives that do not end well, how many end with a loss of power. */
  readonly powerLoss: number;
  readonly cleanEnds: number;
  readonly quietMinutes: boolean;
  /** How often a file server's answer is lost, and whether clients write back before they are told to. */
  readonly lostReplies: number;
  readonly writesBack: boolean;
  readonly cluster: ClusterScenario;
}

export function drawScenario(chance: Chance): Scenario {
  const rate = (probability: number, low: number, high: number): number =>
    chance.happens(probability) ? chance.between(low, high) : 0;
  const delayMs = chance.pick([0.05, 0.3, 2]);
  const writeDelayMs = rate(0.6, 1, 20);
  const segmentBytes = chance.pick([600, 4_000, 100_000, 400_000, 1_000_000]);
  const slowNews = rate(0.3, 0.2, 1);
  const partitions = Array.from({ length: 1 + chance.below(2) }, () => ({
    segmentBytes: chance.happens(0.7) ? segmentBytes : chance.pick([600, 10_000, 1_000_000]),
    flushMessages: chance.pick([1, 1, 1, 1, 0, 7]),
    retentionBytes: chance.happens(0.25) ? chance.pick([500, 5_000, 50_000]) : -1,
    deletesRecords: chance.happens(0.25),
  }));
  return {
    partitions,
    slots: chance.below(3),
    lives: 2 + chance.below(4),
    // On a slow disk everything takes longer, and as much has to happen.
    lifeMs: chance.pick([15, 40, 100]) * (1 + delayMs + writeDelayMs / 3),
    preallocationHelps: chance.happens(0.7),
    concurrentSyncs: chance.pick([1, 2, 12]),
    recordBytesMax: chance.pick([40, 400, 40, 25_000, 60_000]),
    paceMs: chance.pick([0.5, 1, 4]),
    delayMs,
    // Late news are told apart where what was asked for before arrives after them.
    slowness: slowNews > 0 ? chance.between(0.05, 0.3) : rate(0.5, 0.01, 0.2),
    stalls: rate(0.7, 0.02, 0.5),
    writeDelayMs,
    writeHangs: writeDelayMs > 0 ? rate(0.4, 0.01, 0.08) : 0,
    killsAtOperation: rate(0.5, 0.5, 1),
    failures: rate(0.25, 0.0005, 0.02),
    syncFailures: slowNews > 0 ? chance.between(0.02, 0.15) : rate(0.35, 0.005, 0.15),
    hangs: rate(0.15, 0.0002, 0.002),
    slowNews,
    garbles: rate(0.5, 0.1, 0.5),
    // Who is away for long is missed where its records go meanwhile.
    absences: partitions.some(({ retentionBytes }) => retentionBytes >= 0) ? rate(0.7, 0.2, 0.7) : 0,
    powerLoss: chance.pick([0, 0.5, 1]),
    cleanEnds: chance.pick([0, 0.2, 0.5]),
    quietMinutes: chance.happens(0.3),
    lostReplies: 0,
    writesBack: false,
    cluster: NO_CLUSTER,
  };
}

const NO_CLUSTER: ClusterScenario = {
  brokers: 0,
  steps: 0,
  stepMs: 0,
  delegations: 0,
  pauses: 0,
  partitions: 0,
  kills: 0,
  crashes: 0,
  serverCrashes: 0,
  contests: 0,
  moves: 0,
};

/** Several brokers: fewer kinds of trouble with the disk, more with machines, networks and each other. */
export function drawClusterScenario(chance: Chance): Scenario {
  const rate = (probability: number, low: number, high: number): number =>
    chance.happens(probability) ? chance.between(low, high) : 0;
  return {
    partitions: Array.from({ length: 1 + chance.below(2) }, () => ({
      segmentBytes: chance.pick([300, 2_000, 100_000]),
      flushMessages: 1,
      retentionBytes: chance.happens(0.4) ? chance.pick([500, 2_000]) : -1,
      deletesRecords: false,
    })),
    slots: chance.below(2),
    lives: 1,
    lifeMs: 1_000,
    preallocationHelps: chance.happens(0.3),
    concurrentSyncs: chance.pick([1, 12]),
    recordBytesMax: 40,
    paceMs: 4,
    delayMs: chance.pick([0.3, 1, 5]),
    slowness: rate(0.5, 0.01, 0.2),
    stalls: rate(0.3, 0.02, 0.3),
    writeDelayMs: rate(0.3, 1, 20),
    writeHangs: 0,
    killsAtOperation: 0,
    failures: 0,
    syncFailures: rate(0.2, 0.001, 0.01),
    hangs: rate(0.1, 0.0002, 0.001),
    slowNews: 0,
    garbles: 0,
    absences: 0,
    powerLoss: 0,
    cleanEnds: 0,
    quietMinutes: false,
    lostReplies: rate(0.3, 0.002, 0.03),
    writesBack: chance.happens(0.5),
    cluster: {
      brokers: 2 + chance.below(2),
      steps: 15 + chance.below(40),
      stepMs: chance.pick([30, 100, 400]),
      delegations: rate(0.5, 0.2, 1),
      pauses: rate(0.6, 0.05, 0.3),
      partitions: rate(0.5, 0.05, 0.3),
      kills: rate(0.4, 0.02, 0.2),
      crashes: rate(0.4, 0.02, 0.2),
      serverCrashes: rate(0.4, 0.02, 0.15),
      contests: rate(0.6, 0.1, 0.6),
      moves: 0,
    },
  };
}

/** The same, in which partitions move between log directories all the while, and mostly have the time for it. */
export function drawMovingScenario(chance: Chance): Scenario {
  const scenario = drawClusterScenario(chance);
  const moves = chance.between(0.2, 0.5);
  const stepMs = chance.pick([100, 400, 1_500]);
  return { ...scenario, cluster: { ...scenario.cluster, brokers: 3, stepMs, moves } };
}
