import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * DeleteTopics (key 20): deletes topics.
 *
 * - v2: throttled clients wait by themselves (KIP-219)
 * - v3: TOPIC_DELETION_DISABLED (KIP-322)
 * - v5: error messages, THROTTLING_QUOTA_EXCEEDED (KIP-599)
 * - v6: by name or by id (KIP-516)
 */
export const deleteTopicsApi: ApiSchema = api(20, "DeleteTopics", "0-6", "4+", {
  request: [
    structs("topics", "DeleteTopicState", "6+", [
      field("name", "string", "6+", { nullable: "6+", default: null }),
      field("topicId", "uuid", "6+"),
    ]),
    list("topicNames", "string", "0-5"),
    field("timeoutMs", "int32", "0+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "1+"),
    structs("responses", "DeletableTopicResult", "0+", [
      field("name", "string", "0+", { nullable: "6+" }),
      field("topicId", "uuid", "6+"),
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "5+", { nullable: "5+", default: null }),
    ]),
  ],
});
