import { KaasError, type Log, type Random, silentLog } from "@kaas/core";
import { type FileSystem, isErrno, removeTree } from "../file-system/file-system.js";
import { lastPart } from "../file-system/paths.js";
import { posixFileSystem } from "../file-system/posix.js";
import { discardFurtherTopic, furtherTopicId, makeFurtherPartitions } from "../log-directories/further-topics.js";
import { LogDirectories, type Placement } from "../log-directories/log-directories.js";
import { findHome } from "../moving/find-home.js";
import { systemRandom } from "../surroundings/system-random.js";
import {
  addPartitionDirectories,
  createTopicDirectory,
  discardTopicDirectory,
  type FoundTopic,
  findTopicDirectory,
  isDiscarded,
  isTopicName,
  type PlacedTopic,
  readDiscardedTopic,
  stampTopicDirectory,
  type TopicFiles,
  writeTopicConfig,
} from "./topic-files.js";

/** Where topics' directories are; all but the data directory may be left out. */
export interface TopicDirectoriesOptions {
  /** The data directory. */
  readonly directory: string;
  /** Further directories that partitions may lie in. */
  readonly furtherDirectories?: readonly string[];
  /** The machine's file system by default. */
  readonly fileSystem?: FileSystem;
  /** The machine's randomness by default. */
  readonly random?: Random;
  /** Nothing is said by default. */
  readonly log?: Log;
}

/** Something that could not be removed, and why. */
export interface RemovalFailure {
  readonly path: string;
  readonly error: unknown;
}

/**
 * The directories of topics, as the operator of a cluster keeps them: brokers read them, nobody else writes them.
 * Everything may be done again, and is driven to completion by that: a crash between two steps leaves what the next
 * call takes up. Calls reject with a `KaasError` when the volume fails.
 */
export class TopicDirectories {
  readonly #files: TopicFiles;
  readonly #directories: LogDirectories;
  /** Changes come one after the other, so that nothing is taken for a leftover while it is being made. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: TopicDirectoriesOptions) {
    const { directory, fileSystem = posixFileSystem, random = systemRandom, log = silentLog } = options;
    this.#directories = new LogDirectories({
      fileSystem,
      log,
      main: directory,
      further: options.furtherDirectories ?? [],
      isShared: true,
      // Of what a directory holds the operator writes only what decides nothing or is written aside: any mount will do.
      checkMount: async () => undefined,
    });
    this.#files = { fileSystem, random, directory: this.#directories.main.path };
  }

  /** Names of the volumes, the data directory's first. */
  get volumes(): readonly string[] {
    return this.#directories.all.map(({ name }) => name);
  }

  /** Names of all directories that may be topics', of a fresh listing. */
  async names(): Promise<readonly string[]> {
    const { fileSystem, directory } = this.#files;
    const entries = await fileSystem.list(directory);
    return entries.flatMap(({ name, isDirectory }) => (isDirectory && isTopicName(name) ? [name] : []));
  }

