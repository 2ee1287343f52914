import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * LeaveGroup (key 13): takes members out of a classic group.
 *
 * - v2: throttled clients wait by themselves (KIP-219)
 * - v3: several members in one request, static ones too, each with an error of its own (KIP-345)
 * - v5: the reason for leaving (KIP-800)
 */
export const leaveGroupApi: ApiSchema = api(13, "LeaveGroup", "0-5", "4+", {
  request: [
    field("groupId", "string", "0+"),
    field("memberId", "string", "0-2"),
    structs("members", "MemberIdentity", "3+", [
      field("memberId", "string", "3+"),
      field("groupInstanceId", "string", "3+", { nullable: "3+", default: null }),
      field("reason", "string", "5+", { nullable: "5+", default: null }),
    ]),
  ],
  response: [
    field("throttleTimeMs", "int32", "1+"),
    field("errorCode", "int16", "0+"),
    structs("members", "MemberResponse", "3+", [
      field("memberId", "string", "3+"),
      field("groupInstanceId", "string", "3+", { nullable: "3+" }),
      field("errorCode", "int16", "3+"),
    ]),
  ],
});
