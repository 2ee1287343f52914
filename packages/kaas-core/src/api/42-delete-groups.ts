/**
 * DeleteGroups (key 42), versions 0-3.
 *
 * Deletes groups that have no members, with all they committed (KIP-229). Answered once it is durable.
 *
 * - v3: errors may have a message; the code says it all here.
 */
import { ErrorCode } from "../errors/error-codes.js";
import type { DeleteGroupsRequest, DeleteGroupsResponseInit } from "../messages/generated/index.js";
import type { ApiHandler } from "./api-handler.js";

export const deleteGroups: ApiHandler<DeleteGroupsRequest, DeleteGroupsResponseInit> = {
  key: 42,
  versionMin: 0,
  versionMax: 3,

  async handle({ broker, connection }, request) {
    // A group that is named twice is deleted, and answered, once.
    const groupIds = [...new Set(request.groupsNames)];
    const results = await Promise.all(
      groupIds.map(async (groupId) => ({
        groupId,
        errorCode: connection.access.may("DELETE", "GROUP", groupId)
          ? await broker.groups.deleteGroup(groupId)
          : ErrorCode.GROUP_AUTHORIZATION_FAILED,
      })),
    );
    return { throttleTimeMs: 0, results };
  },

  fail(request, errorCode) {
    return { throttleTimeMs: 0, results: request.groupsNames.map((groupId) => ({ groupId, errorCode })) };
  },
};
