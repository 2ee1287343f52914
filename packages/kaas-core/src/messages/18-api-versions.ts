import { api, type ApiSchema, field, structs } from "./schema.js";

/** ApiVersions (key 18). */
export const apiVersionsApi: ApiSchema = api(18, "ApiVersions", "0-5", "3+", {
  request: [
    field("clientSoftwareName", "string", "3+"),
    field("clientSoftwareVersion", "string", "3+"),
    field("clusterId", "string", "5+", { nullable: "5+", default: null }),
    field("nodeId", "int32", "5+", { default: -1 }),
  ],
  response: [
    field("errorCode", "int16", "0+"),
    structs("apiKeys", "ApiVersion", "0+", [
      field("apiKey", "int16", "0+"),
      field("minVersion", "int16", "0+"),
      field("maxVersion", "int16", "0+"),
    ]),
    field("throttleTimeMs", "int32", "1+"),
    structs(
      "supportedFeatures",
      "SupportedFeatureKey",
      "3+",
      [field("name", "string", "3+"), field("minVersion", "int16", "3+"), field("maxVersion", "int16", "3+")],
      { tag: 0 },
    ),
    field("finalizedFeaturesEpoch", "int64", "3+", { default: -1, tag: 1 }),
    structs(
      "finalizedFeatures",
      "FinalizedFeatureKey",
      "3+",
      [field("name", "string", "3+"), field("maxVersionLevel", "int16", "3+"), field("minVersionLevel", "int16", "3+")],
      { tag: 2 },
    ),
    field("zkMigrationReady", "bool", "3+", { tag: 3 }),
  ],
});
