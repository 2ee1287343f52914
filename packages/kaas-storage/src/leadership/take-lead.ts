import { type Clock, KaasError, type Log } from "@kaas/core";
import { encodeDocument, readDocument } from "../documents/documents.js";
import { claimFile, type DurableFiles } from "../documents/durable-files.js";
import { type DirectoryEntry, isErrno, isListed, removeFile } from "../file-system/file-system.js";
import { epochFileName, epochOfClaim, epochOfFile } from "./epoch-names.js";
import { blowFuse, type Incarnation } from "./fuse-file.js";

const ATTEMPTS_MAX = 10;
const POLL_INTERVAL_MS = 25;

/** Who takes the lead, and what it has to know of those who had it before. */
export interface Claimant extends DurableFiles {
  readonly clock: Clock;
  readonly log: Log;
  readonly broker: string;
  readonly incarnation: string;
  /** The directory of all brokers' fuses. */
  readonly brokers: string;
  /** Whether a process lives, as far as is known: it is given time to hand over. False costs it its fuse. */
  readonly isAlive: (broker: string, incarnation: string) => boolean;
  /** How long one that lives is waited for. */
  readonly releaseWaitMsMax: number;
}

/** An epoch that is ours, and the directory as it was listed when nobody before us could acknowledge any more. */
export interface Lead {
  readonly epoch: number;
  readonly entries: readonly DirectoryEntry[];
}

/** How the lead is taken. */
export interface TakeLeadOptions {
  /** The epoch that this process had until its files failed: it does not come back over a successor. */
  readonly heldEpoch?: number | undefined;
  /** Ends the wait for a leader that lives, with `KAAS_CLOSED` and without harm to that leader. */
  readonly unwanted?: AbortSignal | undefined;
  /** The epoch must be higher than this one, wherever that was claimed. */
  readonly above?: number | undefined;
}

interface Claim extends Incarnation {
  readonly epoch: number;
}

/**
 * Claims the next epoch of a directory, and ends the lead of all who claimed one before.
 *
 * ```
 * list ─▶ link-claim E ─▶ list: a higher claim? give up ─▶ wait for, or blow, every lower one ─▶ list ─▶ measure
 * ```
 *
 * Of two that claim at once, either the lower one sees the higher in its second listing, or the higher one sees the
 * lower in its own. What is measured must be listed after the blow: until then the one before may roll, remove and
 * acknowledge. Rejects with `KAAS_FENCED` when another one has claimed a higher epoch.
 */
export async function takeLead(claimant: Claimant, directory: string, options: TakeLeadOptions = {}): Promise<Lead> {
  const lead = await takeLeadUnless(() => false, claimant, directory, options);
  if (!("epoch" in lead)) throw new Error("the lead is elsewhere, and nobody said so");
  return lead;
}

/**
 * The same, unless what is listed says that the lead of this directory is worth nothing: then it resolves with that
 * listing, and nothing has been claimed. Asked of each listing that an epoch would be chosen by.
 */
export async function takeLeadUnless(
  isElsewhere: (entries: readonly DirectoryEntry[]) => boolean,
  claimant: Claimant,
  directory: string,
  options: TakeLeadOptions = {},
): Promise<Lead | { readonly elsewhere: readonly DirectoryEntry[] }> {
  const { heldEpoch, unwanted, above = -1 } = options;
  if (heldEpoch !== undefined) await refuseSuccessor(claimant, directory, heldEpoch);
  const epoch = await claimNext(claimant, directory, above, isElsewhere);
  if (typeof epoch !== "number") return { elsewhere: epoch };
  try {
    const entries = await listUnlessLost(claimant, directory, epoch);
    const owners = await lowerOwners(claimant, directory, entries, epoch);
    if (owners.length === 0) return { epoch, entries };
    for (const owner of await stillLeading(claimant, directory, epoch, owners, unwanted)) {
      await blowFuse(claimant.fileSystem, claimant.brokers, owner, claimant);
    }
    return { epoch, entries: await listUnlessLost(claimant, directory, epoch) };
  } catch (error) {
    await withdrawClaim(claimant, directory, epoch);
    throw error;
  }
}

/**
 * Gives up a claim under which nothing was ever written, a seal least of all. Who takes over from a claim that stands
 * blows its owner's fuse, and with it all that the owner leads.
 */
export async function withdrawClaim({ fileSystem, log }: Claimant, directory: string, epoch: number): Promise<void> {
  try {
    await removeFile(fileSystem, `${directory}/${epochFileName(epoch, "claim")}`);
  } catch (error) {
    log.warn({ directory, epoch, err: error }, "a claim that came to nothing could not be withdrawn");
  }
}

