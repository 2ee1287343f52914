import { api, type ApiSchema, field, list, structs } from "./schema.js";

/** ListGroups (key 16). */
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
