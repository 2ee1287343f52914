import { type Claimant, takeLead } from "../leadership/take-lead.js";
import { PartitionFiles } from "./partition-files.js";

/** An epoch that is ours, and the directory as it was listed when nobody before us could acknowledge any more. */
export interface EpochClaim {
  readonly epoch: number;
  readonly listed: PartitionFiles;
}

/** Claims the next epoch of a partition; `heldEpoch` is the one that this process had until now. */
export async function claimEpoch(
  claimant: Claimant,
  directory: string,
  heldEpoch?: number,
  unwanted?: AbortSignal,
): Promise<EpochClaim> {
  const { epoch, entries } = await takeLead(claimant, directory, heldEpoch, unwanted);
  return { epoch, listed: PartitionFiles.of(directory, entries) };
}
