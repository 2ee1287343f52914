import { api, type ApiSchema, field, list, structs } from "./schema.js";

/** Metadata (key 3). */
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
