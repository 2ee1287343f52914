import { api, type ApiSchema, field, list, struct, structs } from "./schema.js";

/**
 * StreamsGroupDescribe (key 89): describes streams groups (KIP-1071).
 *
 * - v1: the topology's description (KIP-1331), the assignor (KIP-1357)
 */
export const streamsGroupDescribeApi: ApiSchema = api(89, "StreamsGroupDescribe", "0-1", "0+", {
  request: [
    list("groupIds", "string", "0+"),
    field("includeAuthorizedOperations", "bool", "0+"),
    field("includeTopologyDescription", "bool", "1+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("groups", "DescribedGroup", "0+", [
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
      field("groupId", "string", "0+"),
      field("groupState", "string", "0+"),
      field("groupEpoch", "int32", "0+"),
      field("assignmentEpoch", "int32", "0+"),
      struct(
        "topology",
        "Topology",
        "0+",
        [
          field("epoch", "int32", "0+"),
          structs(
            "subtopologies",
            "Subtopology",
            "0+",
            [
              field("subtopologyId", "string", "0+"),
              list("sourceTopics", "string", "0+"),
              list("repartitionSinkTopics", "string", "0+"),
              structs("stateChangelogTopics", "TopicInfo", "0+", [
                field("name", "string", "0+"),
                field("partitions", "int32", "0+"),
                field("replicationFactor", "int16", "0+"),
                structs("topicConfigs", "KeyValue", "0+", [
                  field("key", "string", "0+"),
                  field("value", "string", "0+"),
                ]),
              ]),
              structs("repartitionSourceTopics", "TopicInfo", "0+", [
                field("name", "string", "0+"),
                field("partitions", "int32", "0+"),
                field("replicationFactor", "int16", "0+"),
                structs("topicConfigs", "KeyValue", "0+", [
                  field("key", "string", "0+"),
                  field("value", "string", "0+"),
                ]),
              ]),
            ],
            { nullable: "0+", default: null },
          ),
        ],
        { nullable: "0+", default: null },
      ),
      structs("members", "Member", "0+", [
        field("memberId", "string", "0+"),
        field("memberEpoch", "int32", "0+"),
        field("instanceId", "string", "0+", { nullable: "0+", default: null }),
        field("rackId", "string", "0+", { nullable: "0+", default: null }),
        field("clientId", "string", "0+"),
        field("clientHost", "string", "0+"),
        field("topologyEpoch", "int32", "0+"),
        field("processId", "string", "0+"),
        struct("userEndpoint", "Endpoint", "0+", [field("host", "string", "0+"), field("port", "uint16", "0+")], {
          nullable: "0+",
          default: null,
        }),
        structs("clientTags", "KeyValue", "0+", [field("key", "string", "0+"), field("value", "string", "0+")]),
        structs("taskOffsets", "TaskOffset", "0+", [
          field("subtopologyId", "string", "0+"),
          field("partition", "int32", "0+"),
          field("offset", "int64", "0+"),
        ]),
        structs("taskEndOffsets", "TaskOffset", "0+", [
          field("subtopologyId", "string", "0+"),
          field("partition", "int32", "0+"),
          field("offset", "int64", "0+"),
        ]),
        struct("assignment", "Assignment", "0+", [
          structs("activeTasks", "TaskIds", "0+", [
            field("subtopologyId", "string", "0+"),
            list("partitions", "int32", "0+"),
          ]),
          structs("standbyTasks", "TaskIds", "0+", [
            field("subtopologyId", "string", "0+"),
            list("partitions", "int32", "0+"),
          ]),
          structs("warmupTasks", "TaskIds", "0+", [
            field("subtopologyId", "string", "0+"),
            list("partitions", "int32", "0+"),
          ]),
        ]),
        struct("targetAssignment", "Assignment", "0+", [
          structs("activeTasks", "TaskIds", "0+", [
            field("subtopologyId", "string", "0+"),
            list("partitions", "int32", "0+"),
          ]),
          structs("standbyTasks", "TaskIds", "0+", [
            field("subtopologyId", "string", "0+"),
            list("partitions", "int32", "0+"),
          ]),
          structs("warmupTasks", "TaskIds", "0+", [
            field("subtopologyId", "string", "0+"),
            list("partitions", "int32", "0+"),
          ]),
        ]),
        field("isClassic", "bool", "0+"),
      ]),
      field("authorizedOperations", "int32", "0+", { default: -2147483648 }),
      struct(
        "topologyDescription",
        "TopologyDescription",
        "1+",
        [
          structs("subtopologies", "TopologyDescriptionSubtopology", "1+", [
            field("subtopologyId", "string", "1+"),
            structs("nodes", "TopologyDescriptionNode", "1+", [
              field("name", "string", "1+"),
              field("nodeType", "int8", "1+"),
              list("sourceTopics", "string", "1+"),
              field("sinkTopic", "string", "1+", { nullable: "1+", default: null }),
              list("stores", "string", "1+"),
              list("successors", "string", "1+"),
            ]),
          ]),
          structs("globalStores", "TopologyDescriptionGlobalStore", "1+", [
            struct("source", "TopologyDescriptionNode", "1+", [
              field("name", "string", "1+"),
              field("nodeType", "int8", "1+"),
              list("sourceTopics", "string", "1+"),
              field("sinkTopic", "string", "1+", { nullable: "1+", default: null }),
              list("stores", "string", "1+"),
              list("successors", "string", "1+"),
            ]),
            struct("processor", "TopologyDescriptionNode", "1+", [
              field("name", "string", "1+"),
              field("nodeType", "int8", "1+"),
              list("sourceTopics", "string", "1+"),
              field("sinkTopic", "string", "1+", { nullable: "1+", default: null }),
              list("stores", "string", "1+"),
              list("successors", "string", "1+"),
            ]),
          ]),
        ],
        { nullable: "1+", default: null },
      ),
      field("topologyDescriptionStatus", "int8", "1+"),
      field("assignorName", "string", "1+", { nullable: "1+", default: null }),
    ]),
  ],
});
