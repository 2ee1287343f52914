import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * ListConfigResources (key 74): lists the resources that have configs of their own.
 *
 * - v0: client metrics only, under the name ListClientMetricsResources (KIP-714)
 * - v1: groups, topics, brokers too (KIP-1142)
 */
export const listConfigResourcesApi: ApiSchema = api(74, "ListConfigResources", "0-1", "0+", {
  request: [list("resourceTypes", "int8", "1+")],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    structs("configResources", "ConfigResource", "0+", [
      field("resourceName", "string", "0+"),
      field("resourceType", "int8", "1+", { default: 16 }),
    ]),
  ],
});
