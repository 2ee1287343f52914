import type { PartitionId } from "@kaas/core";
import { CleaningStopped, type Pace } from "../compaction/pace.js";
import type { OpenLog } from "../partition/open-log.js";
import { depart } from "./departure.js";
import { LogCopy } from "./log-copy.js";
import { type LogVolume, partitionDirectory } from "./log-places.js";

/**
 * The first half of a move: copies what there is while the log serves, up to a rest. Rejects, and leaves no copy, when
 * that fails, or the log cannot be moved any more.
 */
export async function copyWhileServing(
  log: OpenLog,
  target: LogVolume,
  pace: Pace,
  isMovable: () => boolean,
): Promise<LogCopy> {
  const copy = await LogCopy.begin(log, target, pace);
  try {
    await copy.catchUp();
    pace.check();
    if (!isMovable()) throw new CleaningStopped();
    return copy;
  } catch (error) {
    await copy.discard();
    throw error;
  }
}

/**
 * The second half: hands the log over, copies the rest, and says where the partition went. Whether it came so far only a
 * new opening knows.
 */
export async function handOverTo(
  target: LogVolume,
  copy: LogCopy,
  log: OpenLog,
  home: LogVolume,
  id: PartitionId,
): Promise<void> {
  try {
    const { epoch } = log.core;
    const released = await log.release();
    if (released === undefined) return;
    const state = await copy.finish(released);
    await depart(home.environment, partitionDirectory(home, id), epoch, target.name, state);
  } finally {
    await copy.close().catch(() => undefined); // of files that count for nothing, or were fsynced
  }
}
