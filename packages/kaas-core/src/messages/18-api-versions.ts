import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * ApiVersions (key 18): says which APIs a broker serves, in which versions.
 *
 * - v2: throttled clients wait by themselves (KIP-219)
 * - v3: name and version of the client (KIP-511), feature levels of the cluster (KIP-584). The answer's header keeps
 *   its oldest form, so that every client can read it
 * - v4: features whose lowest level is 0 are listed (KAFKA-17011)
 * - v5: cluster and node that the client believes it talks to, REBOOTSTRAP_REQUIRED (KIP-1242)
 */
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
