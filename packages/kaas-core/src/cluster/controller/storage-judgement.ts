import { STORAGE_DOUBTED_MS, STORAGE_STALLED_MS } from "../heartbeat.js";
import type { KnownBroker } from "./known-broker.js";

/** Reports are so far apart in time: brokers that were cut off together say so one after the other. */
const TOGETHER_MS = 2_000;
/** How long the volume has to answer a broker that was relieved before it leads again; twice as long each further time. */
const CONVALESCENCE_MS = 10_000;
const CONVALESCENCE_MS_MAX = 60_000;

export interface StorageJudge {
  /** Attended time. */
  readonly nowMs: number;
  /** Of the controller's own broker, which is never relieved. */
  readonly selfId: number;
  /** See `OwnStorage.mayJudge`. */
  readonly mayRelieve: boolean;
  readonly isLeading: (broker: KnownBroker) => boolean;
}

/** What has become of brokers. */
export interface StorageNews {
  readonly relieved: readonly KnownBroker[];
  /** Those that may lead now, as far as their volume is concerned. */
  readonly recovered: readonly KnownBroker[];
}

/** Takes in what a broker reports. */
export function noteSilence(broker: KnownBroker, silentMs: number): void {
  broker.storageSilentMs = silentMs;
  // A data plane that hangs along with the volume most likely hangs for that, and is no other reason to act.
  const isStalled = silentMs >= (broker.isHealthy ? STORAGE_STALLED_MS : STORAGE_DOUBTED_MS);
  if (isStalled && broker.storage === "well") broker.storage = "stalled";
}

/**
 * ```
 *          silent for 10 s           the controller has answers
 *   well ────────────────▶ stalled ─────────────────────────▶ relieved
 *    ▲ ◀──────────────────────┘ answered                          │
 *    └────────────────────────────────────────────────────────────┘ answered for a while
 * ```
 *
 * Nobody is relieved unless somebody else can lead in its place.
 */
export function judgeStorage(brokers: readonly KnownBroker[], judge: StorageJudge): StorageNews {
  const heard = brokers.filter(({ isHeard, isLost }) => isHeard && !isLost);
  const limitMs = limitOf(heard);
  for (const broker of heard) {
    if (broker.storage === "well" && broker.storageSilentMs >= limitMs) broker.storage = "stalled";
  }
  const recovered = heard.filter((broker) => isRecovered(broker, heard, judge));
  for (const broker of recovered) broker.storage = "well";
  const relieved = judge.mayRelieve ? relievable(heard, limitMs, judge) : [];
  for (const broker of relieved) {
    broker.storage = "relieved";
    broker.storageWellMs = judge.nowMs;
    broker.timesRelieved++;
  }
  return { relieved, recovered };
}

/** Once one is stalled, others that are nearly so are too: what that one led is not given to them. */
function limitOf(brokers: readonly KnownBroker[]): number {
  const isAnyStalled = brokers.some(({ storageSilentMs }) => storageSilentMs >= STORAGE_STALLED_MS);
  return isAnyStalled ? STORAGE_STALLED_MS - TOGETHER_MS : STORAGE_STALLED_MS;
}

function isRecovered(broker: KnownBroker, all: readonly KnownBroker[], { nowMs, isLeading }: StorageJudge): boolean {
  if (broker.storage === "well") return false;
  if (broker.storageSilentMs >= STORAGE_DOUBTED_MS) {
    broker.storageWellMs = nowMs;
    return false;
  }
  if (broker.storage === "stalled") return true;
  const restMs = Math.min(CONVALESCENCE_MS_MAX, CONVALESCENCE_MS * 2 ** (broker.timesRelieved - 1));
  return nowMs - broker.storageWellMs >= restMs || !all.some(isLeading);
}

function relievable(
  brokers: readonly KnownBroker[],
  limitMs: number,
  { selfId, isLeading }: StorageJudge,
): readonly KnownBroker[] {
  if (!brokers.some(isLeading)) return [];
  return brokers.filter(
    ({ storage, storageSilentMs, description }) =>
      storage === "stalled" && storageSilentMs >= limitMs && description.nodeId !== selfId,
  );
}
