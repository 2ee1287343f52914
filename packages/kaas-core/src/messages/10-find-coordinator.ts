import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * FindCoordinator (key 10): says which broker coordinates a group, a transactional id or a share group's partition.
 *
 * - v1: what kind of key it is; error messages (KIP-98)
 * - v2: throttled clients wait by themselves (KIP-219)
 * - v4: several keys in one request (KIP-699)
 * - v5: TRANSACTION_ABORTABLE (KIP-890)
 * - v6: kind 2, share groups, keyed `group:topicId:partition` (KIP-932)
 */
export const findCoordinatorApi: ApiSchema = api(10, "FindCoordinator", "0-6", "3+", {
  request: [field("key", "string", "0-3"), field("keyType", "int8", "1+"), list("coordinatorKeys", "string", "4+")],
  response: [
    field("throttleTimeMs", "int32", "1+"),
    field("errorCode", "int16", "0-3"),
    field("errorMessage", "string", "1-3", { nullable: "1-3" }),
    field("nodeId", "int32", "0-3"),
    field("host", "string", "0-3"),
    field("port", "int32", "0-3"),
    structs("coordinators", "Coordinator", "4+", [
      field("key", "string", "4+"),
      field("nodeId", "int32", "4+"),
      field("host", "string", "4+"),
      field("port", "int32", "4+"),
      field("errorCode", "int16", "4+"),
      field("errorMessage", "string", "4+", { nullable: "4+" }),
    ]),
  ],
});
