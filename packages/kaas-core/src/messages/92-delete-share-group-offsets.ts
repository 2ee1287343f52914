import { api, type ApiSchema, field, structs } from "./schema.js";

/** DeleteShareGroupOffsets (key 92): deletes an empty share group's offsets (KIP-932). */
export const deleteShareGroupOffsetsApi: ApiSchema = api(92, "DeleteShareGroupOffsets", "0", "0+", {
  request: [
    field("groupId", "string", "0+"),
    structs("topics", "DeleteShareGroupOffsetsRequestTopic", "0+", [field("topicName", "string", "0+")]),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
    structs("responses", "DeleteShareGroupOffsetsResponseTopic", "0+", [
      field("topicName", "string", "0+"),
      field("topicId", "uuid", "0+"),
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "0+", { nullable: "0+", default: null }),
    ]),
  ],
});
