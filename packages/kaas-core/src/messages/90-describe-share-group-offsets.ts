import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * DescribeShareGroupOffsets (key 90): reads where share groups stand in their partitions (KIP-932).
 *
 * - v1: lag (KIP-1226)
 */
export const describeShareGroupOffsetsApi: ApiSchema = api(90, "DescribeShareGroupOffsets", "0-1", "0+", {
  request: [
    structs("groups", "DescribeShareGroupOffsetsRequestGroup", "0+", [
      field("groupId", "string", "0+"),
      structs(
        "topics",
        "DescribeShareGroupOffsetsRequestTopic",
        "0+",
        [field("topicName", "string", "0+"), list("partitions", "int32", "0+")],
        { nullable: "0+" },
      ),
    ]),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("groups", "DescribeShareGroupOffsetsResponseGroup", "0+", [
      field("groupId", "string", "0+"),
      structs("topics", "DescribeShareGroupOffsetsResponseTopic", "0+", [
        field("topicName", "string", "0+"),
        field("topicId", "uuid", "0+"),
        structs("partitions", "DescribeShareGroupOffsetsResponsePartition", "0+", [
          field("partitionIndex", "int32", "0+"),
          field("startOffset", "int64", "0+"),
          field("leaderEpoch", "int32", "0+"),
          field("lag", "int64", "1+", { default: -1 }),
          field("errorCode", "int16", "0+"),
          field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
        ]),
      ]),
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
    ]),
  ],
});
