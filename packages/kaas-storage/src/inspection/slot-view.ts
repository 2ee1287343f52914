import { readIfThere } from "../file-system/file-system.js";
import type { Json } from "@kaas/core";
import type { DocumentTypes } from "../documents/document-types.js";
import { isTemporaryName } from "../documents/durable-files.js";
import { scanLines } from "../journal/journal-lines.js";
import {
  compareSlotFiles,
  parseSlotFile,
  type SlotFile,
  slotJournalName,
  slotSnapshotName,
} from "../journal/slot-files.js";
import { epochFileName } from "../leadership/epoch-names.js";
import { probeDocument } from "./document-probe.js";
import { type Finding, finding } from "./finding.js";
import { listIfThere, unreadable, type VolumeView } from "./volume-view.js";

const ATTEMPTS_MAX = 20;

/** A coordinator slot as its directory and its newest snapshot and journal describe it at one moment. */
export interface SlotView {
  readonly directory: string;
  readonly files: readonly (SlotFile & { readonly name: string })[];
  readonly temporary: readonly string[];
  readonly foreign: readonly string[];
  /** −1: never claimed. */
  readonly claimEpoch: number;
  /** Who claimed that epoch. */
  readonly claim: DocumentTypes["claim"] | undefined;
  /** Whether the epoch in force was handed over in order. */
  readonly isReleased: boolean;
  /** The snapshot in force. */
  readonly newest: SlotFile | undefined;
  readonly snapshot: Json | undefined;
  /** What happened since the state that the snapshot holds. */
  readonly entries: readonly Json[];
  /** Of whole entries. */
  readonly journalBytes: number;
  readonly findings: readonly Finding[];
}

/** Reads a slot as its next coordinator would; undefined when there is no such directory. */
export async function viewSlot(view: VolumeView, directory: string): Promise<SlotView | undefined> {
  for (let attempt = 1; ; attempt++) {
    const listed = await listSlot(view, directory);
    if (listed === undefined) return undefined;
    const slot = await readNewest(view, listed);
    if (slot !== undefined || attempt === ATTEMPTS_MAX) return slot ?? listed;
    await view.host.pause(attempt); // a newer snapshot replaced it between listing and reading
  }
}

async function listSlot(view: VolumeView, directory: string): Promise<SlotView | undefined> {
  const entries = await listIfThere(view, directory);
  if (entries === undefined) return undefined;
  const files: (SlotFile & { readonly name: string })[] = [];
  const temporary: string[] = [];
  const foreign: string[] = [];
  for (const { name } of entries) {
    const file = parseSlotFile(name);
    if (file !== undefined) files.push({ ...file, name });
    else (isTemporaryName(name) ? temporary : foreign).push(name);
  }
  const claimEpoch = Math.max(-1, ...files.filter(({ kind }) => kind === "claim").map(({ epoch }) => epoch));
  const snapshots = files.filter(({ kind }) => kind === "snapshot");
  const newest = snapshots.sort(compareSlotFiles).at(-1);
  const isReleased = files.some(({ kind, epoch }) => kind === "released" && epoch === claimEpoch);
  const probe = await probeDocument(view, `${directory}/${epochFileName(claimEpoch, "claim")}`, "claim");
  const claim = probe.state === "valid" ? probe.value : undefined;
  const state = { snapshot: undefined, entries: [], journalBytes: 0, findings: [] };
  return { directory, files, temporary, foreign, claimEpoch, claim, isReleased, newest, ...state };
}

/** Undefined when a file that was listed has gone: the listing is out of date. */
async function readNewest(view: VolumeView, listed: SlotView): Promise<SlotView | undefined> {
  const { newest, directory } = listed;
  if (newest === undefined) return listed;
  const path = `${directory}/${slotSnapshotName(newest.epoch, newest.number)}`;
  const probe = await probeDocument(view, path, "slot-snapshot");
  if (probe.state === "gone") return undefined;
  if (probe.state === "bad") return { ...listed, findings: [probe.finding] };
  const journal = await readJournal(view, `${directory}/${slotJournalName(newest.epoch, newest.number)}`);
  if (journal === undefined && (await isReplaced(view, listed))) return undefined;
  const { hasState, state, entries } = probe.value;
  return {
    ...listed,
    snapshot: hasState ? state : undefined,
    entries: [...entries, ...(journal?.entries ?? [])],
    journalBytes: journal?.bytes ?? 0,
    findings: journal?.findings ?? [missingJournal(directory, newest)],
  };
}

interface JournalReading {
  readonly entries: readonly Json[];
  readonly bytes: number;
  readonly findings: readonly Finding[];
}

/** Undefined when there is none. */
async function readJournal(view: VolumeView, path: string): Promise<JournalReading | undefined> {
  let content: Buffer | undefined;
  try {
    content = await readIfThere(view.fileSystem, path);
  } catch (error) {
    return { entries: [], bytes: 0, findings: [unreadable(path, error)] };
  }
  if (content === undefined) return undefined;
  const { entries, tornBytes, damage } = scanLines(content);
  if (damage !== undefined) {
    const message = `it is damaged at byte ${damage.position}: ${damage.reason}`;
    const damaged = finding("journal-damaged", path, message, damage.position);
    return { entries: [], bytes: content.length, findings: [damaged] };
  }
  const bytes = content.length - tornBytes;
  const torn = finding("journal-torn", path, `its last ${tornBytes} bytes are no whole entry`, bytes);
  return { entries, bytes, findings: tornBytes > 0 ? [torn] : [] };
}

async function isReplaced(view: VolumeView, { directory, newest }: SlotView): Promise<boolean> {
  const again = await listSlot(view, directory);
  return again?.newest?.epoch !== newest?.epoch || again?.newest?.number !== newest?.number;
}

function missingJournal(directory: string, { epoch, number }: SlotFile): Finding {
  const path = `${directory}/${slotJournalName(epoch, number)}`;
  return finding("journal-missing", path, `it is not there, and ${slotSnapshotName(epoch, number)} is`);
}
