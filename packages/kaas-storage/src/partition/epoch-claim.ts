import { KaasError } from "@kaas/core";
import { encodeDocument } from "../documents/documents.js";
import { claimFile, type DurableFiles } from "../documents/durable-files.js";
import { epochFileName } from "./file-names.js";
import { PartitionFiles } from "./partition-files.js";

const ATTEMPTS_MAX = 10;

/** Who claims: a broker's name, and this start of its process. */
export interface Claimant extends DurableFiles {
  readonly broker: string;
  readonly incarnation: string;
}

/** An epoch that is ours, and the directory as it was listed after the claim. */
export interface EpochClaim {
  readonly epoch: number;
  readonly listed: PartitionFiles;
}

/** Claims the next epoch of a directory: one above the highest that was ever claimed there. */
export async function claimEpoch(environment: Claimant, directory: string): Promise<EpochClaim> {
  const { fileSystem, broker, incarnation } = environment;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const epoch = (await PartitionFiles.list(fileSystem, directory)).highestEpoch("claim") + 1;
    const content = encodeDocument("claim", { epoch, broker, incarnation });
    if (!(await claimFile(environment, directory, epochFileName(epoch, "claim"), content))) continue;
    const listed = await PartitionFiles.list(fileSystem, directory);
    if (listed.highestEpoch("claim") === epoch) return { epoch, listed };
  }
  throw new KaasError("KAAS_STORAGE_FAILED", `no epoch could be claimed in ${directory}: others claim it all the time`);
}
