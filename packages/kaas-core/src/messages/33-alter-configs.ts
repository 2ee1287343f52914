import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * AlterConfigs (key 33): replaces all configs of a resource (KIP-133); IncrementalAlterConfigs has taken its place.
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 */
export const alterConfigsApi: ApiSchema = api(33, "AlterConfigs", "0-2", "2+", {
  request: [
    structs("resources", "AlterConfigsResource", "0+", [
      field("resourceType", "int8", "0+"),
      field("resourceName", "string", "0+"),
      structs("configs", "AlterableConfig", "0+", [
        field("name", "string", "0+"),
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
