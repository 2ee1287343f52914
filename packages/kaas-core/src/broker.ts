import type { Broker, Endpoint } from "./api/broker-services.js";
import { ApiRegistry } from "./api/api-registry.js";
import { apiHandlers } from "./api/index.js";
import { ProducerIds } from "./cluster/producer-ids.js";
import { SoleBroker } from "./cluster/sole-broker.js";
import { SoleLeadership } from "./cluster/sole-leadership.js";
import { TopicManager } from "./cluster/topic-manager.js";
import { TopicTable } from "./cluster/topic-table.js";
import { BrokerLeadership } from "./broker-leadership.js";
import { writeBrokerMetrics } from "./broker-metrics.js";
import type { LeadershipReport } from "./cluster/leadership-report.js";
import type { BrokerConfig } from "./config/broker-config.js";
import { assert } from "./errors/kaas-error.js";
import { FetchSessions } from "./fetch/fetch-sessions.js";
import { GroupCoordinator } from "./groups/group-coordinator.js";
import type { Exposition } from "./metrics/exposition.js";
import type { AclAdmin, Acls } from "./ports/acls.js";
import type { Clock, Random, Timer } from "./ports/clock.js";
import type { ClusterFiles } from "./ports/cluster-files.js";
import type { ClusterView } from "./ports/cluster-view.js";
import type { Credentials } from "./ports/credentials.js";
import type { LeadershipWishes } from "./ports/leadership-wishes.js";
import type { Log } from "./ports/log.js";
import type { PartitionLogs } from "./ports/partition-logs.js";
import type { SecretFiles } from "./ports/secret-files.js";
import type { SlotJournals } from "./ports/slot-journals.js";
import type { TopicAdmin, TopicCatalog } from "./ports/topics.js";
import type { UserAdmin } from "./ports/user-admin.js";
import { noCredentials } from "./security/no-credentials.js";
import { SaslListeners } from "./security/sasl/sasl-listeners.js";
import { configuredAuthorizer, noAcls } from "./security/authorizer.js";
import { ClientQuotas } from "./security/quotas/client-quotas.js";
import { listenerSecurity } from "./server/listener-security.js";
import { KafkaServer, type ListenerOptions } from "./server/kafka-server.js";
import { CoarseTimer } from "./timers/coarse-timer.js";

/** How exactly the timeouts of waiting requests are kept. */
const DEADLINE_RESOLUTION_MS = 5;

/** How long a fetch session is safe from others that want its slot; a constant in Kafka too. */
const FETCH_SESSION_EVICTION_MS = 120_000;

/** How soon a broker of a cluster hears of configurations that were set through another one. */
const CONFIG_REFRESH_MS = 10_000;

/** What a broker is made of: its configuration and the ports to the outside. */
export interface KafkaBrokerOptions {
  readonly config: BrokerConfig;
  readonly listeners: readonly ListenerOptions[];
  readonly logs: PartitionLogs;
  readonly journals: SlotJournals;
  readonly files: ClusterFiles;
  readonly catalog: TopicCatalog;
  readonly admin: TopicAdmin;
  /** Who leads what. A broker that is given none is alone, and leads everything. */
  readonly cluster?: ClusterView;
  /** Where wishes for leaders go. A broker that is alone needs none. */
  readonly wishes?: LeadershipWishes;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The ACLs that `authorizer.class.name` turns on; none by default. */
  readonly acls?: Acls | undefined;
  /** What ACLs are changed by; without it they cannot be changed through this broker. */
  readonly aclAdmin?: AclAdmin | undefined;
  /** The users that can log in by password, and the quotas; none by default. */
  readonly credentials?: Credentials | undefined;
  /** What users and quotas are changed by; without it they cannot be changed through this broker. */
  readonly userAdmin?: UserAdmin | undefined;
  /** Where certificates that lie in files are read. */
  readonly secretFiles?: SecretFiles | undefined;
  /** Overwrites the memory of requests once it has come back, to show who still looks at it: for tests. */
  readonly poisonsReleasedFrames?: boolean;
}

/**
 * A Kafka broker, composed over ports: the network on one side, logs, journals and topics on the other. It opens what
 * the catalog names, serves until it is closed, and owns none of the ports.
 */
export class KafkaBroker {
  readonly #services: Broker;
  readonly #server: KafkaServer;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #isAlone: boolean;
  readonly #leadership: BrokerLeadership;
  #configRefresh: Timer | undefined;
  #isClosed = false;

