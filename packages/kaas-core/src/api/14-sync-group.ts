/**
 * SyncGroup (key 14), versions 0-5.
 *
 * The leader of a classic group brings the assignment, the other members fetch theirs.
 *
 * - v3: the instance id of a static member (KIP-345).
 * - v5: protocol type and name, which must be those of the group (KIP-559).
 */
import { ErrorCode } from "../errors/error-codes.js";
import { syncError } from "../groups/classic/classic-requests.js";
import type { SyncGroupRequest, SyncGroupResponseInit } from "../messages/generated/index.js";
import type { ApiHandler } from "./api-handler.js";

export const syncGroup: ApiHandler<SyncGroupRequest, SyncGroupResponseInit> = {
  key: 14,
  versionMin: 0,
  versionMax: 5,

  handle(context, request) {
    if (!context.connection.access.may("READ", "GROUP", request.groupId)) {
      return this.fail(request, ErrorCode.GROUP_AUTHORIZATION_FAILED);
    }
    const namesProtocol = request.protocolType !== null && request.protocolName !== null;
    if (context.apiVersion >= 5 && !namesProtocol) return syncError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL);
    return context.broker.groups.sync(request);
  },

  fail(_request, errorCode) {
    return syncError(errorCode);
  },
};
