import { api, type ApiSchema, field, structs } from "./schema.js";

/** AlterClientQuotas (key 49): changes client quotas (KIP-546). */
export const alterClientQuotasApi: ApiSchema = api(49, "AlterClientQuotas", "0-1", "1+", {
  request: [
    structs("entries", "EntryData", "0+", [
      structs("entity", "EntityData", "0+", [
        field("entityType", "string", "0+"),
        field("entityName", "string", "0+", { nullable: "0+" }),
      ]),
      structs("ops", "OpData", "0+", [
        field("key", "string", "0+"),
        field("value", "float64", "0+"),
        field("remove", "bool", "0+"),
      ]),
    ]),
    field("validateOnly", "bool", "0+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("entries", "EntryData", "0+", [
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "0+", { nullable: "0+" }),
      structs("entity", "EntityData", "0+", [
        field("entityType", "string", "0+"),
        field("entityName", "string", "0+", { nullable: "0+" }),
      ]),
    ]),
  ],
});
