import type { BrokerConfig } from "../config/broker-config.js";
import { resolveTopicConfig } from "../config/topic-config.js";
import { KaasError } from "../errors/kaas-error.js";
import type { Clock } from "../ports/clock.js";
import type { ClusterView } from "../ports/cluster-view.js";
import type { Log } from "../ports/log.js";
import type { PartitionLogs } from "../ports/partition-logs.js";
import type { TopicAdmin, TopicCatalog, TopicDescription, TopicListener, TopicOverrides } from "../ports/topics.js";
import { PartitionLeads } from "./partition-leads.js";
import { Topic, type TopicTable } from "./topic-table.js";

export interface TopicManagerOptions {
  readonly catalog: TopicCatalog;
  readonly admin: TopicAdmin;
  readonly logs: PartitionLogs;
  readonly table: TopicTable;
  /** Who leads which partition. */
  readonly view: ClusterView;
  readonly config: BrokerConfig;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long the answer to a creation waits for all partitions to have leaders; the topic is there all the same. */
const LEADERS_WAIT_MS = 2_000;

/** How long a change may take. Where none is given, it may take as long as it takes. */
export interface ChangeOptions {
  readonly timeoutMs?: number | undefined;
}

/**
 * Keeps the topic table in step with the catalog, and has the partitions opened that are led here. A topic is in the table
 * as soon as it is known, whoever leads it and whether its logs are open yet.
 *
 * Changes resolve when this broker shows them, whoever makes them.
 */
export class TopicManager implements TopicListener {
  readonly leads: PartitionLeads;
  readonly #options: TopicManagerOptions;
  /** Looked at after every change of the table or the view. */
  readonly #waiting = new Set<() => void>();
  #unsubscribe: (() => void) | undefined;

  constructor(options: TopicManagerOptions) {
    this.#options = options;
    this.leads = new PartitionLeads(options);
  }

  /** Brings every topic of the catalog into the table, at once; resolves when all that is led here was tried to open. */
  start(): Promise<void> {
    const { catalog, config, view } = this.#options;
    catalog.addListener(this);
    for (const topic of catalog.topics()) this.topicChanged(topic);
    const unfollow = view.onChange(() => {
      this.#discover();
      this.#changed();
    });
    const unconfigure = config.onChange(() => this.#reconfigureAll());
    this.#unsubscribe = () => {
      unfollow();
      unconfigure();
    };
    return this.leads.allSettled();
  }

  /** Stops following the catalog. The logs themselves are closed by whoever owns them. */
  close(): void {
    this.#unsubscribe?.();
    this.#options.catalog.removeListener(this);
    this.leads.close();
  }

  /**
   * Creates a topic.
   *
   * @throws KaasError KAAS_TIMED_OUT when it is not there in time; it may still come
   */
  async create(
    name: string,
    partitionCount: number,
    overrides: TopicOverrides,
    { timeoutMs }: ChangeOptions = {},
  ): Promise<Topic> {
    const { admin, table } = this.#options;
    const late = `topic '${name}' has been asked for, and is not there yet; it may still come`;
    const since = this.#now();
    const created = await admin.create(name, partitionCount, overrides, timeoutMs);
    const find = (): Topic | undefined => (created === undefined ? table.byName(name) : table.byId(created.id));
    const topic = await this.#until(find, this.#left(since, timeoutMs), late);
    await this.#led(topic, Math.min(LEADERS_WAIT_MS, this.#left(since, timeoutMs) ?? LEADERS_WAIT_MS));
    await this.leads.settled(topic.id);
    return topic;
  }

  async delete(topic: Topic, { timeoutMs }: ChangeOptions = {}): Promise<void> {
    const { admin, table } = this.#options;
    const late = `topic '${topic.name}' is to be deleted, and still there; it may still go`;
    const since = this.#now();
    await admin.delete(describe(topic), timeoutMs);
    await this.#until(() => table.byId(topic.id) !== topic, this.#left(since, timeoutMs), late);
    await this.leads.settled(topic.id);
  }

  async createPartitions(topic: Topic, partitionCount: number, { timeoutMs }: ChangeOptions = {}): Promise<void> {
    const late = `topic '${topic.name}' is to have ${partitionCount} partitions, and has not yet; it may still get them`;
    const since = this.#now();
    await this.#options.admin.createPartitions(describe(topic), partitionCount, timeoutMs);
    await this.#until(() => topic.partitionCount >= partitionCount, this.#left(since, timeoutMs), late);
    await this.leads.settled(topic.id);
  }

