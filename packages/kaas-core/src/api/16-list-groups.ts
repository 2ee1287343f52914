/**
 * ListGroups (key 16), versions 0-5.
 *
 * Names the groups that this broker coordinates.
 *
 * - v4: their states, and only those in given states (KIP-518).
 * - v5: their types, and only those of given types (KIP-848, KIP-1043).
 */
import { ErrorCode } from "../errors/error-codes.js";
import type { ListGroupsRequest, ListGroupsResponseInit } from "../messages/generated/index.js";
import { CLUSTER_NAME } from "../security/access.js";
import type { ApiHandler } from "./api-handler.js";

export const listGroups: ApiHandler<ListGroupsRequest, ListGroupsResponseInit> = {
  key: 16,
  versionMin: 0,
  versionMax: 5,

  handle(context, request) {
    const groups = context.broker.groups.list({ states: request.statesFilter, types: request.typesFilter });
    if (typeof groups === "number") return { errorCode: groups, groups: [] };
    const { access } = context.connection;
    const seesAll = access.sees("DESCRIBE", "CLUSTER", CLUSTER_NAME);
    const seen = seesAll ? groups : groups.filter(({ groupId }) => access.sees("DESCRIBE", "GROUP", groupId));
    return { errorCode: ErrorCode.NONE, groups: seen };
  },

  fail(_request, errorCode) {
    return { errorCode, groups: [] };
  },
};
