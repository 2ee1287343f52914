import { type Json, KaasError, type Log } from "@kaas/core";
import { readDocument } from "../documents/documents.js";
import { isTemporaryName } from "../documents/durable-files.js";
import { type FileSystem, listIfThere } from "../file-system/file-system.js";
import { epochFileName } from "../leadership/epoch-names.js";
import type { SyncSlots } from "../partition/sync-slots.js";
import { decodeLines } from "./journal-lines.js";
import { compareSlotFiles, parseSlotFile, type SlotFile, slotJournalName, slotSnapshotName } from "./slot-files.js";

/** What a slot's directory holds. */
export interface SlotState {
  readonly highestClaim: number;
  readonly snapshot: Json | undefined;
  readonly entries: readonly Json[];
  /** Every file that was there, to be removed once a newer snapshot is durable. */
  readonly names: readonly string[];
}

/** Where slots are read from. */
export interface SlotSource {
  readonly fileSystem: FileSystem;
  readonly log: Log;
  readonly syncSlots: SyncSlots;
  /** Whether another machine may have written it. */
  readonly isShared: boolean;
}

/** The names in a slot's directory, which need not be there. */
export async function listSlot({ fileSystem }: SlotSource, directory: string): Promise<readonly string[]> {
  return ((await listIfThere(fileSystem, directory)) ?? []).map(({ name }) => name);
}

/**
 * State = newest snapshot + its journal. A slot that was never written has neither. A snapshot is a seal as well: what
 * an older epoch's journal holds beyond it was written by somebody who had lost the slot.
 *
 * `isSettled`: nobody else can write any more, so that what is missing is lost, and is not passed over.
 */
export async function readSlot(
  source: SlotSource,
  directory: string,
  names: readonly string[],
  isSettled: boolean,
): Promise<SlotState> {
  let highestClaim = -1;
  let newest: SlotFile | undefined;
  for (const name of names) {
    const file = parseSlotFile(name);
    if (file?.kind === "claim") highestClaim = Math.max(highestClaim, file.epoch);
    if (file?.kind === "snapshot" && (newest === undefined || compareSlotFiles(file, newest) > 0)) newest = file;
  }
  const owned = names.filter((name) => parseSlotFile(name) !== undefined || isTemporaryName(name));
  if (isSettled) await refuseLostSnapshot(source, directory, names, newest);
  if (newest === undefined) return { highestClaim, snapshot: undefined, entries: [], names: owned };
  const path = `${directory}/${slotSnapshotName(newest.epoch, newest.number)}`;
  const snapshot = await readDocument(source.fileSystem, path, "slot-snapshot");
  // A journal that the listing has must be readable: a cache that knows nothing of it is not believed.
  const journal = slotJournalName(newest.epoch, newest.number);
  const isThere = names.includes(journal);
  if (isSettled && !isThere) {
    throw lost(`${directory}/${journal}`, `is missing, and ${slotSnapshotName(newest.epoch, newest.number)} is there`);
  }
  const leastBytes = isSettled ? await bytesAtRelease(source, directory, names, newest) : 0;
  const since = isThere ? await readJournal(source, `${directory}/${journal}`, leastBytes) : [];
  return {
    highestClaim,
    snapshot: snapshot.hasState ? snapshot.state : undefined,
    entries: [...snapshot.entries, ...since],
    names: owned,
  };
}

/** A journal is made before its snapshot, and written after it: one that has entries had a snapshot. */
async function refuseLostSnapshot(
  { fileSystem }: SlotSource,
  directory: string,
  names: readonly string[],
  newest: SlotFile | undefined,
): Promise<void> {
  for (const name of names) {
    const file = parseSlotFile(name);
    if (file?.kind !== "journal" || (newest !== undefined && compareSlotFiles(file, newest) <= 0)) continue;
    if ((await sizeOf(fileSystem, `${directory}/${name}`)) === 0) continue;
    throw lost(`${directory}/${slotSnapshotName(file.epoch, file.number)}`, `is missing, and ${name} has entries`);
  }
}

async function sizeOf(fileSystem: FileSystem, path: string): Promise<number> {
  const handle = await fileSystem.open(path, "read");
  try {
    return await handle.size();
  } finally {
    await handle.close();
  }
}

/** How long the journal was when it was handed over; 0 where it was not, or an earlier version did it. */
async function bytesAtRelease(
  { fileSystem }: SlotSource,
  directory: string,
  names: readonly string[],
  { epoch, number }: SlotFile,
): Promise<number> {
  const name = epochFileName(epoch, "released");
  if (!names.includes(name)) return 0;
  const { journal } = await readDocument(fileSystem, `${directory}/${name}`, "slot-released");
  return journal?.number === number ? journal.sizeBytes : 0;
}

function lost(path: string, what: string): KaasError {
  return new KaasError("KAAS_VOLUME_INVALID", `${path} ${what}: put it back from a backup`);
}

async function readJournal(source: SlotSource, path: string, leastBytes: number): Promise<readonly Json[]> {
  const content = await readContent(source, path);
  const { entries, tornBytes } = decodeLines(content, path);
  const sizeBytes = content.length - tornBytes;
  if (sizeBytes < leastBytes) {
    throw lost(path, `ends at byte ${sizeBytes}, and had ${leastBytes} when it was handed over`);
  }
  if (tornBytes > 0) {
    source.log.warn({ file: path, tornBytes }, "the end of a journal was torn by a crash and is left out");
  }
  return entries;
}

/**
 * The one who wrote it may still have it open, on another machine: its server is asked, and no cache. Where nobody else
 * can, it may have been killed before its fsync, or failed in it, which leaves the cache showing what the disk does not
 * have. What is read here is acted upon, so it is written once more first.
 */
async function readContent({ fileSystem, isShared, syncSlots }: SlotSource, path: string): Promise<Buffer> {
  const handle = await fileSystem.open(path, isShared ? "uncached" : "write");
  try {
    const buffer = Buffer.alloc(await handle.size());
    const content = buffer.subarray(0, await handle.read(buffer, 0));
    if (!isShared && content.length > 0) {
      await handle.writev([content], 0);
      await syncSlots.with(() => handle.dataSync());
    }
    return content;
  } finally {
    await handle.close();
  }
}
