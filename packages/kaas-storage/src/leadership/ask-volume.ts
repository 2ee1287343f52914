import type { FileSystem } from "../file-system/file-system.js";
import { brokersDirectory, FUSE_BYTES, fuseName, type Incarnation } from "./fuse-file.js";

/**
 * Resolves once the file server has answered, whatever it says: reads a process's fuse past every cache of this machine.
 * Does not resolve while the volume hangs.
 *
 * @param cluster the cluster directory
 */
export async function askVolume(
  fileSystem: FileSystem,
  cluster: string,
  { broker, incarnation }: Incarnation,
): Promise<void> {
  try {
    const handle = await fileSystem.open(`${brokersDirectory(cluster)}/${broker}/${fuseName(incarnation)}`, "uncached");
    try {
      await handle.read(Buffer.alloc(FUSE_BYTES), 0);
    } finally {
      await handle.close();
    }
  } catch {
    // A refusal is an answer. What it means is for the fuse's own reader to say.
  }
}
