import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * JoinGroup (key 11): enters a classic group, or takes part in its next rebalance.
 *
 * - v1: rebalance timeout apart from session timeout (KIP-62)
 * - v3: throttled clients wait by themselves (KIP-219)
 * - v4: a member without an id is given one and must ask again, MEMBER_ID_REQUIRED (KIP-394)
 * - v5: static members (KIP-345)
 * - v7: the protocol's type in the answer (KIP-559)
 * - v8: the reason for joining (KIP-800)
 * - v9: the leader may be told to skip the assignment (KIP-814)
 */
export const joinGroupApi: ApiSchema = api(11, "JoinGroup", "0-9", "6+", {
  request: [
    field("groupId", "string", "0+"),
    field("sessionTimeoutMs", "int32", "0+"),
    field("rebalanceTimeoutMs", "int32", "1+", { default: -1 }),
    field("memberId", "string", "0+"),
    field("groupInstanceId", "string", "5+", { nullable: "5+", default: null }),
    field("protocolType", "string", "0+"),
    structs("protocols", "JoinGroupRequestProtocol", "0+", [
      field("name", "string", "0+"),
      field("metadata", "bytes", "0+"),
    ]),
    field("reason", "string", "8+", { nullable: "8+", default: null }),
  ],
  response: [
    field("throttleTimeMs", "int32", "2+"),
    field("errorCode", "int16", "0+"),
    field("generationId", "int32", "0+", { default: -1 }),
    field("protocolType", "string", "7+", { nullable: "7+", default: null }),
    field("protocolName", "string", "0+", { nullable: "7+" }),
    field("leader", "string", "0+"),
    field("skipAssignment", "bool", "9+"),
    field("memberId", "string", "0+"),
    structs("members", "JoinGroupResponseMember", "0+", [
      field("memberId", "string", "0+"),
      field("groupInstanceId", "string", "5+", { nullable: "5+", default: null }),
      field("metadata", "bytes", "0+"),
    ]),
  ],
});
