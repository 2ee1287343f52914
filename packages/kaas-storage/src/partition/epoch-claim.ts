import { type Claimant, takeLead } from "../leadership/take-lead.js";
import { PartitionFiles } from "./partition-files.js";

/** An epoch that is ours, and the directory as it was listed when nobody before us could acknowledge any more. */
export interface EpochClaim {
  readonly epoch: number;
  readonly listed: PartitionFiles;
}

/** Claims the next epoch of a partition. */
export async function claimEpoch(claimant: Claimant, directory: string): Promise<EpochClaim> {
  const { epoch, entries } = await takeLead(claimant, directory);
  return { epoch, listed: PartitionFiles.of(directory, entries) };
}
