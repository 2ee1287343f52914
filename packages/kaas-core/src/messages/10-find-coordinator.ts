import { api, type ApiSchema, field, list, structs } from "./schema.js";

/** FindCoordinator (key 10). */
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
