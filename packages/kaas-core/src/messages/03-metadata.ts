import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * Metadata (key 3): says which brokers there are, and who leads the partitions of which topics.
 *
 * - v1: null asks for all topics and an empty list for none; racks, controller, internal topics
 * - v2: cluster id (KIP-78)
 * - v4: whether asking for a topic may create it
 * - v5: offline replicas (KIP-112)
 * - v6: throttled clients wait by themselves (KIP-219)
 * - v7: leader epochs (KIP-320)
 * - v8: authorized operations, when asked for (KIP-430)
 * - v10: topic ids in the answer (KIP-516)
 * - v11: operations on the cluster moved to DescribeCluster (KIP-700)
 * - v12: topics may be asked for by id
 * - v13: an error of the request as a whole (KIP-1102)
 */
export const metadataApi: ApiSchema = api(3, "Metadata", "0-13", "9+", {
  request: [
    structs(
      "topics",
      "MetadataRequestTopic",
      "0+",
      [field("topicId", "uuid", "10+"), field("name", "string", "0+", { nullable: "10+" })],
      { nullable: "1+" },
    ),
    field("allowAutoTopicCreation", "bool", "4+", { default: true }),
    field("includeClusterAuthorizedOperations", "bool", "8-10"),
    field("includeTopicAuthorizedOperations", "bool", "8+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "3+"),
    structs("brokers", "MetadataResponseBroker", "0+", [
      field("nodeId", "int32", "0+"),
      field("host", "string", "0+"),
      field("port", "int32", "0+"),
      field("rack", "string", "1+", { nullable: "1+", default: null }),
    ]),
    field("clusterId", "string", "2+", { nullable: "2+", default: null }),
    field("controllerId", "int32", "1+", { default: -1 }),
    structs("topics", "MetadataResponseTopic", "0+", [
      field("errorCode", "int16", "0+"),
      field("name", "string", "0+", { nullable: "12+" }),
      field("topicId", "uuid", "10+"),
      field("isInternal", "bool", "1+"),
      structs("partitions", "MetadataResponsePartition", "0+", [
        field("errorCode", "int16", "0+"),
        field("partitionIndex", "int32", "0+"),
        field("leaderId", "int32", "0+"),
        field("leaderEpoch", "int32", "7+", { default: -1 }),
        list("replicaNodes", "int32", "0+"),
        list("isrNodes", "int32", "0+"),
        list("offlineReplicas", "int32", "5+"),
      ]),
      field("topicAuthorizedOperations", "int32", "8+", { default: -2147483648 }),
    ]),
    field("clusterAuthorizedOperations", "int32", "8-10", { default: -2147483648 }),
    field("errorCode", "int16", "13+"),
  ],
});
