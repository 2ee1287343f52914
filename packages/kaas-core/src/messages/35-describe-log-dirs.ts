import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * DescribeLogDirs (key 35): says what lies in a broker's log directories (KIP-113).
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 * - v3: an error of the request as a whole
 * - v4: total and usable bytes of each directory (KIP-827)
 * - v5: whether a directory takes no new partitions (KIP-1066)
 */
export const describeLogDirsApi: ApiSchema = api(35, "DescribeLogDirs", "0-5", "2+", {
  request: [
    structs(
      "topics",
      "DescribableLogDirTopic",
      "0+",
      [field("topic", "string", "0+"), list("partitions", "int32", "0+")],
      { nullable: "0+" },
    ),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "3+"),
    structs("results", "DescribeLogDirsResult", "0+", [
      field("errorCode", "int16", "0+"),
      field("logDir", "string", "0+"),
      structs("topics", "DescribeLogDirsTopic", "0+", [
        field("name", "string", "0+"),
        structs("partitions", "DescribeLogDirsPartition", "0+", [
          field("partitionIndex", "int32", "0+"),
          field("partitionSize", "int64", "0+"),
          field("offsetLag", "int64", "0+"),
          field("isFutureKey", "bool", "0+"),
        ]),
      ]),
      field("totalBytes", "int64", "4+", { default: -1 }),
      field("usableBytes", "int64", "4+", { default: -1 }),
      field("isCordoned", "bool", "5+"),
    ]),
  ],
});