async function refuseSuccessor(
  { fileSystem, incarnation }: Claimant,
  directory: string,
  heldEpoch: number,
): Promise<void> {
  const epoch = highest(await fileSystem.list(directory), epochOfClaim);
  if (epoch <= heldEpoch) return;
  const successor = await readDocument(fileSystem, `${directory}/${epochFileName(epoch, "claim")}`, "claim");
  if (successor.incarnation === incarnation) return;
  throw new KaasError("KAAS_FENCED", `${directory} is led by ${successor.broker} at epoch ${epoch}`);
}

/** One above everything that the directory has ever seen; `claim` names are never removed from the top. */
async function claimNext(
  claimant: Claimant,
  directory: string,
  above: number,
  isElsewhere: (entries: readonly DirectoryEntry[]) => boolean,
): Promise<number | readonly DirectoryEntry[]> {
  const { fileSystem, broker, incarnation } = claimant;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const listed = await fileSystem.list(directory);
    if (isElsewhere(listed)) return listed;
    const epoch = Math.max(highest(listed, epochOfFile), above) + 1;
    const content = encodeDocument("claim", { epoch, broker, incarnation });
    if (await claimFile(claimant, directory, epochFileName(epoch, "claim"), content)) return epoch;
  }
  throw new KaasError("KAAS_STORAGE_FAILED", `no epoch could be claimed in ${directory}: others claim it all the time`);
}

/**
 * A fresh listing, unless it shows that another one has overtaken us. The caller withdraws the claim then, once: after
 * that its name may be somebody else's.
 *
 * Claims alone do not tell. One that chose its epoch long ago, and stood still before it claimed it, may come when that
 * epoch is over, and the claims of those that came after have been removed: where a log went elsewhere, all of them.
 * What such an epoch has left does tell.
 */
async function listUnlessLost(
  { fileSystem }: Claimant,
  directory: string,
  epoch: number,
): Promise<readonly DirectoryEntry[]> {
  const entries = await fileSystem.list(directory);
  const others = entries.filter(({ name }) => name !== epochFileName(epoch, "claim"));
  const winner = highest(others, epochOfFile);
  if (winner < epoch) return entries;
  throw new KaasError("KAAS_FENCED", `epoch ${epoch} of ${directory} is given up: epoch ${winner} has been claimed`);
}

/** Who claimed a lower epoch, has not handed it over, and is not this very process. */
async function lowerOwners(
  { fileSystem, incarnation }: Claimant,
  directory: string,
  entries: readonly DirectoryEntry[],
  epoch: number,
): Promise<Claim[]> {
  const names = new Set(entries.map(({ name }) => name));
  const owners: Claim[] = [];
  for (const name of names) {
    const claimed = epochOfClaim(name) ?? epoch;
    if (claimed >= epoch || names.has(epochFileName(claimed, "released"))) continue;
    try {
      const owner = await readDocument(fileSystem, `${directory}/${name}`, "claim");
      if (owner.incarnation !== incarnation) owners.push(owner);
    } catch (error) {
      // It was withdrawn, or swept by a later leader that had blown its owner's fuse.
      if (!isErrno(error, "ENOENT") || (await isListed(fileSystem, directory, name))) throw error;
    }
  }
  return owners;
}

/** Waits while those that live hand over; answers who has not. Whom it is overtaken by, or told to stop, it harms nobody. */
async function stillLeading(
  claimant: Claimant,
  directory: string,
  epoch: number,
  owners: readonly Claim[],
  unwanted: AbortSignal | undefined,
): Promise<readonly Claim[]> {
  const { clock, log, isAlive, releaseWaitMsMax } = claimant;
  const since = clock.monotonic();
  let left = owners;
  for (;;) {
    const names = new Set((await listUnlessLost(claimant, directory, epoch)).map(({ name }) => name));
    // One that gave up has withdrawn its claim, under which it wrote nothing.
    left = left.filter(
      ({ epoch: claimed }) =>
        names.has(epochFileName(claimed, "claim")) && !names.has(epochFileName(claimed, "released")),
    );
    if (unwanted?.aborted === true) throw new KaasError("KAAS_CLOSED", `${directory} is to be led by another broker`);
    if (!left.some(({ broker, incarnation }) => isAlive(broker, incarnation))) return left;
    if (clock.monotonic() - since >= releaseWaitMsMax) {
      const brokers = left.map(({ broker }) => broker);
      log.warn({ directory, brokers }, "a leader that lives has not handed over in time; it is taken over from");
      return left;
    }
    await new Promise<void>((resolve) => clock.schedule(POLL_INTERVAL_MS, resolve));
  }
}

/** −1 where no name says one. */
function highest(entries: readonly DirectoryEntry[], epochOf: (name: string) => number | undefined): number {
  let found = -1;
  for (const { name } of entries) found = Math.max(found, epochOf(name) ?? -1);
  return found;
}
