import type { PartitionLog } from "@kaas/core";
import type { SimulatedProcess } from "../../packages/kaas-storage/src/testing/simulated/machine.js";
import { type NamedRecord, readFrom } from "./batches.js";
import { Violation } from "./history.js";
import type { PartitionModel } from "./partition-model.js";

/**
 * Reads all that a log has, and holds it against what clients were told.
 *
 * @param isQuiet whether nobody appends meanwhile
 */
export async function examine(
  model: PartitionModel,
  log: PartitionLog,
  process: SimulatedProcess,
  isQuiet: boolean,
): Promise<void> {
  const { logStartOffset, highWatermark, leaderEpoch } = log;
  model.watermarks(leaderEpoch, logStartOffset, highWatermark);
  const found: NamedRecord[] = [];
  for (let offset = logStartOffset; offset < highWatermark; ) {
    const records = await readFrom(log, offset, 1_000_000);
    // What fails or is deleted meanwhile is examined when it is opened again.
    if (records === undefined || log.leaderEpoch !== leaderEpoch || log.logStartOffset !== logStartOffset) return;
    if (!process.isAlive) return;
    found.push(...records.filter((record) => record.offset < highWatermark));
    const last = records.at(-1);
    if (last === undefined) throw new Violation(`${model.name}: nothing to read at ${offset}, below ${highWatermark}`);
    offset = last.offset + 1;
  }
  model.read(leaderEpoch, logStartOffset, highWatermark, found, isQuiet);
}
