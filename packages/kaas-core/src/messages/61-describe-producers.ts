import { api, type ApiSchema, field, list, structs } from "./schema.js";

/** DescribeProducers (key 61): lists the producers that a partition remembers (KIP-664). */
export const describeProducersApi: ApiSchema = api(61, "DescribeProducers", "0", "0+", {
  request: [
    structs("topics", "TopicRequest", "0+", [field("name", "string", "0+"), list("partitionIndexes", "int32", "0+")]),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("topics", "TopicResponse", "0+", [
      field("name", "string", "0+"),
      structs("partitions", "PartitionResponse", "0+", [
        field("partitionIndex", "int32", "0+"),
        field("errorCode", "int16", "0+"),
        field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
        structs("activeProducers", "ProducerState", "0+", [
          field("producerId", "int64", "0+"),
          field("producerEpoch", "int32", "0+"),
          field("lastSequence", "int32", "0+", { default: -1 }),
          field("lastTimestamp", "int64", "0+", { default: -1 }),
          field("coordinatorEpoch", "int32", "0+"),
          field("currentTxnStartOffset", "int64", "0+", { default: -1 }),
        ]),
      ]),
    ]),
  ],
});
