import { KaasError } from "../../src/errors/kaas-error.js";
import type {
  LogConfig,
  LogDirDescription,
  PartitionId,
  PartitionLog,
  PartitionLogs,
} from "../../src/ports/partition-logs.js";
import type {
  TopicAdmin,
  TopicCatalog,
  TopicDescription,
  TopicListener,
  TopicOverrides,
} from "../../src/ports/topics.js";
import { FakePartitionLog } from "./fake-partition-log.js";

/** Topics in memory; ids count up. */
export class FakeTopics implements TopicCatalog, TopicAdmin {
  readonly #topics = new Map<string, TopicDescription>();
  readonly #listeners = new Set<TopicListener>();
  #ids = 0;
  /** When set, every change is refused, as by a volume that fails. */
  failing = false;
  /** When set, changes never finish, as on a volume that hangs. */
  hanging = false;

  topics(): Iterable<TopicDescription> {
    return this.#topics.values();
  }

  addListener(listener: TopicListener): void {
    this.#listeners.add(listener);
  }

  removeListener(listener: TopicListener): void {
    this.#listeners.delete(listener);
  }

  async create(name: string, partitionCount: number, overrides: TopicOverrides): Promise<TopicDescription> {
    await this.#volume();
    if (this.#topics.has(name)) throw new KaasError("KAAS_TOPIC_CONFLICT", `topic ${name} exists`);
    const id = Buffer.alloc(16, ++this.#ids).toString("base64url");
    return this.#put({ name, id, partitionCount, overrides });
  }

  async delete(topic: TopicDescription): Promise<void> {
    await this.#volume();
    this.#current(topic);
    this.#topics.delete(topic.name);
    for (const listener of this.#listeners) listener.topicDeleted(topic);
  }

  async createPartitions(topic: TopicDescription, partitionCount: number): Promise<void> {
    await this.#volume();
    this.#put({ ...this.#current(topic), partitionCount });
  }

  async configure(topic: TopicDescription, overrides: TopicOverrides): Promise<void> {
    await this.#volume();
    this.#put({ ...this.#current(topic), overrides });
  }

  async #volume(): Promise<void> {
    if (this.failing) throw new KaasError("KAAS_STORAGE_FAILED", "the volume is read-only");
    if (this.hanging) await new Promise(() => {});
  }

  #current(topic: TopicDescription): TopicDescription {
    const current = this.#topics.get(topic.name);
    if (current?.id !== topic.id) throw new KaasError("KAAS_TOPIC_CONFLICT", `topic ${topic.name} is gone`);
    return current;
  }

  #put(topic: TopicDescription): TopicDescription {
    this.#topics.set(topic.name, topic);
    for (const listener of this.#listeners) listener.topicChanged(topic);
    return topic;
  }
}

/** Opens fake logs, and can be told to fail. */
export class FakePartitionLogs implements PartitionLogs {
  readonly opened: Map<string, FakePartitionLog> = new Map();
  readonly abandoned: string[] = [];
  /** Partitions that cannot be opened, as `topic-partition`. */
  readonly broken: Set<string> = new Set();

  open(id: PartitionId, config: LogConfig): Promise<PartitionLog> {
    const name = `${id.topic}-${id.partition}`;
    if (this.broken.has(name)) {
      return Promise.reject(new KaasError("KAAS_STORAGE_FAILED", `${name} cannot be read`));
    }
    const log = this.opened.get(name) ?? new FakePartitionLog(id);
    log.configure(config);
    this.opened.set(name, log);
    return Promise.resolve(log);
  }

  release(id: PartitionId): Promise<void> {
    this.opened.delete(`${id.topic}-${id.partition}`);
    return Promise.resolve();
  }

  abandon(id: PartitionId): Promise<void> {
    this.abandoned.push(`${id.topic}-${id.partition}`);
    return this.release(id);
  }

  describeLogDirs(): Promise<readonly LogDirDescription[]> {
    const partitions = [...this.opened.values()].map((log) => ({
      topic: log.id.topic,
      partition: log.id.partition,
      sizeBytes: log.sizeBytes,
    }));
    return Promise.resolve([{ path: "/data", errorCode: 0, totalBytes: 100, usableBytes: 50, partitions }]);
  }

  enforceRetention(): Promise<void> {
    return Promise.resolve();
  }

  compact(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
