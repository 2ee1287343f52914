import { api, type ApiSchema, field } from "./schema.js";

/**
 * Heartbeat (key 12): keeps a member of a classic group alive, and tells it of rebalances.
 *
 * - v2: throttled clients wait by themselves (KIP-219)
 * - v3: static members (KIP-345)
 */
export const heartbeatApi: ApiSchema = api(12, "Heartbeat", "0-4", "4+", {
  request: [
    field("groupId", "string", "0+"),
    field("generationId", "int32", "0+"),
    field("memberId", "string", "0+"),
    field("groupInstanceId", "string", "3+", { nullable: "3+", default: null }),
  ],
  response: [field("throttleTimeMs", "int32", "1+"), field("errorCode", "int16", "0+")],
});
