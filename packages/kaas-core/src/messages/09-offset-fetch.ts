import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * OffsetFetch (key 9): reads a group's committed offsets.
 *
 * - v2: null asks for all topics; an error of the group as a whole (KIP-88)
 * - v4: throttled clients wait by themselves (KIP-219)
 * - v5: leader epochs of the offsets (KIP-320)
 * - v7: `requireStable`: wait for open transactions, UNSTABLE_OFFSET_COMMIT (KIP-447)
 * - v8: several groups in one request (KIP-709)
 * - v9: member id and epoch of the consumer protocol (KIP-848)
 * - v10: topic ids in the place of names (KIP-848)
 */
export const offsetFetchApi: ApiSchema = api(9, "OffsetFetch", "0-10", "6+", {
  request: [
    field("groupId", "string", "0-7"),
    structs(
      "topics",
      "OffsetFetchRequestTopic",
      "0-7",
      [field("name", "string", "0-7"), list("partitionIndexes", "int32", "0-7")],
      { nullable: "2-7" },
    ),
    structs("groups", "OffsetFetchRequestGroup", "8+", [
      field("groupId", "string", "8+"),
      field("memberId", "string", "9+", { nullable: "9+", default: null }),
      field("memberEpoch", "int32", "9+", { default: -1 }),
      structs(
        "topics",
        "OffsetFetchRequestTopics",
        "8+",
        [field("name", "string", "8-9"), field("topicId", "uuid", "10+"), list("partitionIndexes", "int32", "8+")],
        { nullable: "8+" },
      ),
    ]),
    field("requireStable", "bool", "7+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "3+"),
    structs("topics", "OffsetFetchResponseTopic", "0-7", [
      field("name", "string", "0-7"),
      structs("partitions", "OffsetFetchResponsePartition", "0-7", [
        field("partitionIndex", "int32", "0-7"),
        field("committedOffset", "int64", "0-7"),
        field("committedLeaderEpoch", "int32", "5-7", { default: -1 }),
        field("metadata", "string", "0-7", { nullable: "0-7" }),
        field("errorCode", "int16", "0-7"),
      ]),
    ]),
    field("errorCode", "int16", "2-7"),
    structs("groups", "OffsetFetchResponseGroup", "8+", [
      field("groupId", "string", "8+"),
      structs("topics", "OffsetFetchResponseTopics", "8+", [
        field("name", "string", "8-9"),
        field("topicId", "uuid", "10+"),
        structs("partitions", "OffsetFetchResponsePartitions", "8+", [
          field("partitionIndex", "int32", "8+"),
          field("committedOffset", "int64", "8+"),
          field("committedLeaderEpoch", "int32", "8+", { default: -1 }),
          field("metadata", "string", "8+", { nullable: "8+" }),
          field("errorCode", "int16", "8+"),
        ]),
      ]),
      field("errorCode", "int16", "8+"),
    ]),
  ],
});
