import { api, type ApiSchema, field, list, struct, structs } from "./schema.js";

/**
 * StreamsGroupTopologyDescriptionUpdate (key 93): hands in the description of a streams group's topology (KIP-1331).
 */
export const streamsGroupTopologyDescriptionUpdateApi: ApiSchema = api(
  93,
  "StreamsGroupTopologyDescriptionUpdate",
  "0",
  "0+",
  {
    request: [
      field("groupId", "string", "0+"),
      field("memberId", "string", "0+"),
      field("topologyEpoch", "int32", "0+"),
      struct("topologyDescription", "TopologyDescription", "0+", [
        structs("subtopologies", "TopologyDescriptionSubtopology", "0+", [
          field("subtopologyId", "string", "0+"),
          structs("nodes", "TopologyDescriptionNode", "0+", [
            field("name", "string", "0+"),
            field("nodeType", "int8", "0+"),
            list("sourceTopics", "string", "0+"),
            field("sinkTopic", "string", "0+", { nullable: "0+", default: null }),
            list("stores", "string", "0+"),
            list("successors", "string", "0+"),
          ]),
        ]),
        structs("globalStores", "TopologyDescriptionGlobalStore", "0+", [
          struct("source", "TopologyDescriptionNode", "0+", [
            field("name", "string", "0+"),
            field("nodeType", "int8", "0+"),
            list("sourceTopics", "string", "0+"),
            field("sinkTopic", "string", "0+", { nullable: "0+", default: null }),
            list("stores", "string", "0+"),
            list("successors", "string", "0+"),
          ]),
          struct("processor", "TopologyDescriptionNode", "0+", [
            field("name", "string", "0+"),
            field("nodeType", "int8", "0+"),
            list("sourceTopics", "string", "0+"),
            field("sinkTopic", "string", "0+", { nullable: "0+", default: null }),
            list("stores", "string", "0+"),
            list("successors", "string", "0+"),
          ]),
        ]),
      ]),
    ],
    response: [
      field("throttleTimeMs", "int32", "0+"),
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
    ],
  },
);
