import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * DescribeQuorum (key 55): describes a KRaft quorum (KIP-595).
 *
 * - v1: when each replica last fetched and caught up (KIP-836)
 * - v2: endpoints of the voters, directory ids, error messages (KIP-853)
 */
export const describeQuorumApi: ApiSchema = api(55, "DescribeQuorum", "0-2", "0+", {
  request: [
    structs("topics", "TopicData", "0+", [
      field("topicName", "string", "0+"),
      structs("partitions", "PartitionData", "0+", [field("partitionIndex", "int32", "0+")]),
    ]),
  ],
  response: [
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "2+", { nullable: "2+" }),
    structs("topics", "TopicData", "0+", [
      field("topicName", "string", "0+"),
      structs("partitions", "PartitionData", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("errorCode", "int16", "0+"),
        field("errorMessage", "string", "2+", { nullable: "2+" }),
        field("leaderId", "int32", "0+"),
        field("leaderEpoch", "int32", "0+"),
        field("highWatermark", "int64", "0+"),
        structs("currentVoters", "ReplicaState", "0+", [
          field("replicaId", "int32", "0+"),
          field("replicaDirectoryId", "uuid", "2+"),
          field("logEndOffset", "int64", "0+"),
          field("lastFetchTimestamp", "int64", "1+", { default: -1 }),
          field("lastCaughtUpTimestamp", "int64", "1+", { default: -1 }),
        ]),
        structs("observers", "ReplicaState", "0+", [
          field("replicaId", "int32", "0+"),
          field("replicaDirectoryId", "uuid", "2+"),
          field("logEndOffset", "int64", "0+"),
          field("lastFetchTimestamp", "int64", "1+", { default: -1 }),
          field("lastCaughtUpTimestamp", "int64", "1+", { default: -1 }),
        ]),
      ]),
    ]),
    structs("nodes", "Node", "2+", [
      field("nodeId", "int32", "2+"),
      structs("listeners", "Listener", "2+", [
        field("name", "string", "2+"),
        field("host", "string", "2+"),
        field("port", "uint16", "2+"),
      ]),
    ]),
  ],
});
