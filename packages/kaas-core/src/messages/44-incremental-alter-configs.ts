import { api, type ApiSchema, field, structs } from "./schema.js";

/** IncrementalAlterConfigs (key 44): sets, deletes, appends to and subtracts from single configs (KIP-339). */
export const incrementalAlterConfigsApi: ApiSchema = api(44, "IncrementalAlterConfigs", "0-1", "1+", {
  request: [
    structs("resources", "AlterConfigsResource", "0+", [
      field("resourceType", "int8", "0+"),
      field("resourceName", "string", "0+"),
      structs("configs", "AlterableConfig", "0+", [
        field("name", "string", "0+"),
        field("configOperation", "int8", "0+"),
        field("value", "string", "0+", { nullable: "0+" }),
      ]),
    ]),
    field("validateOnly", "bool", "0+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("responses", "AlterConfigsResourceResponse", "0+", [
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "0+", { nullable: "0+" }),
      field("resourceType", "int8", "0+"),
      field("resourceName", "string", "0+"),
    ]),
  ],
});
