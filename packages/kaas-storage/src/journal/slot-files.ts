/** Names in a coordinator slot's directory, and of that. */
import type { SlotKind } from "@kaas/core";
import { epochDigits } from "../leadership/epoch-names.js";

/** Where slots of each kind are, below the cluster directory. */
export const SLOT_DIRECTORIES: Readonly<Record<SlotKind, string>> = {
  groups: "__consumer_offsets",
  transactions: "txn_state",
};

const SLOT_NAME = /^slot-(\d{2,})$/;

/** The directory of a slot, in that of its kind. */
export function slotDirectoryName(slot: number): string {
  return `slot-${String(slot).padStart(2, "0")}`;
}

/** The slot that a directory's name means; undefined for any other name. */
export function slotNumber(name: string): number | undefined {
  const slot = SLOT_NAME.exec(name)?.[1];
  return slot === undefined ? undefined : Number(slot);
}

/** What a file in a slot's directory is, by its name. */
export type SlotFile =
  | { readonly kind: "claim" | "released"; readonly epoch: number; readonly number: 0 }
  | { readonly kind: "snapshot" | "journal"; readonly epoch: number; readonly number: number };

const NAME = /^(\d{8})(?:-(\d{8}))?\.(claim|released|json|journal)$/;

export function slotSnapshotName(epoch: number, number: number): string {
  return `${epochDigits(epoch)}-${epochDigits(number)}.json`;
}

export function slotJournalName(epoch: number, number: number): string {
  return `${epochDigits(epoch)}-${epochDigits(number)}.journal`;
}

/** What a name says; undefined for names that are not ours. */
export function parseSlotFile(name: string): SlotFile | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const epoch = Number(match[1]);
  const hasNumber = match[2] !== undefined;
  const suffix = match[3];
  if (suffix === "claim" || suffix === "released") {
    return hasNumber ? undefined : { kind: suffix, epoch, number: 0 };
  }
  if (!hasNumber) return undefined;
  return { kind: suffix === "json" ? "snapshot" : "journal", epoch, number: Number(match[2]) };
}

/** Negative where the first is of an earlier state: the epoch counts, then the number within it. */
export function compareSlotFiles(one: SlotFile, other: SlotFile): number {
  return one.epoch - other.epoch || one.number - other.number;
}
