import { LosingFileSystem } from "./losing-file-system.js";
import { TestClock } from "./test-clock.js";

/** Where {@link emptyClusterDirectory} is. */
export const CLUSTER_DIRECTORY = "/data/__cluster";

/** A file system whose cluster directory is there and survives a crash. */
export async function emptyClusterDirectory(): Promise<LosingFileSystem> {
  const fileSystem = new LosingFileSystem();
  await fileSystem.makeDirectory("/data");
  await fileSystem.makeDirectory(CLUSTER_DIRECTORY);
  await fileSystem.syncDirectory("/");
  await fileSystem.syncDirectory("/data");
  return fileSystem;
}

/** Time of somebody who looks at the volume each second. */
export class PollingClock extends TestClock {
  /** Resolves when whoever looks has done so once more. */
  async poll(): Promise<void> {
    this.advance(1_000);
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  }
}
