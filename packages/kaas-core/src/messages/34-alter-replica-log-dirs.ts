import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * AlterReplicaLogDirs (key 34): moves replicas between the log directories of a broker (KIP-113).
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 */
export const alterReplicaLogDirsApi: ApiSchema = api(34, "AlterReplicaLogDirs", "0-2", "2+", {
  request: [
    structs("dirs", "AlterReplicaLogDir", "0+", [
      field("path", "string", "0+"),
      structs("topics", "AlterReplicaLogDirTopic", "0+", [
        field("name", "string", "0+"),
        list("partitions", "int32", "0+"),
      ]),
    ]),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("results", "AlterReplicaLogDirTopicResult", "0+", [
      field("topicName", "string", "0+"),
      structs("partitions", "AlterReplicaLogDirPartitionResult", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("errorCode", "int16", "0+"),
      ]),
    ]),
  ],
});