  /** What the directory of a name says; undefined when there is none. */
  async find(name: string): Promise<FoundTopic | undefined> {
    return isTopicName(name) ? findTopicDirectory(this.#files, name) : undefined;
  }

  /** Where the partitions of a topic lie now, as far as somebody has led them there: they may have moved since. */
  async placementOf(topic: FoundTopic): Promise<Placement> {
    const now = new Map(topic.placement);
    if (this.#directories.further.length === 0) return now;
    for (let partition = 0; partition < topic.partitionCount; partition++) {
      const home = await this.#homeOf(topic, partition);
      if (home === null) now.delete(partition);
      else now.set(partition, home);
    }
    return now;
  }

  /**
   * Makes a topic's directories what it says: creates them, or stamps those that nobody has stamped, adds partitions,
   * and writes the configuration.
   *
   * @throws KaasError KAAS_TOPIC_CONFLICT when the directory is another topic's, or has more partitions.
   */
  put(topic: PlacedTopic): Promise<void> {
    return this.#change(async () => {
      if (!isTopicName(topic.name)) throw conflict(topic.name, "cannot be the name of a topic");
      const found = await findTopicDirectory(this.#files, topic.name);
      if (found === undefined) return this.#create(topic);
      await this.#stamp(found, topic);
      if (found.partitionCount > topic.partitionCount)
        throw conflict(topic.name, `has ${found.partitionCount} partitions`);
      // Without a configuration partitions were only counted: some below the highest may be missing.
      const from = found.hasConfig ? found.partitionCount : 0;
      await addPartitionDirectories(this.#files, topic, from);
      await this.#makeElsewhere(topic, from);
      if (!found.hasConfig || !isSame(found, topic)) await writeTopicConfig(this.#files, topic);
    });
  }

  /**
   * Takes the directory of one incarnation of a name out of sight, by renaming it; {@link removeSetAside} removes it, and
   * what the topic has elsewhere. False where the name is not, or no longer, that incarnation's.
   */
  setAside(name: string, id: string): Promise<boolean> {
    return this.#change(async () => {
      const found = await this.find(name);
      const isThere = found?.id === id;
      // What it has elsewhere follows when it is removed: a volume may be missing at the moment.
      if (isThere) await discardTopicDirectory(this.#files, name);
      return isThere;
    });
  }

  /** Removes what was set aside, as far as that works; resolves with what could not be removed. */
  async removeSetAside(): Promise<readonly RemovalFailure[]> {
    const { fileSystem } = this.#files;
    const failures: RemovalFailure[] = [];
    // What is there now is finished with; names are never used again.
    const found = await this.#change(() => Promise.all(this.#directories.all.map(({ path }) => this.#discarded(path))));
    const [main = [], ...further] = found;
    const remove = async (path: string): Promise<void> => {
      await removeTree(fileSystem, path).catch((error: unknown) => {
        if (!isErrno(error, "ENOENT")) failures.push({ path, error });
      });
    };
    for (const path of further.flat()) await remove(path);
    for (const path of main) {
      try {
        await this.#removeElsewhere(path);
        await remove(path);
      } catch (error) {
        failures.push({ path, error });
      }
    }
    return failures;
  }

  /** Where it lies, or is said to lie: one on a volume that cannot be read at the moment stays where it was. */
  async #homeOf({ name, placement }: FoundTopic, partition: number): Promise<string | null> {
    const { main, further } = this.#directories;
    const directoryOf = (volume: string | null): string | undefined => {
      const at = volume === null ? main : further.find((directory) => directory.name === volume);
      return at && `${at.path}/${name}/${partition}`;
    };
    const said = placement.get(partition) ?? null;
    try {
      const { logDirectory, arrival } = await findHome(this.#files.fileSystem, directoryOf, said);
      return arrival === undefined ? logDirectory : said;
    } catch {
      return said;
    }
  }

  async #create(topic: PlacedTopic): Promise<void> {
    if (!(await createTopicDirectory(this.#files, topic, () => this.#makeElsewhere(topic, 0)))) {
      throw conflict(topic.name, "has a directory on the volume already");
    }
  }

  async #stamp(found: FoundTopic, topic: PlacedTopic): Promise<void> {
    if (found.id === topic.id) return;
    if (found.id !== undefined) throw conflict(topic.name, `is ${found.id} on the volume, not ${topic.id}`);
    if (!(await stampTopicDirectory(this.#files, topic))) throw conflict(topic.name, "was stamped by somebody else");
  }

  async #makeElsewhere({ name, id, placement, moves = new Map() }: PlacedTopic, from: number): Promise<void> {
    const added = [...placement].filter(([partition]) => partition >= from);
    for (const directory of this.#directories.further) {
      const partitions = [...added, ...moves].filter(([, where]) => where === directory.name);
      if (partitions.length === 0) continue;
      await this.#directories.enter(directory);
      const stranger = await furtherTopicId(this.#files, directory.path, name);
      if (stranger !== undefined && stranger !== id)
        await discardFurtherTopic(this.#files, directory, { name, id: stranger });
      const numbers = partitions.map(([partition]) => partition);
      await makeFurtherPartitions(this.#files, directory, { name, id }, numbers);
    }
  }

  async #setAsideElsewhere(topic: { readonly name: string; readonly id: string }): Promise<readonly string[]> {
    const aside: string[] = [];
    for (const directory of this.#directories.further) {
      await this.#files.fileSystem.list(directory.path); // fails where the volume is missing
      const path = await discardFurtherTopic(this.#files, directory, topic);
      if (path !== undefined) aside.push(path);
    }
    return aside;
  }

  /** What a topic that was set aside has elsewhere goes first: it is its directory here that tells of it. */
  async #removeElsewhere(path: string): Promise<void> {
    if (this.#directories.further.length === 0) return;
    const topic = await readDiscardedTopic(this.#files, lastPart(path));
    if (topic === undefined) return;
    const elsewhere = await this.#change(() => this.#setAsideElsewhere(topic));
    for (const other of elsewhere) await removeTree(this.#files.fileSystem, other);
  }

  async #discarded(directory: string): Promise<readonly string[]> {
    try {
      const entries = await this.#files.fileSystem.list(directory);
      return entries.flatMap(({ name, isDirectory }) =>
        isDirectory && isDiscarded(name) ? [`${directory}/${name}`] : [],
      );
    } catch (error) {
      if (isErrno(error, "ENOENT") && directory !== this.#files.directory) return []; // a volume that is not mounted
      throw error;
    }
  }

  #change<Result>(change: () => Promise<Result>): Promise<Result> {
    const changing = this.#last.then(change, change);
    this.#last = changing.catch(() => undefined);
    return changing;
  }
}

function isSame(found: FoundTopic, topic: PlacedTopic): boolean {
  const text = ({
    partitionCount,
    overrides,
    placement,
    moves = new Map(),
    keptFor,
  }: Omit<PlacedTopic, "id">): string =>
    JSON.stringify([
      partitionCount,
      sorted(Object.entries(overrides)),
      sorted([...placement]),
      sorted([...moves]),
      keptFor,
    ]);
  return text(found) === text(topic);
}

function sorted<Key extends string | number>(entries: readonly (readonly [Key, string | null])[]): unknown[] {
  return [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
}

function conflict(topic: string, reason: string): KaasError {
  return new KaasError("KAAS_TOPIC_CONFLICT", `topic ${topic} ${reason}`);
}
