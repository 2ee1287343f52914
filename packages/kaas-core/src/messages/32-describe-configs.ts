import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * DescribeConfigs (key 32): reads configs of topics, brokers, groups and client metrics (KIP-133).
 *
 * - v1: where a value comes from and what it overrides (KIP-226)
 * - v2: throttled clients wait by themselves (KIP-219)
 * - v3: type and documentation (KIP-569)
 */
export const describeConfigsApi: ApiSchema = api(32, "DescribeConfigs", "0-4", "4+", {
  request: [
    structs("resources", "DescribeConfigsResource", "0+", [
      field("resourceType", "int8", "0+"),
      field("resourceName", "string", "0+"),
      list("configurationKeys", "string", "0+", { nullable: "0+" }),
    ]),
    field("includeSynonyms", "bool", "1+"),
    field("includeDocumentation", "bool", "3+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("results", "DescribeConfigsResult", "0+", [
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "0+", { nullable: "0+" }),
      field("resourceType", "int8", "0+"),
      field("resourceName", "string", "0+"),
      structs("configs", "DescribeConfigsResourceResult", "0+", [
        field("name", "string", "0+"),
        field("value", "string", "0+", { nullable: "0+" }),
        field("readOnly", "bool", "0+"),
        field("isDefault", "bool", "0"),
        field("configSource", "int8", "1+", { default: -1 }),
        field("isSensitive", "bool", "0+"),
        structs("synonyms", "DescribeConfigsSynonym", "1+", [
          field("name", "string", "1+"),
          field("value", "string", "1+", { nullable: "0+" }),
          field("source", "int8", "1+"),
        ]),
        field("configType", "int8", "3+"),
        field("documentation", "string", "3+", { nullable: "0+" }),
      ]),
    ]),
  ],
});
