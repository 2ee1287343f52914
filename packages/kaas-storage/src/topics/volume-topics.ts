import {
  KaasError,
  type Log,
  type TopicAdmin,
  type TopicCatalog,
  type TopicDescription,
  type TopicListener,
  type TopicOverrides,
} from "@kaas/core";
import { isErrno, removeTree } from "../file-system/file-system.js";
import { storageFailure } from "../file-system/storage-failure.js";
import {
  addPartitionDirectories,
  createTopicDirectory,
  discardTopicDirectory,
  isDiscarded,
  isTopicName,
  readTopicDirectory,
  type TopicFiles,
  writeTopicConfig,
} from "./topic-files.js";

export interface VolumeTopicsOptions {
  readonly files: TopicFiles;
  readonly log: Log;
  /** Runs what takes a topic's files out of sight, and closes those that are open. */
  readonly remove: (topic: TopicDescription, setAside: () => Promise<void>) => Promise<void>;
}

/** Topics as the directories of a volume that this process administers alone. */
export class VolumeTopics implements TopicCatalog, TopicAdmin {
  readonly #options: VolumeTopicsOptions;
  readonly #topics = new Map<string, TopicDescription>();
  readonly #listeners = new Set<TopicListener>();
  /** Changes of one name come one after the other. */
  readonly #changes = new Map<string, Promise<unknown>>();
  readonly #removals = new Set<Promise<void>>();

  constructor(options: VolumeTopicsOptions) {
    this.#options = options;
  }

  /** Reads what is there, and begins to remove what was being deleted. */
  async load(): Promise<void> {
    const { files } = this.#options;
    const entries = await files.fileSystem.list(files.directory);
    const names: string[] = [];
    for (const { name, isDirectory } of entries) {
      if (!isDirectory) continue;
      if (isDiscarded(name)) this.#remove(`${files.directory}/${name}`);
      else if (isTopicName(name)) names.push(name);
    }
    await Promise.all(names.map((name) => this.#load(name)));
  }

  /** Resolves when nothing is being removed any more. */
  async close(): Promise<void> {
    await Promise.all([...this.#changes.values(), ...this.#removals]);
  }

  topics(): Iterable<TopicDescription> {
    return this.#topics.values();
  }

  idOf(name: string): string | undefined {
    return this.#topics.get(name)?.id;
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
      const topic: TopicDescription = { name, id: files.random.uuid(), partitionCount, overrides: { ...overrides } };
      if (!(await createTopicDirectory(files, topic))) throw conflict(name, "has a directory on the volume already");
      this.#changed(topic);
      return topic;
    });
  }

  delete(topic: TopicDescription): Promise<void> {
    return this.#change(topic.name, async () => {
      const current = this.#current(topic);
      let discarded = "";
      // Until nothing of it is open, the name must not come again: paths would lead into the new topic.
      await this.#options.remove(current, async () => {
        discarded = await discardTopicDirectory(this.#options.files, topic.name);
      });
      this.#topics.delete(topic.name);
      for (const listener of this.#listeners) listener.topicDeleted(current);
      this.#remove(discarded);
    });
  }

  createPartitions(topic: TopicDescription, partitionCount: number): Promise<void> {
    return this.#change(topic.name, async () => {
      const current = this.#current(topic);
      if (partitionCount <= current.partitionCount) {
        throw conflict(topic.name, `has ${current.partitionCount} partitions already`);
      }
      const grown: TopicDescription = { ...current, partitionCount };
      await addPartitionDirectories(this.#options.files, topic.name, current.partitionCount, partitionCount);
      await writeTopicConfig(this.#options.files, grown);
      this.#changed(grown);
    });
  }

  configure(topic: TopicDescription, overrides: TopicOverrides): Promise<void> {
    return this.#change(topic.name, async () => {
      const configured: TopicDescription = { ...this.#current(topic), overrides: { ...overrides } };
      await writeTopicConfig(this.#options.files, configured);
      this.#changed(configured);
    });
  }

  async #load(name: string): Promise<void> {
    const topic = await readTopicDirectory(this.#options.files, name);
    if (topic !== undefined) this.#topics.set(name, topic);
  }

  /** The topic as it is now, if it is still the one that the caller means. */
  #current(topic: TopicDescription): TopicDescription {
    const current = this.#topics.get(topic.name);
    if (current === undefined) throw conflict(topic.name, "does not exist");
    if (current.id !== topic.id) throw conflict(topic.name, `is now ${current.id}, not ${topic.id}`);
    return current;
  }

  #changed(topic: TopicDescription): void {
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

  /** Removes a directory in the background. What cannot be removed now is tried again at the next start. */
  #remove(path: string): void {
    const { files, log } = this.#options;
    const removal = removeTree(files.fileSystem, path)
      .catch((error: unknown) => {
        if (!isErrno(error, "ENOENT")) log.warn({ path, err: error }, "a deleted topic could not be removed");
      })
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }
}

function conflict(topic: string, reason: string): KaasError {
  return new KaasError("KAAS_TOPIC_CONFLICT", `topic ${topic} ${reason}`);
}
