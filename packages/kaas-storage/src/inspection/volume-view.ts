import {
  type DirectoryEntry,
  type FileSystem,
  isErrno,
  listIfThere as listUnordered,
} from "../file-system/file-system.js";
import { type Finding, finding } from "./finding.js";
import type { InspectionHost } from "./inspection-host.js";

const FILE_SYSTEM_NAME = /^(\.nfs.*|lost\+found|\.snapshot)$/;

/** A volume that is looked at. Nothing that takes it writes, claims, locks or fences. */
export interface VolumeView {
  readonly fileSystem: FileSystem;
  readonly host: InspectionHost;
  /** As it was given, without slashes at the end: paths in findings begin with it. */
  readonly directory: string;
  readonly clusterDirectory: string;
  /** Further directories that partitions may lie in, by the name that topics call them. */
  readonly further: ReadonlyMap<string, string>;
}

/** Whether file systems make such a name: of a file removed while it was open (NFS), of snapshots, of repairs. */
export function isFileSystemName(name: string): boolean {
  return FILE_SYSTEM_NAME.test(name);
}

/** What a directory lists, ascending by name; undefined when it is not there. */
export async function listIfThere(
  { fileSystem }: VolumeView,
  directory: string,
): Promise<readonly DirectoryEntry[] | undefined> {
  const entries = await listUnordered(fileSystem, directory);
  return entries && [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A file's size; undefined when it is not there. */
export async function sizeIfThere({ fileSystem }: VolumeView, path: string): Promise<number | undefined> {
  try {
    const handle = await fileSystem.open(path, "read");
    try {
      return await handle.size();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** A refusal of the operating system as a finding. Errors that are none are defects, and go on. */
export function unreadable(path: string, error: unknown): Finding {
  if (!(error instanceof Error) || typeof (error as { code?: unknown }).code !== "string") throw error;
  const { path: refused } = error as { path?: unknown };
  const file = typeof refused === "string" ? refused : path;
  return finding("file-unreadable", file, `it cannot be read: ${error.message}`);
}
