import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * DeleteGroups (key 42): deletes groups that are empty (KIP-229).
 *
 * - v1: throttled clients wait by themselves (KIP-219)
 * - v3: error messages
 */
export const deleteGroupsApi: ApiSchema = api(42, "DeleteGroups", "0-3", "2+", {
  request: [list("groupsNames", "string", "0+")],
  response: [
    field("throttleTimeMs", "int32", "0+"),
    structs("results", "DeletableGroupResult", "0+", [
      field("groupId", "string", "0+"),
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "3+", { nullable: "3+", default: null }),
    ]),
  ],
});
