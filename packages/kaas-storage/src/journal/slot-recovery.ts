import type { Json, Log } from "@kaas/core";
import { readDocument } from "../documents/documents.js";
import { isTemporaryName } from "../documents/durable-files.js";
import { type FileSystem, isErrno } from "../file-system/file-system.js";
import { decodeLines } from "./journal-lines.js";
import { parseSlotFile, type SlotFile, slotJournalName, slotSnapshotName } from "./slot-files.js";

/** What a slot's directory holds. */
export interface SlotState {
  readonly highestClaim: number;
  readonly snapshot: Json | undefined;
  readonly entries: readonly Json[];
  /** Every file that was there, to be removed once a newer snapshot is durable. */
  readonly names: readonly string[];
}

/** State = newest snapshot + its journal. A slot that was never written has neither, nor a directory. */
export async function readSlot(fileSystem: FileSystem, directory: string, log: Log): Promise<SlotState> {
  const names = await listNames(fileSystem, directory);
  let highestClaim = -1;
  let newest: SlotFile | undefined;
  for (const name of names) {
    const file = parseSlotFile(name);
    if (file?.kind === "claim") highestClaim = Math.max(highestClaim, file.epoch);
    if (file?.kind === "snapshot" && (newest === undefined || isNewer(file, newest))) newest = file;
  }
  const owned = names.filter((name) => parseSlotFile(name) !== undefined || isTemporaryName(name));
  if (newest === undefined) return { highestClaim, snapshot: undefined, entries: [], names: owned };
  const path = `${directory}/${slotSnapshotName(newest.epoch, newest.number)}`;
  const snapshot = await readDocument(fileSystem, path, "slot-snapshot");
  const journal = `${directory}/${slotJournalName(newest.epoch, newest.number)}`;
  return {
    highestClaim,
    snapshot: snapshot.hasState ? snapshot.state : undefined,
    entries: [...snapshot.entries, ...(await readJournal(fileSystem, journal, log))],
    names: owned,
  };
}

async function listNames(fileSystem: FileSystem, directory: string): Promise<string[]> {
  try {
    return (await fileSystem.list(directory)).map((entry) => entry.name);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return [];
    throw error;
  }
}

async function readJournal(fileSystem: FileSystem, path: string, log: Log): Promise<readonly Json[]> {
  let content: Buffer;
  try {
    content = await fileSystem.readFile(path);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return [];
    throw error;
  }
  const { entries, tornBytes } = decodeLines(content, path);
  if (tornBytes > 0) log.warn({ file: path, tornBytes }, "the end of a journal was torn by a crash and is left out");
  return entries;
}

function isNewer(file: SlotFile, than: SlotFile): boolean {
  return file.epoch > than.epoch || (file.epoch === than.epoch && file.number > than.number);
}
