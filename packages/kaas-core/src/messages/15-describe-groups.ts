import { api, type ApiSchema, field, list, structs } from "./schema.js";

/**
 * DescribeGroups (key 15): describes groups as the classic protocol sees them.
 *
 * - v2: throttled clients wait by themselves (KIP-219)
 * - v3: authorized operations, when asked for (KIP-430)
 * - v4: static members (KIP-345)
 * - v6: GROUP_ID_NOT_FOUND with a message for a group that is not there, before that the state `Dead` (KIP-1043)
 */
export const describeGroupsApi: ApiSchema = api(15, "DescribeGroups", "0-6", "5+", {
  request: [list("groups", "string", "0+"), field("includeAuthorizedOperations", "bool", "3+")],
  response: [
    field("throttleTimeMs", "int32", "1+"),
    structs("groups", "DescribedGroup", "0+", [
      field("errorCode", "int16", "0+"),
      field("errorMessage", "string", "6+", { nullable: "6+", default: null }),
      field("groupId", "string", "0+"),
      field("groupState", "string", "0+"),
      field("protocolType", "string", "0+"),
      field("protocolData", "string", "0+"),
      structs("members", "DescribedGroupMember", "0+", [
        field("memberId", "string", "0+"),
        field("groupInstanceId", "string", "4+", { nullable: "4+", default: null }),
        field("clientId", "string", "0+"),
        field("clientHost", "string", "0+"),
        field("memberMetadata", "bytes", "0+"),
        field("memberAssignment", "bytes", "0+"),
      ]),
      field("authorizedOperations", "int32", "3+", { default: -2147483648 }),
    ]),
  ],
});
