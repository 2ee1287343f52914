import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * ElectLeaders (key 43): elects leaders of partitions (KIP-183).
 *
 * - v1: unclean elections too; an error of the request as a whole (KIP-460)
 */
export const electLeadersApi: ApiSchema = api(43, "ElectLeaders", "0-2", "2+", {
  request: [
    field("electionType", "int8", "1+"),
    structs(
      "topicPartitions",
      "TopicPartitions",
      "0+",
      [field("topic", "string", "0+"), list("partitions", "int32", "0+")],
      { nullable: "0+" },
    ),
    field("timeoutMs", "int32", "0+", { default: 60000 }),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "1+"),
    structs("replicaElectionResults", "ReplicaElectionResult", "0+", [
      field("topic", "string", "0+"),
      structs("partitionResult", "PartitionResult", "0+", [
        field("partitionId", "int32", "0+"),
        field("errorCode", "int16", "0+"),
        field("errorMessage", "string", "0+", { nullable: "0+" }),
      ]),
    ]),
  ],
});