  /** Replaces the overrides as a whole; those that are named alone, where some are. */
  async configure(
    topic: Topic,
    overrides: TopicOverrides,
    { timeoutMs, names }: ChangeOptions & { readonly names?: readonly string[] | undefined } = {},
  ): Promise<void> {
    const late = `topic '${topic.name}' is to be configured, and is not yet; it may still be`;
    const since = this.#now();
    await this.#options.admin.configure(describe(topic), overrides, timeoutMs, names);
    await this.#until(() => haveSame(topic.overrides, overrides, names), this.#left(since, timeoutMs), late);
    await this.leads.settled(topic.id);
  }

  topicChanged(description: TopicDescription): void {
    try {
      this.#apply(description);
    } catch (error) {
      this.#options.log.error({ topic: description.name, err: error }, "a topic could not be brought up to date");
    }
    this.#changed();
  }

  topicDeleted(description: TopicDescription): void {
    const { table } = this.#options;
    const topic = table.byId(description.id);
    if (topic === undefined) return;
    table.remove(topic);
    this.leads.abandon(topic.id);
    this.#changed();
  }

  /** A topic that is assigned exists, even if nobody has told so yet; one that is not may be gone. */
  #discover(): void {
    const { catalog, table, view } = this.#options;
    let isUnknown = [...table.all()].some(({ id }) => view.leadership(id, 0) === undefined);
    for (const { topicId, name } of view.topics()) {
      if (table.byId(topicId) !== undefined) continue;
      if (table.byName(name) === undefined) isUnknown = true;
      else void this.#refresh(name);
    }
    if (isUnknown) void catalog.discover?.();
  }

  async #refresh(name: string): Promise<void> {
    try {
      await this.#options.catalog.refresh?.(name);
    } catch (error) {
      this.#options.log.warn({ topic: name, err: error }, "a topic that is another one by now could not be read again");
    }
  }

  #apply(description: TopicDescription): void {
    const { table, config } = this.#options;
    const namesake = table.byName(description.name);
    if (namesake !== undefined && namesake.id !== description.id) this.topicDeleted(describe(namesake));
    const topicConfig = resolveTopicConfig(description.overrides, config);
    const known = table.byId(description.id);
    const topic = known ?? new Topic(description.name, description.id, description.overrides, topicConfig);
    topic.overrides = description.overrides;
    topic.config = topicConfig;
    for (const log of topic.partitions) log?.configure(topicConfig);
    while (topic.partitionCount < description.partitionCount) topic.partitions.push(undefined);
    if (known === undefined) table.add(topic);
    this.leads.follow(topic);
  }

  /** Broker defaults have changed, and with them the configuration of every topic that does not override them. */
  #reconfigureAll(): void {
    for (const topic of this.#options.table.all()) {
      topic.config = resolveTopicConfig(topic.overrides, this.#options.config);
      for (const log of topic.partitions) log?.configure(topic.config);
    }
  }

  #changed(): void {
    for (const look of this.#waiting) look();
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  #left(since: number, timeoutMs: number | undefined): number | undefined {
    return timeoutMs === undefined ? undefined : Math.max(0, since + timeoutMs - this.#now());
  }

  /** Resolves when somebody is to lead each partition, so that clients find leaders, or when the time is up. */
  async #led(topic: Topic, timeoutMs: number): Promise<void> {
    const { view } = this.#options;
    const isLed = (): boolean =>
      topic.partitions.every((_log, partition) => (view.leadership(topic.id, partition)?.leaderId ?? -1) >= 0);
    await this.#until(isLed, timeoutMs, "").catch(() => undefined);
  }

  /** What `find` finds, now or after some change of the table or the view. */
  #until<Found>(find: () => Found | undefined | false, timeoutMs: number | undefined, late: string): Promise<Found> {
    const found = find();
    if (found !== undefined && found !== false) return Promise.resolve(found);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting.delete(look);
        timer?.cancel();
      };
      const look = (): void => {
        const now = find();
        if (now === undefined || now === false) return;
        end();
        resolve(now);
      };
      const expire = (): void => {
        end();
        reject(new KaasError("KAAS_TIMED_OUT", late));
      };
      const timer = timeoutMs === undefined ? undefined : this.#options.clock.schedule(timeoutMs, expire);
      this.#waiting.add(look);
    });
  }
}

function describe(topic: Topic): TopicDescription {
  return { name: topic.name, id: topic.id, partitionCount: topic.partitionCount, overrides: topic.overrides };
}

function haveSame(
  one: TopicOverrides,
  other: TopicOverrides,
  names: readonly string[] = [...Object.keys(one), ...Object.keys(other)],
): boolean {
  return names.every((name) => one[name] === other[name]);
}
