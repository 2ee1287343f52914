import { KaasError, type LogConfig, type PartitionId } from "@kaas/core";
import type { DocumentTypes, LogState, MovedTo } from "../documents/document-types.js";
import { encodeDocument, readDocument } from "../documents/documents.js";
import { claimFile } from "../documents/durable-files.js";
import { withdrawClaim } from "../leadership/take-lead.js";
import { claimEpoch } from "./epoch-claim.js";
import { EpochTable } from "./epoch-table.js";
import { epochFileName } from "../leadership/epoch-names.js";
import { SEGMENT_FILE_KINDS } from "./file-names.js";
import type { RecoveredLog } from "./log-core.js";
import type { LogEnvironment } from "./log-environment.js";
import { type PartitionFiles, sweepPartition } from "./partition-files.js";
import { recoverProducers } from "./producer-recovery.js";
import { Segment } from "./segment.js";
import { saveAbortedIndex, writeIndexes } from "./segment-indexes.js";
import { type ScannedSegment, scanTail } from "./tail-scan.js";

const EMPTY: LogState = {
  logStartOffset: 0,
  endOffset: 0,
  segments: [],
  epochs: [],
  producers: { offset: 0, snapshot: null },
};

/** A recovered log, and work that can be done once it serves. */
export interface Recovery {
  readonly log: RecoveredLog;
  tidyUp(): Promise<void>;
}

/** Where a partition is instead, and what it consists of there, as far as its mover knew. */
export interface MovedAway {
  readonly movedTo: MovedTo;
  readonly state: LogState;
}

/** How a log is recovered. */
export interface RecoveryOptions {
  /** The epoch that failed, where a log is opened again. */
  readonly heldEpoch?: number | undefined;
  /** One that is not wanted any more does not wait for the leader before. */
  readonly unwanted?: AbortSignal | undefined;
  /** What another directory says of a partition that went here from there. */
  readonly arrival?: MovedAway | undefined;
}

/**
 * Takes the lead of a partition at a new epoch.
 *
 * ```
 * claim ─▶ newest released / manifest / seal ─▶ scan what its epoch appended since ─▶ make it durable ─▶ seal ─▶ fuse
 * ```
 *
 * After a clean hand-over `<epoch>.released` says everything, and nothing is scanned. After a crash the segments that
 * the last leader had not closed are read: batch headers from the start, checksums from the checkpoint on. What lies
 * behind the last valid batch was never acknowledged and, not being in the seal, does not exist.
 *
 * A partition that has moved away is not led here: where it went is what comes back. One that arrives is what its mover
 * copied, until an epoch here has sealed it.
 */
export async function recoverLog(
  id: PartitionId,
  directory: string,
  config: LogConfig,
  environment: LogEnvironment,
  { heldEpoch, unwanted, arrival }: RecoveryOptions = {},
): Promise<Recovery | MovedAway> {
  const claim = await claimEpoch(environment, directory, {
    heldEpoch,
    unwanted,
    arrivedSince: arrival?.movedTo.since,
  });
  if ("movedAt" in claim) return readDeparture(environment, claim.listed, claim.movedAt);
  const { epoch, listed } = claim;
  let measured: Measured | MovedAway;
  try {
    measured = await measure(id, listed, epoch, config, environment, arrival);
  } catch (error) {
    await withdrawClaim(environment, directory, epoch);
    throw error;
  }
  if ("movedTo" in measured) {
    // One that has claimed in between may seal yet, with what it found before the partition went.
    const mayBeSealed = listed.highestEpoch("claim", epoch) > listed.highestEpoch("seal", epoch);
    if (mayBeSealed) await sealDeparture(environment, directory, epoch, measured);
    else await noteDeparture(environment, directory, epoch, measured.movedTo);
    return measured;
  }
  const { state, log, scanned } = measured;
  await claimSeal(environment, directory, { epoch, ...state });
  // What is served from here on must be what every later leader finds.
  await environment.fuse.confirm();
  return { log, tidyUp: () => tidyUp(environment, listed, state, epoch, scanned) };
}

/**
 * Seals an epoch that is ours with where the partition went: no later leader goes on here, nor does one that lost the
 * lead and did not notice yet. Rejects, and nobody may go on there for it, when the fuse is blown.
 */
