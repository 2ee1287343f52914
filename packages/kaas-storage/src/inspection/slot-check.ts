import { type Json, KaasError, type SlotKind } from "@kaas/core";
import { readSlotEntry, readSlotSnapshot, slotOf } from "@kaas/core/internal";
import type { DocumentTypes } from "../documents/document-types.js";
import { compareSlotFiles, slotJournalName, slotSnapshotName } from "../journal/slot-files.js";
import { epochFileName } from "../leadership/epoch-names.js";
import { probeDocument } from "./document-probe.js";
import { type Finding, finding } from "./finding.js";
import type { SlotView } from "./slot-view.js";
import { isFileSystemName, sizeIfThere, type VolumeView } from "./volume-view.js";

/** Which slot of how many a directory is. */
export interface SlotPosition {
  readonly kind: SlotKind;
  readonly slot: number;
  /** Undefined where cluster.json does not say. */
  readonly slotCount: number | undefined;
}

/** What is wrong with a slot: its documents, its journal, what it holds, what it left behind. */
export async function checkSlot(view: VolumeView, slot: SlotView, position: SlotPosition): Promise<Finding[]> {
  const findings = [...slot.findings, ...(await checkClaims(view, slot)), ...checkContent(slot, position)];
  if (position.slotCount !== undefined && position.slot >= position.slotCount) {
    const message = `it is slot ${position.slot}, and the cluster has ${position.slotCount}`;
    findings.push(finding("slot-out-of-range", slot.directory, message));
  }
  return [...findings, ...checkFiles(slot), ...(await checkStrayJournals(view, slot))];
}

async function checkClaims(view: VolumeView, slot: SlotView): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { kind, epoch, name } of slot.files) {
    if (epoch < slot.claimEpoch || (kind !== "claim" && kind !== "released")) continue;
    const probe = await probeDocument(view, `${slot.directory}/${name}`, kind === "claim" ? "claim" : "slot-released");
    if (probe.state === "bad") findings.push(probe.finding);
    if (probe.state === "valid" && "journal" in probe.value) findings.push(...checkLength(slot, probe.value));
  }
  const { newest } = slot;
  if (newest !== undefined && newest.epoch > slot.claimEpoch) {
    const path = `${slot.directory}/${epochFileName(newest.epoch, "claim")}`;
    findings.push(finding("claim-missing", path, `epoch ${newest.epoch} wrote a snapshot and was never claimed`));
  }
  return findings;
}

/** A journal that was handed over ends where it ended then. */
function checkLength(slot: SlotView, { epoch, journal }: DocumentTypes["slot-released"]): Finding[] {
  const { newest, journalBytes, directory } = slot;
  if (journal === undefined || newest?.epoch !== epoch || newest.number !== journal.number) return [];
  // One that is missing or damaged has been found already.
  const isWhole = slot.findings.every(({ code }) => code === "journal-torn");
  if (!isWhole || journalBytes >= journal.sizeBytes) return [];
  const message = `it has ${journalBytes} bytes of entries, and had ${journal.sizeBytes} when it was handed over`;
  return [finding("journal-damaged", `${directory}/${slotJournalName(epoch, journal.number)}`, message, journalBytes)];
}

/** Files that belong to no state, and those that a newer snapshot replaced. */
function checkFiles({ files, newest, directory, temporary, foreign, claimEpoch }: SlotView): Finding[] {
  const findings: Finding[] = [];
  for (const file of files) {
    const { kind, epoch, name } = file;
    const path = `${directory}/${name}`;
    const isOlder = newest !== undefined && compareSlotFiles(file, newest) < 0;
    const isState = kind === "snapshot" || kind === "journal";
    if (isState && isOlder) findings.push(finding("file-obsolete", path, "a newer snapshot replaced it"));
    // Claims whose epoch is over, and whose state a later one has taken over.
    const isOver = epoch < claimEpoch && newest !== undefined && epoch < newest.epoch;
    if (!isState && isOver) findings.push(finding("file-obsolete", path, `epoch ${claimEpoch} came after`));
  }
  for (const name of temporary) {
    findings.push(finding("temporary-leftover", `${directory}/${name}`, "it was never finished"));
  }
  for (const name of foreign) {
    if (isFileSystemName(name)) continue;
    findings.push(finding("name-unknown", `${directory}/${name}`, "it is none of a slot's files"));
  }
  return findings;
}

/** Journals that no snapshot comes before. One is made just before its snapshot: a crash in between leaves it empty. */
async function checkStrayJournals(view: VolumeView, { files, newest, directory }: SlotView): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const file of files) {
    const { kind, epoch, number, name } = file;
    if (kind !== "journal") continue;
    if (newest !== undefined && compareSlotFiles(file, newest) <= 0) continue;
    const path = `${directory}/${name}`;
    const sizeBytes = await sizeIfThere(view, path);
    if (sizeBytes === 0) findings.push(finding("temporary-leftover", path, "its snapshot was never written"));
    else if (sizeBytes !== undefined) {
      const snapshot = `${directory}/${slotSnapshotName(epoch, number)}`;
      findings.push(finding("snapshot-missing", snapshot, `it is not there, and ${name} has ${sizeBytes} bytes`));
    }
  }
  return findings;
}

/** Whether the coordinator will understand what is there, and look for it there. */
function checkContent(slot: SlotView, position: SlotPosition): Finding[] {
  const { newest, directory, snapshot, entries } = slot;
  if (newest === undefined || position.kind !== "groups") return [];
  const snapshotPath = `${directory}/${slotSnapshotName(newest.epoch, newest.number)}`;
  const journalPath = `${directory}/${slotJournalName(newest.epoch, newest.number)}`;
  const findings: Finding[] = [];
  const misplaced = new Set<string>();
  const see = (path: string, groups: () => readonly string[]): void => {
    try {
      for (const group of groups()) if (isMisplaced(group, position)) misplaced.add(group);
    } catch (error) {
      if (!(error instanceof KaasError)) throw error;
      findings.push(finding("slot-entry-invalid", path, error.message));
    }
  };
  if (snapshot !== undefined) see(snapshotPath, () => readSlotSnapshot(snapshot).groups.map(({ group }) => group));
  for (const entry of entries) see(journalPath, () => groupsOf(entry));
  for (const group of misplaced) {
    const message = `group ${JSON.stringify(group)} belongs to slot ${slotOf(group, position.slotCount ?? 1)}`;
    findings.push(finding("slot-entry-misplaced", journalPath, message));
  }
  return findings.slice(0, 10);
}

function groupsOf(json: Json): readonly string[] {
  const entry = readSlotEntry(json);
  return "group" in entry ? [entry.group] : [];
}

function isMisplaced(group: string, { slot, slotCount }: SlotPosition): boolean {
  return slotCount !== undefined && slotOf(group, slotCount) !== slot;
}
