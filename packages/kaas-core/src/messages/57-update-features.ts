import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * UpdateFeatures (key 57): changes the feature levels of the cluster (KIP-584).
 *
 * - v1: upgrade, safe or unsafe downgrade; `validateOnly` (KIP-778)
 * - v2: no results for single features (KIP-1022)
 */
export const updateFeaturesApi: ApiSchema = api(57, "UpdateFeatures", "0-2", "0+", {
  request: [
    field("timeoutMs", "int32", "0+", { default: 60000 }),
    structs("featureUpdates", "FeatureUpdateKey", "0+", [
      field("feature", "string", "0+"),
      field("maxVersionLevel", "int16", "0+"),
      field("allowDowngrade", "bool", "0"),
      field("upgradeType", "int8", "1+", { default: 1 }),
    ]),
    field("validateOnly", "bool", "1+"),
  ],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    field("errorCode", "int16", "0+"),
    field("errorMessage", "string", "0+", { nullable: "0+" }),
    structs("results", "UpdatableFeatureResult", "0-1", [
      field("feature", "string", "0+"),
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "0+", { nullable: "0+" }),
    ]),
  ],
});
