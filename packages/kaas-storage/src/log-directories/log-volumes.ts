import { KaasError, type PartitionId } from "@kaas/core";
import { ensureDirectory } from "../file-system/file-system.js";
import type { LogVolume } from "../moving/log-places.js";
import type { LogEnvironment } from "../partition/log-environment.js";
import { SpaceGuard } from "../partition/space-guard.js";
import { SyncSlots } from "../partition/sync-slots.js";
import { furtherTopicId } from "./further-topics.js";
import type { LogDirectories, LogDirectory } from "./log-directories.js";

/** What the logs of each directory work with: space is counted for each, and none waits for another one's fsyncs. */
export class LogVolumes {
  readonly all: readonly [LogVolume, ...LogVolume[]];
  readonly #directories: LogDirectories;

  constructor(directories: LogDirectories, environment: LogEnvironment, usableBytesMin: number) {
    this.#directories = directories;
    const { main, further } = directories;
    const others = further.map((directory) => this.#further(directory, environment, usableBytesMin));
    const prepare = (id: PartitionId): Promise<void> => prepareMain(main, environment, id);
    this.all = [{ name: null, path: main.path, environment, prepare }, ...others];
  }

  at({ path }: LogDirectory): LogVolume {
    return this.all.find((volume) => volume.path === path) as LogVolume;
  }

  /** The one that topics call so; null is the data directory. Throws when there is none. */
  named(name: string | null): LogVolume {
    const found = this.all.find((volume) => volume.name === name);
    if (found !== undefined) return found;
    const known = this.all.map(({ path }) => path).join(", ");
    const problem = `the log directory "${name}" is none of ${known}; add it to log.dirs`;
    throw new KaasError("KAAS_STORAGE_FAILED", problem);
  }

  async start(): Promise<void> {
    await Promise.all(this.all.map(({ environment }) => environment.space.start()));
  }

  close(): void {
    for (const { environment } of this.all) environment.space.close();
  }

  #further(directory: LogDirectory, main: LogEnvironment, usableBytesMin: number): LogVolume {
    const { fileSystem, clock, log, syncSlots } = main;
    const environment: LogEnvironment = {
      ...main,
      syncSlots: new SyncSlots(syncSlots.count, clock),
      space: new SpaceGuard({ fileSystem, directory: directory.path, clock, log, usableBytesMin }),
    };
    const prepare = async (id: PartitionId): Promise<void> => {
      await this.#directories.enter(directory);
      await checkFurther(directory, environment, id);
    };
    return { name: directory.name, path: directory.path, environment, prepare };
  }
}

async function prepareMain({ path }: LogDirectory, { fileSystem }: LogEnvironment, id: PartitionId): Promise<void> {
  await ensureDirectory(fileSystem, `${path}/${id.topic}`, String(id.partition));
}

/** What lies outside of the data directory was made with its topic: if it is not there, a volume is missing. */
async function checkFurther({ path }: LogDirectory, environment: LogEnvironment, id: PartitionId): Promise<void> {
  const { fileSystem, random } = environment;
  const directory = `${path}/${id.topic}`;
  const found = await furtherTopicId({ fileSystem, random, directory: path }, path, id.topic);
  if (found === id.topicId) return;
  const problem = found === undefined ? "is not there: is the volume mounted?" : `belongs to topic ${found}`;
  throw new KaasError(
    "KAAS_STORAGE_FAILED",
    `partition ${id.topic}-${id.partition} of topic ${id.topicId} lies in ${directory}, which ${problem}`,
  );
}
