import { readDocument } from "../documents/documents.js";
import { type FileSystem, isErrno } from "../file-system/file-system.js";
import { epochFileName } from "../leadership/epoch-names.js";
import { PartitionFiles } from "../partition/partition-files.js";
import type { MovedAway } from "../partition/recovery.js";

/** How often a directory that changes meanwhile is listed again, and so many moves may lie on the way. */
const LISTINGS_MAX = 32;
/** What was listed has gone since. */
const CHANGED = Symbol("changed");

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
    // Nobody acts on what a seal says of it before that is noted.
    const departure = movedAt < 0 ? undefined : await readDeparture(fileSystem, listed, movedAt, sealedAt);
    if (departure === CHANGED) continue;
    if (departure === undefined) return sealedAt > since ? { logDirectory: home.logDirectory } : home;
    if (departure.movedTo.since <= since) return home;
    home = { logDirectory: departure.movedTo.logDirectory, arrival: departure };
  }
  return home;
}

/**
 * What the newest seal says of the departure that is noted; undefined where it is of an epoch that leads, so that the
 * partition has come back. One and the same departure is sealed once more by who comes while others may seal yet.
 */
async function readDeparture(
  fileSystem: FileSystem,
  listed: PartitionFiles,
  movedAt: number,
  sealedAt: number,
): Promise<MovedAway | typeof CHANGED | undefined> {
  try {
    const seal = await readDocument(
      fileSystem,
      listed.path(epochFileName(Math.max(movedAt, sealedAt), "seal")),
      "seal",
    );
    const { movedTo } = seal;
    return movedTo?.since === movedAt ? { movedTo, state: seal } : undefined;
  } catch (error) {
    if (isErrno(error, "ENOENT")) return CHANGED;
    throw error;
  }
}
