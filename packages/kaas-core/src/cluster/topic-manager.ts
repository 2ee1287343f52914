import type { BrokerConfig } from "../config/broker-config.js";
import { resolveTopicConfig } from "../config/topic-config.js";
import type { Clock, Timer } from "../ports/clock.js";
import type { Log } from "../ports/log.js";
import type { PartitionLog, PartitionLogs } from "../ports/partition-logs.js";
import type { TopicAdmin, TopicCatalog, TopicDescription, TopicListener, TopicOverrides } from "../ports/topics.js";
import { Topic, type TopicTable } from "./topic-table.js";

/** How long to wait before a partition that could not be opened is tried again. */
const REOPEN_DELAY_MS = 1_000;

export interface TopicManagerOptions {
  readonly catalog: TopicCatalog;
  readonly admin: TopicAdmin;
  readonly logs: PartitionLogs;
  readonly table: TopicTable;
  readonly config: BrokerConfig;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Keeps the topic table and the open logs in step with the catalog: opens what appears, adopts what changes, abandons
 * what goes. A topic enters the table when all of its logs have been tried, so that a client never meets one half
 * opened.
 */
export class TopicManager implements TopicListener {
  readonly #options: TopicManagerOptions;
  /** What is under way for a topic id; the next step of the same topic waits for it. */
  readonly #steps = new Map<string, Promise<void>>();
  readonly #retries = new Set<Timer>();
  /** Ids of topics that are being deleted: their files vanish while a step may still be opening them. */
  readonly #deleted = new Set<string>();
  #closed = false;
  #unsubscribe: (() => void) | undefined;

  constructor(options: TopicManagerOptions) {
    this.#options = options;
  }

  /** Opens every topic of the catalog; resolves when all have been tried. */
  async start(): Promise<void> {
    const { catalog, config } = this.#options;
    catalog.addListener(this);
    this.#unsubscribe = config.onChange(() => this.#reconfigureAll());
    const opening: Promise<void>[] = [];
    for (const topic of catalog.topics()) {
      this.topicChanged(topic);
      opening.push(this.#settled(topic.id));
    }
    await Promise.all(opening);
  }

  /** Stops following the catalog. The logs themselves are closed by whoever owns them. */
  close(): void {
    this.#closed = true;
    this.#unsubscribe?.();
    this.#options.catalog.removeListener(this);
    for (const timer of this.#retries) timer.cancel();
  }

  /** Creates a topic and resolves once this broker serves it. */
  async create(name: string, partitionCount: number, overrides: TopicOverrides): Promise<TopicDescription> {
    const topic = await this.#options.admin.create(name, partitionCount, overrides);
    await this.#settled(topic.id);
    return topic;
  }

  async delete(topic: Topic): Promise<void> {
    await this.#options.admin.delete(describe(topic));
    await this.#settled(topic.id);
  }

  async createPartitions(topic: Topic, partitionCount: number): Promise<void> {
    await this.#options.admin.createPartitions(describe(topic), partitionCount);
    await this.#settled(topic.id);
  }

  async configure(topic: Topic, overrides: TopicOverrides): Promise<void> {
    await this.#options.admin.configure(describe(topic), overrides);
    await this.#settled(topic.id);
  }

  topicChanged(description: TopicDescription): void {
    this.#next(description.id, () => this.#apply(description));
  }

  topicDeleted(description: TopicDescription): void {
    const { table, logs } = this.#options;
    const topic = table.byId(description.id);
    if (topic !== undefined) table.remove(topic);
    this.#deleted.add(description.id);
    this.#next(description.id, async () => {
      this.#deleted.delete(description.id);
      const applied = table.byId(description.id);
      if (applied !== undefined) table.remove(applied);
      for (let partition = 0; partition < description.partitionCount; partition++) {
        await logs.abandon({ topic: description.name, topicId: description.id, partition });
      }
    });
  }

  #settled(topicId: string): Promise<void> {
    return this.#steps.get(topicId) ?? Promise.resolve();
  }

  #next(topicId: string, step: () => Promise<void>): void {
    const running = this.#settled(topicId)
      .then(step)
      .catch((error: unknown) => {
        this.#options.log.error({ topicId, err: error }, "a topic could not be brought up to date");
      })
      .finally(() => {
        if (this.#steps.get(topicId) === running) this.#steps.delete(topicId);
      });
    this.#steps.set(topicId, running);
  }

  async #apply(description: TopicDescription): Promise<void> {
    const { table, config } = this.#options;
    const topicConfig = resolveTopicConfig(description.overrides, config);
    const known = table.byId(description.id);
    const topic = known ?? new Topic(description.name, description.id, description.overrides, topicConfig);
    topic.overrides = description.overrides;
    topic.config = topicConfig;
    for (const log of topic.partitions) log?.configure(topicConfig);
    const logs: Promise<PartitionLog | undefined>[] = [];
    for (let partition = topic.partitionCount; partition < description.partitionCount; partition++) {
      logs.push(this.#open(topic, partition));
    }
    topic.partitions.push(...(await Promise.all(logs)));
    if (known === undefined && !this.#deleted.has(topic.id)) table.add(topic);
  }

  /** Opens one log. A failure is logged and tried again later; the partition's neighbours do not wait for it. */
  async #open(topic: Topic, partition: number): Promise<PartitionLog | undefined> {
    const { logs, log } = this.#options;
    if (this.#deleted.has(topic.id)) return undefined;
    try {
      return await logs.open({ topic: topic.name, topicId: topic.id, partition }, topic.config);
    } catch (error) {
      if (this.#deleted.has(topic.id)) return undefined;
      log.error({ topic: topic.name, partition, err: error }, "a partition could not be opened; it is tried again");
      this.#retryLater(topic, partition);
      return undefined;
    }
  }

  #retryLater(topic: Topic, partition: number): void {
    const timer = this.#options.clock.schedule(REOPEN_DELAY_MS, () => {
      this.#retries.delete(timer);
      if (this.#closed) return;
      this.#next(topic.id, async () => {
        if (this.#options.table.byId(topic.id) !== topic) return;
        topic.partitions[partition] = await this.#open(topic, partition);
      });
    });
    this.#retries.add(timer);
  }

  /** Broker defaults have changed, and with them the configuration of every topic that does not override them. */
  #reconfigureAll(): void {
    for (const topic of this.#options.table.all()) {
      topic.config = resolveTopicConfig(topic.overrides, this.#options.config);
      for (const log of topic.partitions) log?.configure(topic.config);
    }
  }
}

function describe(topic: Topic): TopicDescription {
  return { name: topic.name, id: topic.id, partitionCount: topic.partitionCount, overrides: topic.overrides };
}
