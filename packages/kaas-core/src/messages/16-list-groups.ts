import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * ListGroups (key 16): lists the groups that a broker coordinates.
 *
 * - v2: throttled clients wait by themselves (KIP-219)
 * - v4: only groups in some states; states in the answer (KIP-518)
 * - v5: only groups of some types; types in the answer (KIP-848)
 */
export const listGroupsApi: ApiSchema = api(16, "ListGroups", "0-5", "3+", {
  request: [list("statesFilter", "string", "4+"), list("typesFilter", "string", "5+")],
  response: [
    field("throttleTimeMs", "int32", "1+"),
    field("errorCode", "int16", "0+"),
    structs("groups", "ListedGroup", "0+", [
      field("groupId", "string", "0+"),
      field("protocolType", "string", "0+"),
      field("groupState", "string", "4+"),
      field("groupType", "string", "5+"),
    ]),
  ],
});
