import { type Claimant, type TakeLeadOptions, takeLeadUnless } from "../leadership/take-lead.js";
import { PartitionFiles } from "./partition-files.js";

/** An epoch that is ours, and the directory as it was listed when nobody before us could acknowledge any more. */
export interface EpochClaim {
  readonly epoch: number;
  readonly listed: PartitionFiles;
}

/** The partition has moved away, as that epoch's seal says. Nothing was claimed. */
export interface Departure {
  readonly movedAt: number;
  readonly listed: PartitionFiles;
}

/** How an epoch is claimed. */
export interface ClaimOptions extends TakeLeadOptions {
  /** The epoch whose leader moved the partition here, where it comes from elsewhere. */
  readonly arrivedSince?: number | undefined;
}

/**
 * Claims the next epoch of a partition, unless it has moved away from the directory and has not come back. Names alone
 * say so: `<E>.moved` appears when `<E>.seal` has been acted upon, and only who comes back seals above it.
 */
export async function claimEpoch(
  claimant: Claimant,
  directory: string,
  options: ClaimOptions = {},
): Promise<EpochClaim | Departure> {
  const { arrivedSince = -1 } = options;
  const departureOf = (listed: PartitionFiles): number => {
    const movedAt = listed.highestEpoch("moved");
    return movedAt > arrivedSince && listed.highestEpoch("seal") <= movedAt ? movedAt : -1;
  };
  const lead = await takeLeadUnless(
    (entries) => departureOf(PartitionFiles.of(directory, entries)) >= 0,
    claimant,
    directory,
    { ...options, above: arrivedSince },
  );
  if ("epoch" in lead) return { epoch: lead.epoch, listed: PartitionFiles.of(directory, lead.entries) };
  const listed = PartitionFiles.of(directory, lead.elsewhere);
  return { movedAt: departureOf(listed), listed };
}
