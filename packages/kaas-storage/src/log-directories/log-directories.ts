import { KaasError, type Log } from "@kaas/core";
import { CLUSTER_DIRECTORY_NAME } from "../cluster/cluster-names.js";
import { type DirectoryLock, ensureDirectory, type FileSystem } from "../file-system/file-system.js";
import { lastPart, withoutTrailingSlashes } from "../file-system/paths.js";
import { storageFailure } from "../file-system/storage-failure.js";

/** A directory that partitions lie in. */
export interface LogDirectory {
  /** The last part of its path; what topics call it by. */
  readonly name: string;
  readonly path: string;
}

/** Which partitions of a topic lie in which further directory, by its name; all others lie in the data directory. */
export type Placement = ReadonlyMap<number, string>;

export interface LogDirectoriesOptions {
  readonly fileSystem: FileSystem;
  readonly log: Log;
  /** The data directory. */
  readonly main: string;
  readonly further: readonly string[];
  /** Whether other processes may use the directories at the same time. */
  readonly isShared: boolean;
  /** Refuses a directory that cannot be used as it is mounted, or warns of it. */
  readonly checkMount: (path: string) => Promise<void>;
}

/**
 * The data directory and the further directories that partitions may lie in, each as a rule a volume of its own. The
 * data directory is there, or nothing is. A further one may be missing, at the start or later: what lies in it then
 * cannot be used until it is back.
 */
export class LogDirectories {
  readonly main: LogDirectory;
  readonly further: readonly LogDirectory[];
  readonly #options: LogDirectoriesOptions;
  readonly #locks = new Map<LogDirectory, Promise<DirectoryLock>>();

  constructor(options: LogDirectoriesOptions) {
    this.#options = options;
    this.main = directoryAt(options.main);
    this.further = options.further.map(directoryAt);
    const names = new Set([this.main.name]);
    for (const { name, path } of this.further) {
      if (names.has(name)) {
        throw new KaasError("KAAS_CONFIG_INVALID", `${path}: two log directories are called ${name}; rename one`);
      }
      names.add(name);
    }
  }

  get all(): readonly LogDirectory[] {
    return [this.main, ...this.further];
  }

  /** Where a partition lies. */
  of(topic: string, partition: number, placement: Placement | undefined): LogDirectory {
    const name = placement?.get(partition);
    if (name === undefined) return this.main;
    const found = this.further.find((directory) => directory.name === name);
    if (found !== undefined) return found;
    const known = this.all.map(({ path }) => path).join(", ");
    throw new KaasError(
      "KAAS_STORAGE_FAILED",
      `partition ${topic}-${partition} lies in the log directory "${name}", which is none of ${known}; add it to log.dirs`,
    );
  }

  /** Tries every further directory; those that cannot be used are named in the log, and tried again when needed. */
  async enterAll(): Promise<void> {
    const entering = this.further.map((directory) =>
      this.enter(directory).catch((error: unknown) => {
        this.#options.log.error({ directory: directory.path, err: error }, "a log directory cannot be used");
      }),
    );
    await Promise.all(entering);
  }

  /** Makes sure that a directory is there, and ours. */
  async enter(directory: LogDirectory): Promise<void> {
    if (directory === this.main) return;
    let lock = this.#locks.get(directory);
    if (lock === undefined) {
      lock = this.#lock(directory);
      this.#locks.set(directory, lock);
      lock.catch(() => this.#locks.delete(directory));
    }
    await lock;
  }

  /** The further directories that can be used now. */
  async usable(): Promise<readonly LogDirectory[]> {
    const tried = await Promise.allSettled(this.further.map((directory) => this.enter(directory)));
    return this.further.filter((_, index) => tried[index]?.status === "fulfilled");
  }

  async close(): Promise<void> {
    for (const lock of await Promise.allSettled(this.#locks.values())) {
      if (lock.status === "fulfilled") await lock.value.release();
    }
  }

  async #lock({ path }: LogDirectory): Promise<DirectoryLock> {
    const { fileSystem, isShared, checkMount } = this.#options;
    try {
      if (isShared) {
        await checkMount(path);
        return { release: async () => undefined };
      }
      await ensureDirectory(fileSystem, path, CLUSTER_DIRECTORY_NAME);
      const lock = await fileSystem.lock(`${path}/${CLUSTER_DIRECTORY_NAME}`);
      await checkMount(path);
      return lock;
    } catch (error) {
      throw storageFailure(`the log directory ${path} cannot be used`, error);
    }
  }
}

function directoryAt(path: string): LogDirectory {
  const trimmed = withoutTrailingSlashes(path);
  return { name: lastPart(trimmed), path: trimmed };
}
