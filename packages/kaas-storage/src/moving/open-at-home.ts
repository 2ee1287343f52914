import { KaasError, type LogConfig, type PartitionId } from "@kaas/core";
import { OpenLog } from "../partition/open-log.js";
import { type MovedAway, type RecoveryOptions, recoverLog } from "../partition/recovery.js";
import { type LogPlaces, type LogVolume, partitionDirectory } from "./log-places.js";
import { sweepElsewhere } from "./sweep-elsewhere.js";

/** So many moves may lie between where a partition is looked for and where it is. */
const HOPS_MAX = 32;

/** A log, and where it turned out to lie. */
export interface LogAtHome {
  readonly volume: LogVolume;
  readonly log: OpenLog;
}

/** Takes the lead of a partition where it lies, following it from where it is looked for. */
export async function openAtHome(
  id: PartitionId,
  config: LogConfig,
  places: LogPlaces,
  start: LogVolume,
  options: Omit<RecoveryOptions, "arrival"> = {},
): Promise<LogAtHome> {
  let volume = start;
  let arrival: MovedAway | undefined;
  for (let hop = 0; hop < HOPS_MAX; hop++) {
    await volume.prepare(id);
    const { environment } = volume;
    const found = await recoverLog(id, partitionDirectory(volume, id), config, environment, { ...options, arrival });
    if ("log" in found) {
      const log = OpenLog.of(id, config, environment, found);
      const home = volume;
      if (places.volumes.length > 1) {
        const { epoch } = log.core;
        const sweep = (): Promise<void> => sweepElsewhere(id, places, home, epoch);
        log.tasks.runInBackground("removing what lies in other log directories", sweep);
      }
      return { volume, log };
    }
    arrival = found;
    volume = places.volumeNamed(found.movedTo.logDirectory);
  }
  const begin = partitionDirectory(start, id);
  throw new KaasError("KAAS_VOLUME_INVALID", `${begin}: the partition was moved on ${HOPS_MAX} times without an end`);
}