export async function sealDeparture(
  environment: LogEnvironment,
  directory: string,
  epoch: number,
  { movedTo, state }: MovedAway,
): Promise<void> {
  await claimSeal(environment, directory, { epoch, movedTo, ...state });
  await noteDeparture(environment, directory, epoch, movedTo);
}

/** From here on it is acted upon where the partition went, and whoever comes by needs no epoch to know. */
async function noteDeparture(
  environment: LogEnvironment,
  directory: string,
  epoch: number,
  { since }: MovedTo,
): Promise<void> {
  await environment.fuse.confirm();
  await claimFile(environment, directory, epochFileName(since, "moved"), encodeDocument("moved", { epoch: since }));
  await withdrawClaim(environment, directory, epoch);
}

async function readDeparture(
  { fileSystem }: LogEnvironment,
  listed: PartitionFiles,
  movedAt: number,
): Promise<MovedAway> {
  const path = listed.path(epochFileName(movedAt, "seal"));
  const seal = await readDocument(fileSystem, path, "seal");
  const { movedTo } = seal;
  if (movedTo === undefined)
    throw new KaasError("KAAS_VOLUME_INVALID", `${path} does not say where the partition went`);
  return { movedTo, state: stateOf(seal) };
}

/** An epoch is sealed once, by whoever claimed it. */
async function claimSeal(environment: LogEnvironment, directory: string, seal: DocumentTypes["seal"]): Promise<void> {
  const { epoch } = seal;
  const isOurs = await claimFile(environment, directory, epochFileName(epoch, "seal"), encodeDocument("seal", seal));
  if (isOurs) return;
  throw new KaasError("KAAS_STORAGE_FAILED", `${directory} has a seal of epoch ${epoch} that is not ours`);
}

/** What there is, and the log that it makes. */
interface Measured {
  readonly state: LogState;
  readonly log: RecoveredLog;
  readonly scanned: readonly ScannedSegment[];
}

/**
 * What the newest seal, and what its epoch wrote since, come to. Only the newest: what an older epoch's file holds
 * beyond the length that a seal gave it was written by somebody who had lost the lead. What arrives is newer than all
 * that is here, unless it has been sealed here since.
 */
async function measure(
  id: PartitionId,
  listed: PartitionFiles,
  epoch: number,
  config: LogConfig,
  environment: LogEnvironment,
  arrival: MovedAway | undefined,
): Promise<Measured | MovedAway> {
  const { directory } = listed;
  const previous = listed.highestEpoch("seal", epoch);
  const known = previous < 0 ? { state: EMPTY, isReleased: true } : await readState(environment, listed, previous);
  const hasArrived = arrival !== undefined && arrival.movedTo.since > (known.movedTo?.since ?? previous);
  const base: KnownState = hasArrived ? { state: arrival.state, isReleased: true } : known;
  if (base.movedTo !== undefined) return { movedTo: base.movedTo, state: base.state };
  if (!hasArrived) refuseUnsealed(listed, previous, epoch);
  const scanned = base.isReleased ? [] : await scanTail(id, listed, previous, base.state, config, environment);
  const segments = [
    ...base.state.segments.map((record) => Segment.of(directory, record)),
    ...scanned.map(({ segment }) => segment),
  ].filter((segment) => segment.sizeBytes > 0);
  const { logStartOffset } = base.state;
  // Where `flush.messages` is not 1, a crash may lose records that the log start has passed: offsets never come again.
  const endOffset = Math.max(logStartOffset, segments.at(-1)?.nextOffset ?? base.state.endOffset);
  const recovered = await recoverProducers(environment, directory, base.state.producers, segments, endOffset);
  const { replay } = recovered;
  for (const { segment } of scanned) {
    segment.describeAborted(replay.aborted.within(segment.baseOffset, segment.nextOffset));
  }
  const epochs = new EpochTable(base.state.epochs);
  epochs.begin(epoch, endOffset);
  epochs.truncateBefore(logStartOffset);
  const state: LogState = {
    logStartOffset,
    endOffset,
    segments: segments.map((segment) => segment.record()),
    epochs: epochs.entries(),
    producers: recovered.saved,
    cleanedOffset: base.state.cleanedOffset,
  };
  const log: RecoveredLog = {
    epoch,
    directory,
    logStartOffset,
    endOffset,
    segments,
    cleanedOffset: base.state.cleanedOffset ?? 0,
    epochs,
    producers: replay.producers,
    transactions: replay.transactions,
    savedProducers: recovered.saved,
    hasUnsavedProducers: replay.isChanged,
  };
  return { state, log, scanned };
}

