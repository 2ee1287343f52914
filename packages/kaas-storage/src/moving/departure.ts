import { KaasError } from "@kaas/core";
import type { LogState } from "../documents/document-types.js";
import { withdrawClaim } from "../leadership/take-lead.js";
import { claimEpoch } from "../partition/epoch-claim.js";
import type { LogEnvironment } from "../partition/log-environment.js";
import { sealDeparture } from "../partition/recovery.js";

/**
 * Says in a partition's directory that the partition lies elsewhere from now on, at an epoch claimed for that. It is for
 * the leader of `heldEpoch` alone, which has handed over: if anybody has led since, what was copied is not all there is.
 *
 * Rejects with `KAAS_FENCED` when another broker leads. Whatever else it rejects with, it may have been said all the same:
 * only a new opening knows.
 */
export async function depart(
  environment: LogEnvironment,
  directory: string,
  heldEpoch: number,
  logDirectory: string | null,
  state: LogState,
): Promise<void> {
  const claim = await claimEpoch(environment, directory, { heldEpoch });
  if ("movedAt" in claim) throw notOurs(directory);
  const { epoch, listed } = claim;
  const isUntouched = listed.highestEpoch("seal", epoch) === heldEpoch && listed.of("released", heldEpoch).length > 0;
  if (!isUntouched) {
    await withdrawClaim(environment, directory, epoch);
    throw notOurs(directory);
  }
  await sealDeparture(environment, directory, epoch, { movedTo: { logDirectory, since: epoch }, state });
}

function notOurs(directory: string): KaasError {
  return new KaasError("KAAS_STORAGE_FAILED", `${directory} has been led by others since its log was handed over`);
}
