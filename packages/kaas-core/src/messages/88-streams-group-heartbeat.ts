import { api, type ApiSchema, field, list, struct, structs } from "./schema.js";

/**
 * StreamsGroupHeartbeat (key 88): is what ConsumerGroupHeartbeat is, for members of a Kafka Streams application
 * (KIP-1071).
 *
 * - v1: whether the broker lacks the topology's description (KIP-1331); a wider recovery lag; MISSING_CLIENT_TAGS
 */
export const streamsGroupHeartbeatApi: ApiSchema = api(88, "StreamsGroupHeartbeat", "0-1", "0+", {
  request: [
    field("groupId", "string", "0+"),
    field("memberId", "string", "0+"),
    field("memberEpoch", "int32", "0+"),
    field("endpointInformationEpoch", "int32", "0+"),
    field("instanceId", "string", "0+", { nullable: "0+", default: null }),
    field("rackId", "string", "0+", { nullable: "0+", default: null }),
    field("rebalanceTimeoutMs", "int32", "0+", { default: -1 }),
    struct(
      "topology",
      "Topology",
      "0+",
      [
        field("epoch", "int32", "0+"),
        structs("subtopologies", "Subtopology", "0+", [
          field("subtopologyId", "string", "0+"),
          list("sourceTopics", "string", "0+"),
          list("sourceTopicRegex", "string", "0+"),
          structs("stateChangelogTopics", "TopicInfo", "0+", [
            field("name", "string", "0+"),
            field("partitions", "int32", "0+"),
            field("replicationFactor", "int16", "0+"),
            structs("topicConfigs", "KeyValue", "0+", [field("key", "string", "0+"), field("value", "string", "0+")]),
          ]),
          list("repartitionSinkTopics", "string", "0+"),
          structs("repartitionSourceTopics", "TopicInfo", "0+", [
            field("name", "string", "0+"),
            field("partitions", "int32", "0+"),
            field("replicationFactor", "int16", "0+"),
            structs("topicConfigs", "KeyValue", "0+", [field("key", "string", "0+"), field("value", "string", "0+")]),
          ]),
          structs("copartitionGroups", "CopartitionGroup", "0+", [
            list("sourceTopics", "int16", "0+"),
            list("sourceTopicRegex", "int16", "0+"),
            list("repartitionSourceTopics", "int16", "0+"),
          ]),
        ]),
      ],
      { nullable: "0+", default: null },
    ),
    structs(
      "activeTasks",
      "TaskIds",
      "0+",
      [field("subtopologyId", "string", "0+"), list("partitions", "int32", "0+")],
      { nullable: "0+", default: null },
    ),
    structs(
      "standbyTasks",
      "TaskIds",
      "0+",
      [field("subtopologyId", "string", "0+"), list("partitions", "int32", "0+")],
      { nullable: "0+", default: null },
    ),
    structs(
      "warmupTasks",
      "TaskIds",
      "0+",
      [field("subtopologyId", "string", "0+"), list("partitions", "int32", "0+")],
      { nullable: "0+", default: null },
    ),
    field("processId", "string", "0+", { nullable: "0+", default: null }),
    struct("userEndpoint", "Endpoint", "0+", [field("host", "string", "0+"), field("port", "uint16", "0+")], {
      nullable: "0+",
      default: null,
    }),
    structs("clientTags", "KeyValue", "0+", [field("key", "string", "0+"), field("value", "string", "0+")], {
      nullable: "0+",
      default: null,
    }),
    structs(
      "taskOffsets",
      "TaskOffset",
      "0+",
      [field("subtopologyId", "string", "0+"), field("partition", "int32", "0+"), field("offset", "int64", "0+")],
      { nullable: "0+", default: null },
    ),
    structs(
      "taskEndOffsets",
      "TaskOffset",
      "0+",
      [field("subtopologyId", "string", "0+"), field("partition", "int32", "0+"), field("offset", "int64", "0+")],
      { nullable: "0+", default: null },
    ),
    field("shutdownApplication", "bool", "0+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
    field("memberId", "string", "0+"),
    field("memberEpoch", "int32", "0+"),
    field("heartbeatIntervalMs", "int32", "0+"),
    field("acceptableRecoveryLagLegacy", "int32", "0"),
    field("taskOffsetIntervalMs", "int32", "0+"),
    field("acceptableRecoveryLag", "int64", "1+", { default: -1 }),
    structs("status", "Status", "0+", [field("statusCode", "int8", "0+"), field("statusDetail", "string", "0+")], {
      nullable: "0+",
    }),
    structs(
      "activeTasks",
      "TaskIds",
      "0+",
      [field("subtopologyId", "string", "0+"), list("partitions", "int32", "0+")],
      { nullable: "0+", default: null },
    ),
    structs(
      "standbyTasks",
      "TaskIds",
      "0+",
      [field("subtopologyId", "string", "0+"), list("partitions", "int32", "0+")],
      { nullable: "0+", default: null },
    ),
    structs(
      "warmupTasks",
      "TaskIds",
      "0+",
      [field("subtopologyId", "string", "0+"), list("partitions", "int32", "0+")],
      { nullable: "0+", default: null },
    ),
    field("topologyDescriptionRequired", "bool", "1+"),
    field("endpointInformationEpoch", "int32", "0+"),
    structs(
      "partitionsByUserEndpoint",
      "EndpointToPartitions",
      "0+",
      [
        struct("userEndpoint", "Endpoint", "0+", [field("host", "string", "0+"), field("port", "uint16", "0+")]),
        structs("activePartitions", "TopicPartition", "0+", [
          field("topic", "string", "0+"),
          list("partitions", "int32", "0+"),
        ]),
        structs("standbyPartitions", "TopicPartition", "0+", [
          field("topic", "string", "0+"),
          list("partitions", "int32", "0+"),
        ]),
      ],
      { nullable: "0+", default: null },
    ),
  ],
});