/**
 * An epoch writes nothing before its seal is durable. Where it did, the seal has been lost; to go on from an older epoch
 * would be to drop all that this one acknowledged, and to remove its files. Copies of a move have their own mark.
 */
function refuseUnsealed(listed: PartitionFiles, sealedEpoch: number, ownEpoch: number): void {
  for (const { kind, epoch, name } of listed.files) {
    if (epoch <= sealedEpoch || epoch === ownEpoch || kind === "claim" || kind === "moved") continue;
    if (listed.of("arriving", epoch).length > 0) continue;
    throw new KaasError(
      "KAAS_VOLUME_INVALID",
      `${listed.path(epochFileName(epoch, "seal"))} is missing, and epoch ${epoch} wrote ${name}: put it back from a backup`,
    );
  }
}

interface KnownState {
  readonly state: LogState;
  /** Whether nothing was appended since. */
  readonly isReleased: boolean;
  readonly movedTo?: MovedTo | undefined;
}

/** What the documents of an epoch say: its hand-over if there was one, else its newest manifest, else its seal. */
async function readState({ fileSystem }: LogEnvironment, listed: PartitionFiles, epoch: number): Promise<KnownState> {
  if (listed.of("released", epoch).length > 0) {
    const state = await readDocument(fileSystem, listed.path(epochFileName(epoch, "released")), "released");
    return { state, isReleased: true };
  }
  const manifest = listed.of("manifest", epoch).at(-1);
  if (manifest !== undefined) {
    return { state: await readDocument(fileSystem, listed.path(manifest.name), "manifest"), isReleased: false };
  }
  const seal = await readDocument(fileSystem, listed.path(epochFileName(epoch, "seal")), "seal");
  return { state: stateOf(seal), isReleased: false, movedTo: seal.movedTo };
}

function stateOf({ logStartOffset, endOffset, segments, epochs, producers, cleanedOffset }: LogState): LogState {
  return { logStartOffset, endOffset, segments, epochs, producers, cleanedOffset };
}

/**
 * Once the seal is durable: what it does not name does not exist. Claims go with the rest: their owners' fuses are
 * blown, or they have handed over.
 */
async function tidyUp(
  environment: LogEnvironment,
  listed: PartitionFiles,
  state: LogState,
  epoch: number,
  scanned: readonly ScannedSegment[],
): Promise<void> {
  await environment.fuse.confirm();
  const inForce = new Set(state.segments.map((record) => stemOf(Segment.of(listed.directory, record).fileName("log"))));
  await sweepPartition(environment.fileSystem, listed, (file) => {
    if (file.epoch >= epoch || file.name === state.producers.snapshot) return true;
    return SEGMENT_FILE_KINDS.some((kind) => kind === file.kind) && inForce.has(stemOf(file.name));
  });
  for (const { segment, indexes, tornBytes } of scanned) {
    if (segment.sizeBytes === 0) continue;
    await writeIndexes(environment, listed.directory, indexes, segment);
    await saveAbortedIndex(environment, listed.directory, segment);
    // What was torn stays where it is, for whoever wants to look at it. Zeros only take space. Where the one who wrote
    // the file may still have it open, on another machine, its length is left alone.
    if (tornBytes === 0 && !environment.isShared) await cutPadding(environment, segment);
  }
}

async function cutPadding({ fileSystem }: LogEnvironment, segment: Segment): Promise<void> {
  const handle = await fileSystem.open(segment.path("log"), "write");
  try {
    await handle.truncate(segment.sizeBytes);
  } finally {
    await handle.close();
  }
}

/** What the names of all files of a segment begin with. */
function stemOf(name: string): string {
  return name.slice(0, name.indexOf("."));
}
