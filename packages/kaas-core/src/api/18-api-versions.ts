/**
 * ApiVersions (key 18), versions 0-5.
 *
 * Tells a client which versions of which APIs are served; the first thing that every client asks.
 *
 * - v3 (KIP-511): the client names its software; a malformed name is INVALID_REQUEST.
 * - v3 (KIP-584): supported and finalized features. None are finalized here, so both lists are empty.
 * - v5 (KIP-1242): the client names the cluster and node it believes to talk to; a mismatch is REBOOTSTRAP_REQUIRED,
 *   one without the other INVALID_REQUEST.
 *
 * A version that is too new is answered in version 0 with UNSUPPORTED_VERSION and the range of this API, so that the
 * client can ask again.
 */
import { ErrorCode } from "../errors/error-codes.js";
import type { ApiVersionsRequest, ApiVersionsResponseInit } from "../messages/generated/index.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";
import type { ApiRegistry } from "./api-registry.js";

const SOFTWARE_NAME = /^[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?$/;

/** Node id of a client that does not name one. */
const ANY_NODE = -1;

export const apiVersions: ApiHandler<ApiVersionsRequest, ApiVersionsResponseInit> = {
  key: 18,
  versionMin: 0,
  versionMax: 5,

  handle(context, request) {
    const errorCode = check(context, request);
    if (errorCode !== ErrorCode.NONE) return this.fail(request, errorCode);
    if (context.apiVersion >= 3) {
      context.connection.clientSoftwareName = request.clientSoftwareName;
      context.connection.clientSoftwareVersion = request.clientSoftwareVersion;
    }
    return { errorCode: ErrorCode.NONE, apiKeys: apiTable(context.broker.apis), finalizedFeaturesEpoch: 0 };
  },

  fail(_request, errorCode) {
    return { errorCode, apiKeys: [] };
  },
};

function check(context: RequestContext, request: ApiVersionsRequest): ErrorCode {
  if (context.apiVersion >= 3) {
    const named = SOFTWARE_NAME.test(request.clientSoftwareName) && SOFTWARE_NAME.test(request.clientSoftwareVersion);
    if (!named) return ErrorCode.INVALID_REQUEST;
  }
  const { clusterId, nodeId } = request;
  if (clusterId === null && nodeId === ANY_NODE) return ErrorCode.NONE;
  if (clusterId === null || nodeId === ANY_NODE) return ErrorCode.INVALID_REQUEST;
  const { broker } = context;
  const isThisOne = clusterId === broker.clusterId && nodeId === broker.nodeId;
  return isThisOne ? ErrorCode.NONE : ErrorCode.REBOOTSTRAP_REQUIRED;
}

function apiTable(apis: ApiRegistry): NonNullable<ApiVersionsResponseInit["apiKeys"]> {
  return apis.all().map(({ handler, advertisedMin }) => ({
    apiKey: handler.key,
    minVersion: advertisedMin,
    maxVersion: handler.versionMax,
  }));
}

/** The version 0 answer to a version of ApiVersions that is not served (KIP-511). */
export function unsupportedApiVersions(apis: ApiRegistry): ApiVersionsResponseInit {
  const own = apiTable(apis).filter((api) => api.apiKey === apiVersions.key);
  return { errorCode: ErrorCode.UNSUPPORTED_VERSION, apiKeys: own };
}
