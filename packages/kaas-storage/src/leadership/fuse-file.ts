/**
 * A fuse on the volume: one small file for each start of a broker's process, of a fixed inode.
 *
 * ```
 * __cluster/brokers/<name>/<incarnation>.fuse     LIVE …, until somebody takes over and writes BLOWN … in place
 * __cluster/brokers/<name>/<incarnation>.json     who that is
 * ```
 *
 * It never goes back to LIVE. A fuse that is missing counts as blown: it is durable before its process claims anything,
 * and removed only once it is blown.
 */
import { BROKERS_NAME } from "../cluster/cluster-names.js";
import type { DurableFiles } from "../documents/durable-files.js";
import { type FileSystem, isErrno, isListed } from "../file-system/file-system.js";

const FUSE_NAME = /^([A-Za-z0-9_-]{1,63})\.fuse$/;
/** What an uncached read wants lengths to be multiples of. */
export const FUSE_BYTES: number = 4_096;

/** One start of a broker's process. Leadership belongs to it, never to the name alone. */
export interface Incarnation {
  readonly broker: string;
  /** 128 random bits, as text. */
  readonly incarnation: string;
}

/** The directory of all brokers' fuses, in the cluster directory. */
export function brokersDirectory(cluster: string): string {
  return `${cluster}/${BROKERS_NAME}`;
}

export function fuseName(incarnation: string): string {
  return `${incarnation}.fuse`;
}

/** Whose fuse has such a name; undefined for any other name. */
export function fuseOwner(name: string): string | undefined {
  return FUSE_NAME.exec(name)?.[1];
}

/** The file in which the same process says what it is. */
export function descriptionName(incarnation: string): string {
  return `${incarnation}.json`;
}

/** What a fuse holds while its process may acknowledge. */
export function liveContent({ broker, incarnation }: Incarnation): Buffer {
  return padded(`LIVE ${broker} ${incarnation}
The process of this name acknowledges only what was durable before it last read LIVE here.
Do not edit or remove this file while it runs.`);
}

function blownContent({ broker, incarnation }: Incarnation, by: Incarnation): Buffer {
  return padded(`BLOWN ${broker} ${incarnation}
by ${by.broker} ${by.incarnation}, which takes over.`);
}

/** Who blew a fuse, as it says itself; undefined while nobody has, or where it does not say. */
export function blownBy(content: Buffer): Incarnation | undefined {
  const match = /^BLOWN [^\n]*\nby (\S+) (\S+), /.exec(content.toString("latin1"));
  const [, broker, incarnation] = match ?? [];
  return broker === undefined || incarnation === undefined ? undefined : { broker, incarnation };
}

/**
 * Blows a fuse: from the moment it resolves, every read of the fuse that is issued finds it blown. Rejects when that
 * cannot be had; nothing may be taken over then.
 */
export async function blowFuse(
  fileSystem: FileSystem,
  brokers: string,
  owner: Incarnation,
  by: Incarnation,
): Promise<void> {
  const directory = `${brokers}/${owner.broker}`;
  const name = fuseName(owner.incarnation);
  if (!(await lists(fileSystem, brokers, owner.broker)) || !(await lists(fileSystem, directory, name))) return;
  const path = `${directory}/${name}`;
  try {
    // A descriptor of our own: the fsync must answer for this write.
    const handle = await fileSystem.open(path, "write");
    try {
      await handle.writev([blownContent(owner, by)], 0);
      await handle.dataSync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    // Whoever removed it had blown it first.
    const isGone = isErrno(error, "ENOENT") || isErrno(error, "ESTALE");
    if (!isGone || (await lists(fileSystem, directory, name))) throw error;
  }
}

/** Blows and removes the fuses of a broker's earlier processes: they crashed, or are about to learn that they did. */
export async function retirePredecessors(
  { fileSystem }: DurableFiles,
  brokers: string,
  successor: Incarnation,
): Promise<void> {
  const directory = `${brokers}/${successor.broker}`;
  const names = (await fileSystem.list(directory)).map(({ name }) => name);
  for (const name of names) {
    const incarnation = fuseOwner(name);
    if (incarnation === undefined || incarnation === successor.incarnation) continue;
    await retire(fileSystem, brokers, { broker: successor.broker, incarnation }, successor);
  }
}

/** Blows a fuse and removes it, in this order, with the file that describes its process. */
export async function retire(
  fileSystem: FileSystem,
  brokers: string,
  owner: Incarnation,
  by: Incarnation,
): Promise<void> {
  await blowFuse(fileSystem, brokers, owner, by);
  const directory = `${brokers}/${owner.broker}`;
  for (const name of [fuseName(owner.incarnation), descriptionName(owner.incarnation)]) {
    try {
      await fileSystem.unlink(`${directory}/${name}`);
    } catch (error) {
      if (!isErrno(error, "ENOENT") && !isErrno(error, "ESTALE")) throw error;
    }
  }
}

/** False where there is no such directory. */
async function lists(fileSystem: FileSystem, directory: string, name: string): Promise<boolean> {
  try {
    return await isListed(fileSystem, directory, name);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return false;
    throw error;
  }
}

function padded(text: string): Buffer {
  return Buffer.from(`${text.padEnd(FUSE_BYTES - 1)}\n`);
}
