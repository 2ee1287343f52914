import { ErrorCode } from "../errors/error-codes.js";
import type { AclResourceType } from "../ports/acls.js";
import type { AskedOperation } from "../security/access.js";
import type { AnyApiHandler } from "./api-handler.js";

/** What an API asks of its client, as Apache Kafka does. */
export interface ApiAuthorization {
  /**
   * Asked of the cluster before a request is looked at; CLUSTER_AUTHORIZATION_FAILED for whoever lacks it. The registry
   * sees to it, so that no handler can forget.
   */
  readonly cluster?: AskedOperation;
  /** Asked by the handler, of the resources that a request names or would show. */
  readonly resources?: readonly (readonly [AskedOperation, AclResourceType])[];
  /** Why nothing is asked. */
  readonly open?: string;
}

const BEFORE_LOGIN = "it comes before a client is known";

/** What each API asks, by its key. One that is not named here cannot be served. */
export const apiAuthorizations: ReadonlyMap<number, ApiAuthorization> = new Map<number, ApiAuthorization>([
  [
    0, // Produce
    {
      resources: [
        ["WRITE", "TOPIC"],
        ["WRITE", "TRANSACTIONAL_ID"],
      ],
    },
  ],
  [
    1, // Fetch; CLUSTER_ACTION of what calls itself a replica
    {
      resources: [
        ["READ", "TOPIC"],
        ["CLUSTER_ACTION", "CLUSTER"],
      ],
    },
  ],
  [2, { resources: [["DESCRIBE", "TOPIC"]] }], // ListOffsets
  [
    3, // Metadata; CREATE where it creates topics
    {
      resources: [
        ["DESCRIBE", "TOPIC"],
        ["CREATE", "CLUSTER"],
        ["CREATE", "TOPIC"],
        ["DESCRIBE", "CLUSTER"],
      ],
    },
  ],
  [
    8, // OffsetCommit
    {
      resources: [
        ["READ", "GROUP"],
        ["READ", "TOPIC"],
      ],
    },
  ],
  [
    9, // OffsetFetch
    {
      resources: [
        ["DESCRIBE", "GROUP"],
        ["DESCRIBE", "TOPIC"],
      ],
    },
  ],
  [
    10, // FindCoordinator
    {
      resources: [
        ["DESCRIBE", "GROUP"],
        ["DESCRIBE", "TRANSACTIONAL_ID"],
      ],
    },
  ],
  [11, { resources: [["READ", "GROUP"]] }], // JoinGroup
  [12, { resources: [["READ", "GROUP"]] }], // Heartbeat
  [13, { resources: [["READ", "GROUP"]] }], // LeaveGroup
  [14, { resources: [["READ", "GROUP"]] }], // SyncGroup
  [15, { resources: [["DESCRIBE", "GROUP"]] }], // DescribeGroups
  [
    16, // ListGroups
    {
      resources: [
        ["DESCRIBE", "CLUSTER"],
        ["DESCRIBE", "GROUP"],
      ],
    },
  ],
  [17, { open: BEFORE_LOGIN }], // SaslHandshake
  [18, { open: BEFORE_LOGIN }], // ApiVersions
  [
    19, // CreateTopics
    {
      resources: [
        ["CREATE", "CLUSTER"],
        ["CREATE", "TOPIC"],
        ["DESCRIBE_CONFIGS", "TOPIC"],
      ],
    },
  ],
  [
    20, // DeleteTopics
    {
      resources: [
        ["DELETE", "CLUSTER"],
        ["DELETE", "TOPIC"],
        ["DESCRIBE", "TOPIC"],
      ],
    },
  ],
  [21, { resources: [["DELETE", "TOPIC"]] }], // DeleteRecords
  [
    22, // InitProducerId; WRITE of any topic does for IDEMPOTENT_WRITE (KIP-679)
    {
      resources: [
        ["WRITE", "TRANSACTIONAL_ID"],
        ["IDEMPOTENT_WRITE", "CLUSTER"],
        ["WRITE", "TOPIC"],
      ],
    },
  ],
  [
    23, // OffsetForLeaderEpoch
    {
      resources: [
        ["CLUSTER_ACTION", "CLUSTER"],
        ["DESCRIBE", "TOPIC"],
      ],
    },
  ],
  [29, { cluster: "DESCRIBE" }], // DescribeAcls
  [30, { cluster: "ALTER" }], // CreateAcls
  [31, { cluster: "ALTER" }], // DeleteAcls
  [
    32, // DescribeConfigs
    {
      resources: [
        ["DESCRIBE_CONFIGS", "TOPIC"],
        ["DESCRIBE_CONFIGS", "CLUSTER"],
        ["DESCRIBE_CONFIGS", "GROUP"],
      ],
    },
  ],
  [
    33, // AlterConfigs
    {
      resources: [
        ["ALTER_CONFIGS", "TOPIC"],
        ["ALTER_CONFIGS", "CLUSTER"],
        ["ALTER_CONFIGS", "GROUP"],
      ],
    },
  ],
  [35, { cluster: "DESCRIBE" }], // DescribeLogDirs
  [36, { open: BEFORE_LOGIN }], // SaslAuthenticate
  [37, { resources: [["ALTER", "TOPIC"]] }], // CreatePartitions
  [42, { resources: [["DELETE", "GROUP"]] }], // DeleteGroups
  [43, { cluster: "ALTER" }], // ElectLeaders
  [
    44, // IncrementalAlterConfigs
    {
      resources: [
        ["ALTER_CONFIGS", "TOPIC"],
        ["ALTER_CONFIGS", "CLUSTER"],
        ["ALTER_CONFIGS", "GROUP"],
      ],
    },
  ],
  [45, { cluster: "ALTER" }], // AlterPartitionReassignments
  [46, { cluster: "DESCRIBE" }], // ListPartitionReassignments
  [
    47, // OffsetDelete
    {
      resources: [
        ["DELETE", "GROUP"],
        ["READ", "TOPIC"],
      ],
    },
  ],
  [48, { cluster: "DESCRIBE_CONFIGS" }], // DescribeClientQuotas
  [49, { cluster: "ALTER_CONFIGS" }], // AlterClientQuotas
  [50, { cluster: "DESCRIBE" }], // DescribeUserScramCredentials
  [51, { cluster: "ALTER" }], // AlterUserScramCredentials
  [
    60, // DescribeCluster; ALTER to look at controllers
    {
      resources: [
        ["DESCRIBE", "CLUSTER"],
        ["ALTER", "CLUSTER"],
      ],
    },
  ],
  [74, { cluster: "DESCRIBE_CONFIGS" }], // ListConfigResources
  [75, { resources: [["DESCRIBE", "TOPIC"]] }], // DescribeTopicPartitions
]);

/** A handler behind what its API asks of the cluster as a whole. */
export function guarded(handler: AnyApiHandler, { cluster }: ApiAuthorization): AnyApiHandler {
  if (cluster === undefined) return handler;
  return {
    ...handler,
    handle(context, request) {
      if (context.connection.access.mayOnCluster(cluster)) return handler.handle(context, request);
      return handler.fail(request, ErrorCode.CLUSTER_AUTHORIZATION_FAILED);
    },
  };
}
