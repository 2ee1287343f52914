/**
 * AlterConfigs (key 33), versions 0-2.
 *
 * Replaces the configurations of topics, brokers or client metrics subscriptions (KIP-133): what is not named loses
 * its value. IncrementalAlterConfigs has taken its place (KIP-339); older clients and kafkajs still send this one.
 */
import { type Refusal, refuse } from "../errors/refusal.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  AlterConfigsRequest,
  AlterConfigsRequestAlterConfigsResource,
  AlterConfigsResponseAlterConfigsResourceResponseInit,
  AlterConfigsResponseInit,
} from "../messages/generated/index.js";
import type { ApiHandler } from "./api-handler.js";
import { alterConfigs as alter } from "./config-alteration.js";
import { configAccessRefusal } from "./config-access.js";
import { malformedChanges, replaceAll } from "./config-operations.js";
import { repeatedResources } from "./config-resource.js";

type Resource = AlterConfigsRequestAlterConfigsResource;

export const alterConfigs: ApiHandler<AlterConfigsRequest, AlterConfigsResponseInit> = {
  key: 33,
  versionMin: 0,
  versionMax: 2,

  async handle(context, request) {
    const repeated = repeatedResources(request.resources);
    const { validateOnly } = request;
    const responses = request.resources.map(async (resource) => {
      const { resourceType, resourceName, configs } = resource;
      const malformed = repeated.has(resource)
        ? refuse(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.")
        : malformedChanges(configs);
      const change = () => replaceAll(configs);
      const refusal =
        malformed ??
        configAccessRefusal(context, "ALTER_CONFIGS", resourceType, resourceName) ??
        (await alter(context, { resourceType, resourceName, validateOnly, change }));
      return answer(resource, refusal);
    });
    return { responses: await Promise.all(responses) };
  },

  fail(request, errorCode) {
    return { responses: request.resources.map((resource) => answer(resource, { errorCode, message: "" })) };
  },
};

function answer(
  resource: Resource,
  refusal: Refusal | undefined,
): AlterConfigsResponseAlterConfigsResourceResponseInit {
  const { resourceType, resourceName } = resource;
  const errorMessage = refusal === undefined || refusal.message === "" ? null : refusal.message;
  return { errorCode: refusal?.errorCode ?? ErrorCode.NONE, errorMessage, resourceType, resourceName };
}
