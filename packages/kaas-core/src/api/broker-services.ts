import type { BrokerConfig } from "../config/broker-config.js";
import type { TopicTable } from "../cluster/topic-table.js";
import type { GroupCoordinator } from "../groups/group-coordinator.js";
import type { Clock, Random } from "../ports/clock.js";
import type { ClusterFiles } from "../ports/cluster-files.js";
import type { Log } from "../ports/log.js";
import type { PartitionLogs } from "../ports/partition-logs.js";
import type { TopicAdmin } from "../ports/topics.js";

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
  readonly rack: string | null;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly config: BrokerConfig;
  readonly topics: TopicTable;
  readonly topicAdmin: TopicAdmin;
  readonly logs: PartitionLogs;
  readonly files: ClusterFiles;
  readonly groups: GroupCoordinator;
  /** The advertised endpoint of a listener; undefined for a name that this broker does not have. */
  endpoint(listenerName: string): Endpoint | undefined;
}
