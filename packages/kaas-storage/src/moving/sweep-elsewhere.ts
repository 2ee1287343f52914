import type { PartitionId } from "@kaas/core";
import { listIfThere, removeFile } from "../file-system/file-system.js";
import { CHECKPOINT_NAME, MANIFEST_COPY_NAME, SNAPSHOT_COPY_NAME } from "../partition/file-names.js";
import { type ListedFile, PartitionFiles } from "../partition/partition-files.js";
import { type LogPlaces, type LogVolume, partitionDirectory } from "./log-places.js";

const COPIES_AND_HINTS = [CHECKPOINT_NAME, MANIFEST_COPY_NAME, SNAPSHOT_COPY_NAME];

/**
 * Removes what a partition has left in directories that it moved away from, and what was copied to directories that it
 * did not move to. For its leader, once that serves at `epoch`.
 *
 * Only what says itself that it is not in force goes. Files that a move put in force carry an epoch of at least ours, so
 * that one who has lost the lead, and does not know yet, removes nothing that anybody needs.
 */
export async function sweepElsewhere(
  id: PartitionId,
  { volumes }: LogPlaces,
  home: LogVolume,
  epoch: number,
): Promise<void> {
  await home.environment.fuse.confirm();
  for (const volume of volumes) {
    if (volume === home) continue;
    const { fileSystem } = volume.environment;
    const directory = partitionDirectory(volume, id);
    // It was never there, or its volume is missing.
    const entries = (await listIfThere(fileSystem, directory)) ?? [];
    const listed = PartitionFiles.of(directory, entries);
    for (const file of needless(listed, epoch)) await removeFile(fileSystem, listed.path(file.name));
    if (!hasDeparted(listed)) continue;
    for (const { name } of entries) {
      if (COPIES_AND_HINTS.includes(name)) await removeFile(fileSystem, listed.path(name));
    }
  }
}

/** What counts for nothing in a directory that the partition does not lie in; what tells so comes last. */
export function needless(listed: PartitionFiles, below: number): readonly ListedFile[] {
  const movedAt = listed.highestEpoch("moved");
  const sealedAt = listed.highestEpoch("seal");
  const unfinished = new Set<number>();
  for (const { kind, epoch } of listed.files) {
    // Where it was sealed since, those copies may be what the partition consists of.
    if (kind === "arriving" && epoch < below && epoch >= sealedAt) unfinished.add(epoch);
  }
  const isPointer = ({ kind, epoch }: ListedFile): boolean =>
    epoch === movedAt && (kind === "seal" || kind === "moved");
  const goes = (file: ListedFile): boolean => !isPointer(file) && (file.epoch <= movedAt || unfinished.has(file.epoch));
  return listed.files.filter(goes).sort((one, other) => rank(one) - rank(other));
}

/** Whether the directory says where the partition went, and nothing has come back since. */
export function hasDeparted(listed: PartitionFiles): boolean {
  const movedAt = listed.highestEpoch("moved");
  return movedAt >= 0 && listed.highestEpoch("seal") <= movedAt;
}

function rank({ kind }: ListedFile): number {
  return kind === "arriving" ? 1 : 0;
}
