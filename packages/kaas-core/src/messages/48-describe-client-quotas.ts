import { api, type ApiSchema, field, structs } from "./schema.js";

/** DescribeClientQuotas (key 48): reads client quotas (KIP-546). */
export const describeClientQuotasApi: ApiSchema = api(48, "DescribeClientQuotas", "0-1", "1+", {
  request: [
    structs("components", "ComponentData", "0+", [
      field("entityType", "string", "0+"),
      field("matchType", "int8", "0+"),
      field("match", "string", "0+", { nullable: "0+" }),
    ]),
    field("strict", "bool", "0+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+" }),
    structs(
      "entries",
      "EntryData",
      "0+",
      [
        structs("entity", "EntityData", "0+", [
          field("entityType", "string", "0+"),
          field("entityName", "string", "0+", { nullable: "0+" }),
        ]),
        structs("values", "ValueData", "0+", [field("key", "string", "0+"), field("value", "float64", "0+")]),
      ],
      { nullable: "0+" },
    ),
  ],
});
