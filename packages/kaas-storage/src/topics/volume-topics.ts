import { isDeepStrictEqual } from "node:util";
import {
  type Clock,
  KaasError,
  type Log,
  type PartitionId,
  type Timer,
  type TopicAdmin,
  type TopicCatalog,
  type TopicDescription,
  type TopicListener,
  type TopicOverrides,
} from "@kaas/core";
import { isErrno, removeTree } from "../file-system/file-system.js";
import { storageFailure } from "../file-system/storage-failure.js";
import { discardFurtherTopic, makeFurtherPartitions } from "../log-directories/further-topics.js";
import type { LogDirectories, LogDirectory, Placement } from "../log-directories/log-directories.js";
import { placePartitions } from "../log-directories/place-partitions.js";
import {
  addPartitionDirectories,
  createTopicDirectory,
  discardTopicDirectory,
  isDiscarded,
  isTopicName,
  type PlacedTopic,
  readDiscardedTopic,
  readTopicDirectory,
  type TopicFiles,
  writeTopicConfig,
} from "./topic-files.js";

export interface VolumeTopicsOptions {
  readonly files: TopicFiles;
  readonly directories: LogDirectories;
  /** Whether other processes may make and delete topics as well. What they are about to remove is left to them. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Runs what takes a topic's files out of sight, and closes those that are open. */
  readonly remove: (topic: TopicDescription, setAside: () => Promise<void>) => Promise<void>;
}

/** How often a topic that could not be read is tried again. */
const RELOAD_INTERVAL_MS = 10_000;

/**
 * Topics as the directories of a volume. One that this process has to itself it administers alone; on one that is shared,
 * somebody else makes and deletes topics, and this process follows.
 */
export class VolumeTopics implements TopicCatalog, TopicAdmin {
  readonly #options: VolumeTopicsOptions;
  readonly #topics = new Map<string, PlacedTopic>();
  readonly #listeners = new Set<TopicListener>();
  /** Changes of one name come one after the other. */
  readonly #changes = new Map<string, Promise<unknown>>();
  readonly #removals = new Set<Promise<void>>();
  /** Ids of topics that are to be removed, though their directories may still be there. */
  readonly #retracted = new Set<string>();
  #discovery: Promise<void> | undefined;
  #nextDiscovery: Promise<void> | undefined;
  /** Topics whose directories cannot be read, and when they are tried again. */
  readonly #unreadable = new Map<string, Timer>();

  constructor(options: VolumeTopicsOptions) {
    this.#options = options;
  }

  /**
   * Reads what is there, and begins to remove what was being deleted. A topic that cannot be read is named in the log
   * and tried again from time to time; the others do not suffer from it, and its name stays taken.
   */
  async load(): Promise<void> {
    const { files, isShared } = this.#options;
    const entries = await files.fileSystem.list(files.directory);
    const names: string[] = [];
    for (const { name, isDirectory, isLink } of entries) {
      if (isLink === true && isTopicName(name)) this.#warnOfLink(name);
      if (!isDirectory) continue;
      if (isDiscarded(name) && !isShared) await this.#removeDiscarded(name);
      else if (isTopicName(name)) names.push(name);
    }
    await Promise.all(names.map((name) => this.#load(name)));
  }

  /** To remove a topic is to rename and empty its directory, which a link would lead elsewhere. */
  #warnOfLink(name: string): void {
    const path = `${this.#options.files.directory}/${name}`;
    this.#options.log.warn({ path }, "a link is not served as a topic: put there the directory that it leads to");
  }

  /** Reads a topic again, which another process may have made or deleted. A fresh listing says whether it is there. */
  refresh(name: string): Promise<void> {
    return this.#change(name, async () => {
      const { fileSystem, directory } = this.#options.files;
      const entries = await fileSystem.list(directory);
      if (isTopicName(name) && entries.some((entry) => entry.name === name)) return this.#load(name);
      const gone = this.#topics.get(name);
      if (gone === undefined) return;
      this.#topics.delete(name);
      for (const listener of this.#listeners) listener.topicDeleted(gone);
    });
  }

  /**
   * Lets go of a topic at once whose directory others are about to remove, and does not take it for one again. Nothing
   * happens to one of another id.
   */
  retract(name: string, id: string): Promise<void> {
    this.#retracted.add(id);
    return this.#change(name, async () => {
      const gone = this.#topics.get(name);
      if (gone?.id !== id || !this.#retracted.has(id)) return;
      this.#topics.delete(name);
      for (const listener of this.#listeners) listener.topicDeleted(gone);
    });
  }

  /** A topic is not to be removed after all: its directory says again what it is. */
  reinstate(name: string, id: string): Promise<void> {
    this.#retracted.delete(id);
    return this.refresh(name);
  }

