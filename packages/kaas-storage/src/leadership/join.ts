import type { Clock } from "@kaas/core";
import { BROKERS_NAME } from "../cluster/cluster-names.js";
import { encodeDocument } from "../documents/documents.js";
import { claimFile, type DurableFiles, isTemporaryName } from "../documents/durable-files.js";
import { ensureDirectory, removeFile } from "../file-system/file-system.js";
import { Fuse } from "./fuse.js";
import { brokersDirectory, descriptionName, type Incarnation, retire, retirePredecessors } from "./fuse-file.js";

export interface JoinOptions {
  readonly files: DurableFiles;
  readonly clock: Clock;
  /** The cluster directory. */
  readonly cluster: string;
  readonly incarnation: Incarnation;
  readonly isShared: boolean;
  /** Which kaas this is and where it listens, for people and tools. */
  readonly version: string;
  readonly endpoints: readonly string[];
}

/**
 * Makes this process known on the volume, and its fuse with it. The fuses of earlier processes of the same name are
 * blown first: there is one broker of a name, and it is the one that started last.
 */
export async function joinVolume(options: JoinOptions): Promise<Fuse> {
  const { files, clock, cluster, incarnation, isShared, version, endpoints } = options;
  const { fileSystem } = files;
  const brokers = brokersDirectory(cluster);
  const directory = `${brokers}/${incarnation.broker}`;
  await ensureDirectory(fileSystem, cluster, BROKERS_NAME);
  await ensureDirectory(fileSystem, brokers, incarnation.broker);
  for (const { name } of await fileSystem.list(directory)) {
    if (isTemporaryName(name)) await removeFile(fileSystem, `${directory}/${name}`);
  }
  await retirePredecessors(files, brokers, incarnation);
  const startMs = clock.now();
  const description = encodeDocument("incarnation", { ...incarnation, version, endpoints, startMs, isShared });
  await claimFile(files, directory, descriptionName(incarnation.incarnation), description);
  return Fuse.create({ files, clock, directory, incarnation, isShared });
}

/** Ends what {@link joinVolume} began, once everything has been handed over. */
export async function leaveVolume({ files, cluster, incarnation }: JoinOptions, fuse: Fuse): Promise<void> {
  await fuse.close();
  await retire(files.fileSystem, brokersDirectory(cluster), incarnation, incarnation);
}
