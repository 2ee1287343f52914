import type { ProducerIds } from "../cluster/producer-ids.js";
import type { TopicManager } from "../cluster/topic-manager.js";
import type { BrokerConfig } from "../config/broker-config.js";
import type { TopicTable } from "../cluster/topic-table.js";
import type { FetchSessions } from "../fetch/fetch-sessions.js";
import type { GroupCoordinator } from "../groups/group-coordinator.js";
import type { AclAdmin, Acls } from "../ports/acls.js";
import type { Clock, Random } from "../ports/clock.js";
import type { ClusterFiles } from "../ports/cluster-files.js";
import type { ClusterView } from "../ports/cluster-view.js";
import type { Credentials } from "../ports/credentials.js";
import type { LeadershipWishes } from "../ports/leadership-wishes.js";
import type { Log } from "../ports/log.js";
import type { PartitionLogs } from "../ports/partition-logs.js";
import type { UserAdmin } from "../ports/user-admin.js";
import type { Authorizer } from "../security/authorizer.js";
import type { ClientQuotas } from "../security/quotas/client-quotas.js";

import type { CoarseTimer } from "../timers/coarse-timer.js";
import type { ApiRegistry } from "./api-registry.js";

/** Where clients reach this broker by one listener. */
export interface Endpoint {
  readonly listenerName: string;
  readonly host: string;
  readonly port: number;
}

/** What API handlers work with. */
export interface Broker {
  readonly nodeId: number;
  readonly clusterId: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly config: BrokerConfig;
  /** Which brokers there are, and who leads what. */
  readonly cluster: ClusterView;
  /** What admin clients want of leadership. */
  readonly wishes: LeadershipWishes;
  readonly topics: TopicTable;
  readonly logs: PartitionLogs;
  readonly files: ClusterFiles;
  readonly groups: GroupCoordinator;
  readonly producerIds: ProducerIds;
  readonly fetchSessions: FetchSessions;
  /** Creates, changes and deletes topics, and waits until this broker serves what it did. */
  readonly topicManager: TopicManager;
  /** Says what clients may do; what this one may is in the connection's `access`. */
  readonly authorizer: Authorizer;
  readonly acls: Acls;
  /** Undefined where ACLs cannot be changed through this broker. */
  readonly aclAdmin: AclAdmin | undefined;
  /** What clients may use up. */
  readonly quotas: ClientQuotas;
  /** The users that can log in by password, and the quotas. */
  readonly credentials: Credentials;
  /** Undefined where users and quotas cannot be changed through this broker. */
  readonly userAdmin: UserAdmin | undefined;
  /** What is served. */
  readonly apis: ApiRegistry;
  /** Deadlines of requests that wait. */
  readonly deadlines: CoarseTimer;
}