  /**
   * Looks which topics there are, and reads those that are new; others may make and delete them. What has changed about
   * one that is known is found by {@link refresh}.
   */
  discover(): Promise<void> {
    this.#nextDiscovery ??= (this.#discovery ?? Promise.resolve()).then(() => {
      this.#discovery = this.#nextDiscovery;
      this.#nextDiscovery = undefined;
      return this.#discover();
    });
    return this.#nextDiscovery;
  }

  /** Resolves when nothing is being removed any more. */
  async close(): Promise<void> {
    for (const timer of this.#unreadable.values()) timer.cancel();
    await Promise.all([...this.#changes.values(), ...this.#removals]);
  }

  topics(): Iterable<TopicDescription> {
    return this.#topics.values();
  }

  idOf(name: string): string | undefined {
    return this.#topics.get(name)?.id;
  }

  /** In which directory a partition of a topic lies. */
  directoryOf(name: string, partition: number): LogDirectory {
    return this.#options.directories.of(name, partition, this.#topics.get(name)?.placement);
  }

  /** To which log directory a partition is to be moved; null is the data directory, undefined where it is to stay. */
  wishOf({ topic, topicId, partition }: PartitionId): string | null | undefined {
    const known = this.#topics.get(topic);
    return known?.id === topicId ? known.moves?.get(partition) : undefined;
  }

  addListener(listener: TopicListener): void {
    this.#listeners.add(listener);
  }

  removeListener(listener: TopicListener): void {
    this.#listeners.delete(listener);
  }

  create(name: string, partitionCount: number, overrides: TopicOverrides): Promise<TopicDescription> {
    return this.#change(name, async () => {
      const { files } = this.#options;
      // The caller has validated it; but a name that is no topic's must never become a path.
      if (!isTopicName(name)) throw new KaasError("KAAS_TOPIC_CONFLICT", `${JSON.stringify(name)} cannot be a topic`);
      if (this.#topics.has(name)) throw conflict(name, "exists already");
      const placement = await this.#place(0, partitionCount);
      const id = files.random.uuid();
      const topic: PlacedTopic = { name, id, partitionCount, overrides: { ...overrides }, placement };
      if (!(await createTopicDirectory(files, topic, () => this.#makeElsewhere(topic, 0)))) {
        throw conflict(name, "has a directory on the volume already");
      }
      this.#changed(topic);
      return topic;
    });
  }

  delete(topic: TopicDescription): Promise<void> {
    return this.#change(topic.name, async () => {
      const current = this.#current(topic);
      let discarded = "";
      let elsewhere: readonly string[] | undefined;
      // Until nothing of it is open, the name must not come again: paths would lead into the new topic.
      await this.#options.remove(current, async () => {
        discarded = await discardTopicDirectory(this.#options.files, topic.name);
        elsewhere = await this.#discardElsewhere(current, new Set(current.placement.values()));
      });
      this.#topics.delete(topic.name);
      for (const listener of this.#listeners) listener.topicDeleted(current);
      this.#remove(discarded, elsewhere);
    });
  }

  createPartitions(topic: TopicDescription, partitionCount: number): Promise<void> {
    return this.#change(topic.name, async () => {
      const current = this.#current(topic);
      if (partitionCount <= current.partitionCount) {
        throw conflict(topic.name, `has ${current.partitionCount} partitions already`);
      }
      const added = await this.#place(current.partitionCount, partitionCount);
      const grown: PlacedTopic = { ...current, partitionCount, placement: new Map([...current.placement, ...added]) };
      await addPartitionDirectories(this.#options.files, grown, current.partitionCount);
      await this.#makeElsewhere(grown, current.partitionCount);
      await writeTopicConfig(this.#options.files, grown);
      this.#changed(grown);
    });
  }

  configure(topic: TopicDescription, overrides: TopicOverrides): Promise<void> {
    return this.#change(topic.name, async () => {
      const configured: PlacedTopic = { ...this.#current(topic), overrides: { ...overrides } };
      await writeTopicConfig(this.#options.files, configured);
      this.#changed(configured);
    });
  }

  async #discover(): Promise<void> {
    const { files, log } = this.#options;
    try {
      const entries = await files.fileSystem.list(files.directory);
      const names = new Set(
        entries.flatMap(({ name, isDirectory }) => (isDirectory && isTopicName(name) ? [name] : [])),
      );
      const missing = [...this.#topics.keys()].filter((name) => !names.has(name));
      const unknown = [...names].filter((name) => !this.#topics.has(name) && !this.#unreadable.has(name));
      await Promise.all([...missing, ...unknown].map((name) => this.refresh(name)));
    } catch (error) {
      log.warn({ err: error }, "the volume could not be looked through for topics");
    }
  }

  async #load(name: string): Promise<void> {
    try {
      // On a shared volume the operator says whose an unstamped directory is.
      const topic = await readTopicDirectory(this.#options.files, name, !this.#options.isShared);
      const isKept = topic !== undefined && !this.#retracted.has(topic.id);
      if (isKept && !isSame(topic, this.#topics.get(name))) this.#changed(topic);
      this.#unreadable.delete(name);
    } catch (error) {
      const { clock, log } = this.#options;
      if (!this.#unreadable.has(name)) {
        log.error({ topic: name, err: error }, "a topic cannot be read, and is not served; it is tried again");
      }
      const reload = () => void this.#change(name, () => this.#load(name));
      this.#unreadable.set(name, clock.schedule(RELOAD_INTERVAL_MS, reload));
    }
  }

  /** The topic as it is now, if it is still the one that the caller means. */
  #current(topic: TopicDescription): PlacedTopic {
    const current = this.#topics.get(topic.name);
    if (current === undefined) throw conflict(topic.name, "does not exist");
    if (current.id !== topic.id) throw conflict(topic.name, `is now ${current.id}, not ${topic.id}`);
    return current;
  }

  #changed(topic: PlacedTopic): void {
    this.#topics.set(topic.name, topic);
    for (const listener of this.#listeners) listener.topicChanged(topic);
  }

  async #change<Result>(name: string, change: () => Promise<Result>): Promise<Result> {
    const before = this.#changes.get(name);
    const running = (before ?? Promise.resolve()).then(change, change);
    this.#changes.set(name, running);
    try {
      return await running;
    } catch (error) {
      throw storageFailure(`topic ${name} could not be changed`, error);
    } finally {
      if (this.#changes.get(name) === running) this.#changes.delete(name);
    }
  }

  /** Where new partitions go. */
  async #place(from: number, to: number): Promise<Placement> {
    const { directories } = this.#options;
    if (directories.further.length === 0) return new Map();
    return placePartitions(directories.main, await directories.usable(), this.#topics.values(), from, to);
  }

  /** Makes the directories of partitions that do not lie in the data directory. */
  async #makeElsewhere({ name, id, placement }: PlacedTopic, from: number): Promise<void> {
    const { files, directories } = this.#options;
    for (const directory of directories.further) {
      const partitions = [...placement].filter(([partition, where]) => partition >= from && where === directory.name);
      const numbers = partitions.map(([partition]) => partition);
      if (numbers.length > 0) await makeFurtherPartitions(files, directory, { name, id }, numbers);
    }
  }

  /**
   * Takes what a deleted topic has outside of the data directory out of sight. The topic is deleted all the same when
   * that fails: undefined then, and the next start finds out by what stays in the data directory.
   */
  async #discardElsewhere(
    topic: Pick<TopicDescription, "name" | "id">,
    names?: ReadonlySet<string>,
  ): Promise<readonly string[] | undefined> {
    const { files, directories, log } = this.#options;
    const discarded: string[] = [];
    try {
      for (const directory of directories.further) {
        try {
          await directories.enter(directory);
          const path = await discardFurtherTopic(files, directory, topic);
          if (path !== undefined) discarded.push(path);
        } catch (error) {
          // Of those that no partition lies in, one that some have moved away from may not be mounted any more.
          if (names?.has(directory.name) !== false) throw error;
        }
      }
      return discarded;
    } catch (error) {
      log.warn({ topic: topic.name, err: error }, "a deleted topic is not removed from all log directories yet");
      return undefined;
    }
  }

  /** Goes on with a removal that an earlier process did not finish. */
  async #removeDiscarded(name: string): Promise<void> {
    const { files, directories } = this.#options;
    const topic = directories.further.length === 0 ? undefined : await readDiscardedTopic(files, name);
    const elsewhere = topic === undefined ? [] : await this.#discardElsewhere(topic);
    this.#remove(`${files.directory}/${name}`, elsewhere);
  }

  /**
   * Removes a topic's directories in the background: the one in the data directory last, and only when the others are
   * out of sight, because it is what tells of them. What cannot be removed now is tried again at the next start.
   */
  #remove(path: string, elsewhere: readonly string[] | undefined): void {
    const { files, log } = this.#options;
    const removeAll = async (): Promise<void> => {
      for (const other of elsewhere ?? []) await removeTree(files.fileSystem, other);
      if (elsewhere !== undefined) await removeTree(files.fileSystem, path);
    };
    const removal = removeAll()
      .catch((error: unknown) => {
        if (!isErrno(error, "ENOENT")) log.warn({ path, err: error }, "a deleted topic could not be removed");
      })
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }
}

function isSame(one: PlacedTopic, other: PlacedTopic | undefined): boolean {
  return isDeepStrictEqual(one, other);
}

function conflict(topic: string, reason: string): KaasError {
  return new KaasError("KAAS_TOPIC_CONFLICT", `topic ${topic} ${reason}`);
}