  constructor(options: KafkaBrokerOptions) {
    const { config, logs, journals, files, catalog, admin, clock, random, log } = options;
    const { credentials = noCredentials, acls = noAcls } = options;
    const topics = new TopicTable();
    const nodeId = config.number("node.id");
    const rack = config.text("broker.rack") ?? null;
    const cluster = options.cluster ?? new SoleBroker({ nodeId, name: `broker-${nodeId}`, incarnation: "", rack });
    assert(cluster.nodeId === nodeId, "the view of the cluster is that of another broker");
    this.#isAlone = options.cluster === undefined;
    this.#services = {
      nodeId,
      clusterId: files.clusterId,
      clock,
      random,
      log,
      config,
      cluster,
      topics,
      wishes: options.wishes ?? new SoleLeadership(topics),
      topicManager: new TopicManager({ catalog, admin, logs, table: topics, view: cluster, config, clock, log }),
      logs,
      files,
      groups: new GroupCoordinator({ journals, clock, random, log, config, topics }),
      producerIds: new ProducerIds(files),
      fetchSessions: new FetchSessions({
        clock,
        random,
        slotsMax: config.number("max.incremental.fetch.session.cache.slots"),
        evictionMs: FETCH_SESSION_EVICTION_MS,
      }),
      authorizer: configuredAuthorizer(config, acls, log),
      acls,
      aclAdmin: options.aclAdmin,
      quotas: new ClientQuotas(credentials, config, clock),
      credentials,
      userAdmin: options.userAdmin,
      apis: new ApiRegistry(apiHandlers),
      deadlines: new CoarseTimer(clock, DEADLINE_RESOLUTION_MS),
    };
    const { topicManager, groups } = this.#services;
    this.#leadership = new BrokerLeadership({ view: cluster, partitions: topicManager.leads, groups, clock });
    const sasl = new SaslListeners(config, credentials, acls, random);
    this.#server = new KafkaServer({
      security: (listener) => listenerSecurity(listener, config, sasl),
      secretFiles: options.secretFiles,
      listeners: options.listeners,
      broker: this.#services,
      config,
      clock,
      log,
      poisonsReleasedFrames: options.poisonsReleasedFrames === true,
    });
  }

  get clusterId(): string {
    return this.#services.clusterId;
  }

  /** What clients are told to connect to, by listener; known once started. */
  get endpoints(): readonly Endpoint[] {
    return [...this.#endpoints.values()];
  }

  /**
   * Opens what is led here, and the listeners: one after the other where the broker is alone. In a cluster clients are
   * told meanwhile to try again. Rejects with a `KaasError` when a listener cannot be bound.
   */
  async start(): Promise<void> {
    await this.#services.config.loadDynamic(this.#services.files);
    const { topicManager, groups } = this.#services;
    const opened = topicManager.start();
    if (this.#isAlone) await opened;
    else {
      topicManager.leads.watchDeposed();
      this.#refreshConfig();
    }
    await groups.start([]);
    const loaded = this.#leadership.start();
    if (this.#isAlone) await loaded;
    for (const endpoint of await this.#server.listen()) this.#endpoints.set(endpoint.listenerName, endpoint);
    this.#services.cluster.advertise(this.endpoints);
  }

  /** What this broker leads at the moment. */
  leadershipReport(): LeadershipReport {
    return this.#leadership.report();
  }

  /** Writes down what was counted since the start, and how this broker is, for Prometheus. */
  writeMetrics(exposition: Exposition): void {
    writeBrokerMetrics(exposition, this.#services, this.#server.metrics);
  }

  /** Called soon after what {@link leadershipReport} says has changed. Returns a function that takes it back. */
  onLeadershipChange(callback: () => void): () => void {
    return this.#leadership.onChange(callback);
  }

  /**
   * Hands over all that this broker leads, in order, and leads nothing afterwards; it goes on answering, and sends clients
   * elsewhere. For up to `waitMs` it goes on leading what the view of the cluster does not give to others yet: whoever
   * asked the controller first waits for its answer so. How far it has come says {@link leadershipReport}.
   */
  drain(waitMs: number = 0): Promise<void> {
    return this.#leadership.drain(waitMs);
  }

  /** Stops taking requests, answers those under way, closes the connections. The ports are closed by their owner. */
  async close(): Promise<void> {
    // At the same time: members that wait for a rebalance are answered by their group, and would wait longer than
    // the server does.
    await Promise.all([this.#server.close(), this.#services.groups.close()]);
    this.#isClosed = true;
    this.#configRefresh?.cancel();
    this.#leadership.close();
    this.#services.topicManager.close();
    this.#services.deadlines.stop();
  }

  #refreshConfig(): void {
    const { clock, config, log } = this.#services;
    this.#configRefresh = clock.schedule(CONFIG_REFRESH_MS, () => {
      void config
        .refreshDynamic()
        .catch((error: unknown) => log.warn({ err: error }, "broker configs cannot be read again; it is tried later"))
        .finally(() => {
          if (!this.#isClosed) this.#refreshConfig();
        });
    });
  }
}
