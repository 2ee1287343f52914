import type { ClientConnection, RequestContext } from "../../src/api/api-handler.js";
import type { Broker } from "../../src/api/broker-services.js";
import { SoleLeadership } from "../../src/cluster/sole-leadership.js";
import { Topic, TopicTable } from "../../src/cluster/topic-table.js";
import { FetchSessions } from "../../src/fetch/fetch-sessions.js";
import { silentLog } from "../../src/ports/log.js";
import { type Access, fullAccess } from "../../src/security/access.js";
import { noCredentials } from "../../src/security/no-credentials.js";
import { ClientQuotas } from "../../src/security/quotas/client-quotas.js";
import { ANONYMOUS, type KafkaPrincipal } from "../../src/security/kafka-principal.js";
import type { SaslSession } from "../../src/security/sasl/sasl-session.js";
import { CoarseTimer } from "../../src/timers/coarse-timer.js";
import { FakePartitionLog } from "./fake-partition-log.js";
import { ManualClock } from "./manual-clock.js";
import { soleBroker } from "./sole-broker.js";

/** A connection that remembers how it was closed. */
export class FakeConnection implements ClientConnection {
  readonly id = 1;
  readonly listenerName = "PLAINTEXT";
  readonly remoteAddress = "127.0.0.1";
  readonly principal: KafkaPrincipal = ANONYMOUS;
  sasl: SaslSession | undefined;
  access: Access = fullAccess;
  clientSoftwareName = "";
  clientSoftwareVersion = "";
  readonly closedBecause: string[] = [];
  readonly closeListeners: Set<() => void> = new Set();

  close(reason: string): void {
    this.closedBecause.push(reason);
    for (const listener of this.closeListeners) listener();
  }

  refuseAfterAnswers(reason: string): void {
    this.close(reason);
  }

  onClose(callback: () => void): () => void {
    if (this.closedBecause.length > 0) queueMicrotask(callback);
    this.closeListeners.add(callback);
    return () => void this.closeListeners.delete(callback);
  }
}

const CONFIG: Readonly<Record<string, unknown>> = {
  "fetch.max.bytes": 57_671_680,
  "num.partitions": 1,
  "max.request.partition.size.limit": 2000,
  "auto.create.topics.enable": false,
  "delete.topic.enable": true,
};

/** What a handler test works with: a broker of fakes, one connection, and a context for any version. */
export interface HandlerHarness {
  readonly clock: ManualClock;
  readonly topics: TopicTable;
  readonly connection: FakeConnection;
  context(apiKey: number, apiVersion: number): RequestContext;
  /** Adds a topic whose partitions are fakes. */
  addTopic(name: string, id: string, partitionCount: number): FakePartitionLog[];
}

/** Only the services that the tested handlers use exist; `overrides` adds or replaces some. */
export function handlerHarness(overrides: Partial<Broker> = {}): HandlerHarness {
  const clock = new ManualClock();
  const topics = new TopicTable();
  const connection = new FakeConnection();
  let nextId = 1;
  const random = { uuid: () => "r", integer: () => nextId++ };
  const config = {
    number: (name: string) => CONFIG[name] as number,
    boolean: (name: string) => CONFIG[name] as boolean,
  };
  const broker = {
    nodeId: 1,
    clusterId: "cluster",
    clock,
    log: silentLog,
    config,
    cluster: soleBroker(),
    wishes: new SoleLeadership(topics),
    topics,
    fetchSessions: new FetchSessions({ clock, random, slotsMax: 10, evictionMs: 1000 }),
    deadlines: new CoarseTimer(clock, 5),
    quotas: new ClientQuotas(noCredentials, config, clock),
    ...overrides,
  } as unknown as Broker;
  return {
    clock,
    topics,
    connection,
    context: (apiKey, apiVersion) => ({
      broker,
      connection,
      apiKey,
      apiVersion,
      clientId: "test",
      requestMemory: undefined,
    }),
    addTopic(name, id, partitionCount) {
      const logs: FakePartitionLog[] = [];
      const topic = new Topic(name, id, {}, { cleanupPolicy: { delete: true, compact: false } } as Topic["config"]);
      for (let partition = 0; partition < partitionCount; partition++) {
        logs.push(new FakePartitionLog({ topic: name, topicId: id, partition }));
      }
      topic.partitions.push(...logs);
      topics.add(topic);
      return logs;
    },
  };
}
