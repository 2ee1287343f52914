import { readDocument } from "../documents/documents.js";
import { type FileSystem, isErrno } from "../file-system/file-system.js";
import { epochFileName } from "../partition/file-names.js";
import { PartitionFiles } from "../partition/partition-files.js";
import type { MovedAway } from "../partition/recovery.js";

/** How often a directory that changes meanwhile is listed again, and so many moves may lie on the way. */
const LISTINGS_MAX = 32;

/** Where a partition lies, for those who only look. */
export interface PartitionHome {
  /** The name of the log directory; null is the data directory. */
  readonly logDirectory: string | null;
  /** What it arrived with, where nobody has led it there yet. */
  readonly arrival?: MovedAway | undefined;
}

/**
 * Follows a partition from where its topic says that it lies to where it is now.
 *
 * @param directoryOf the partition's directory in a log directory; undefined for a name that is not known
 */
export async function findHome(
  fileSystem: FileSystem,
  directoryOf: (logDirectory: string | null) => string | undefined,
  start: string | null,
): Promise<PartitionHome> {
  let home: PartitionHome = { logDirectory: start };
  for (let listing = 0; listing < LISTINGS_MAX; listing++) {
    const directory = directoryOf(home.logDirectory);
    if (directory === undefined) return home;
    const listed = await PartitionFiles.list(fileSystem, directory);
    const since = home.arrival?.movedTo.since ?? -1;
    const movedAt = listed.highestEpoch("moved");
    const sealedAt = listed.highestEpoch("seal");
    if (movedAt <= since || sealedAt > movedAt) return sealedAt > since ? { logDirectory: home.logDirectory } : home;
    home = (await follow(fileSystem, listed, movedAt)) ?? home;
  }
  return home;
}

/** Undefined where what was listed has gone since. */
async function follow(
  fileSystem: FileSystem,
  listed: PartitionFiles,
  movedAt: number,
): Promise<PartitionHome | undefined> {
  try {
    const seal = await readDocument(fileSystem, listed.path(epochFileName(movedAt, "seal")), "seal");
    const { movedTo } = seal;
    return movedTo && { logDirectory: movedTo.logDirectory, arrival: { movedTo, state: seal } };
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}
