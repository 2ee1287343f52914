import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * CreateTopics (key 19): creates topics.
 *
 * - v1: `validateOnly`, error messages (KIP-4)
 * - v3: throttled clients wait by themselves (KIP-219)
 * - v4: the broker's defaults for partitions and replication factor, asked for by -1 (KIP-464)
 * - v5: what came out: partitions, replication factor, configs (KIP-525)
 * - v6: THROTTLING_QUOTA_EXCEEDED (KIP-599)
 * - v7: topic ids (KIP-516)
 */
export const createTopicsApi: ApiSchema = api(19, "CreateTopics", "0-7", "5+", {
  request: [
    structs("topics", "CreatableTopic", "0+", [
      field("name", "string", "0+"),
      field("numPartitions", "int32", "0+"),
      field("replicationFactor", "int16", "0+"),
      structs("assignments", "CreatableReplicaAssignment", "0+", [
        field("partitionIndex", "int32", "0+"),
        list("brokerIds", "int32", "0+"),
      ]),
      structs("configs", "CreatableTopicConfig", "0+", [
        field("name", "string", "0+"),
        field("value", "string", "0+", { nullable: "0+" }),
      ]),
    ]),
    field("timeoutMs", "int32", "0+", { default: 60000 }),
    field("validateOnly", "bool", "1+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "2+"),
    structs("topics", "CreatableTopicResult", "0+", [
      field("name", "string", "0+"),
      field("topicId", "uuid", "7+"),
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "1+", { nullable: "0+" }),
      field("topicConfigErrorCode", "int16", "5+", { tag: 0 }),
      field("numPartitions", "int32", "5+", { default: -1 }),
      field("replicationFactor", "int16", "5+", { default: -1 }),
      structs(
        "configs",
        "CreatableTopicConfigs",
        "5+",
        [
          field("name", "string", "5+"),
          field("value", "string", "5+", { nullable: "5+" }),
          field("readOnly", "bool", "5+"),
          field("configSource", "int8", "5+", { default: -1 }),
          field("isSensitive", "bool", "5+"),
        ],
        { nullable: "5+" },
      ),
    ]),
  ],
});
