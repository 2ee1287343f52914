import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * WriteTxnMarkers (key 27): writes the markers that end transactions; from coordinators, and from an administrator who
 * aborts one (KIP-98, KIP-664).
 *
 * - v2: the transaction version of each marker (KIP-1228)
 */
export const writeTxnMarkersApi: ApiSchema = api(27, "WriteTxnMarkers", "0-2", "1+", {
  request: [
    structs("markers", "WritableTxnMarker", "0+", [
      field("producerId", "int64", "0+"),
      field("producerEpoch", "int16", "0+"),
      field("transactionResult", "bool", "0+"),
      structs("topics", "WritableTxnMarkerTopic", "0+", [
        field("name", "string", "0+"),
        list("partitionIndexes", "int32", "0+"),
      ]),
      field("coordinatorEpoch", "int32", "0+"),
      field("transactionVersion", "int8", "2+"),
    ]),
  ],
  response: [
    structs("markers", "WritableTxnMarkerResult", "0+", [
      field("producerId", "int64", "0+"),
      structs("topics", "WritableTxnMarkerTopicResult", "0+", [
        field("name", "string", "0+"),
        structs("partitions", "WritableTxnMarkerPartitionResult", "0+", [
          field("partitionIndex", "int32", "0+"),
          field("errorCode", "int16", "0+"),
        ]),
      ]),
    ]),
  ],
});
