import { api, type ApiSchema, field, structs } from "./schema.js";

/**
 * SyncGroup (key 14): hands the leader's assignment in, and each member's part out.
 *
 * - v2: throttled clients wait by themselves (KIP-219)
 * - v3: static members (KIP-345)
 * - v5: the protocol's type and name, checked and answered (KIP-559)
 */
export const syncGroupApi: ApiSchema = api(14, "SyncGroup", "0-5", "4+", {
  request: [
    field("groupId", "string", "0+"),
    field("generationId", "int32", "0+"),
    field("memberId", "string", "0+"),
    field("groupInstanceId", "string", "3+", { nullable: "3+", default: null }),
    field("protocolType", "string", "5+", { nullable: "5+", default: null }),
    field("protocolName", "string", "5+", { nullable: "5+", default: null }),
    structs("assignments", "SyncGroupRequestAssignment", "0+", [
      field("memberId", "string", "0+"),
      field("assignment", "bytes", "0+"),
    ]),
  ],
  response: [
    field("throttleTimeMs", "int32", "1+"),
    field("errorCode", "int16", "0+"),
    field("protocolType", "string", "5+", { nullable: "5+", default: null }),
    field("protocolName", "string", "5+", { nullable: "5+", default: null }),
    field("assignment", "bytes", "0+"),
  ],
});
