/**
 * IncrementalAlterConfigs (key 44), versions 0-1.
 *
 * Sets, deletes, appends to or subtracts from single configurations of topics, brokers, log levels or client metrics
 * subscriptions (KIP-339, KIP-412, KIP-714). Of one resource all changes are made or none; resources are independent.
 */
import { type Refusal, refuse } from "../errors/refusal.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  IncrementalAlterConfigsRequest,
  IncrementalAlterConfigsRequestAlterConfigsResource,
  IncrementalAlterConfigsResponseAlterConfigsResourceResponseInit,
  IncrementalAlterConfigsResponseInit,
} from "../messages/generated/index.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";
import { alterConfigs } from "./config-alteration.js";
import { configAccessRefusal } from "./config-access.js";
import { applyChanges, malformedChanges } from "./config-operations.js";
import { ConfigResourceType, repeatedResources } from "./config-resource.js";
import { alterLogLevels } from "./log-levels.js";

type Resource = IncrementalAlterConfigsRequestAlterConfigsResource;

export const incrementalAlterConfigs: ApiHandler<IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponseInit> =
  {
    key: 44,
    versionMin: 0,
    versionMax: 1,

    async handle(context, request) {
      const repeated = repeatedResources(request.resources);
      const responses = request.resources.map(async (resource) => {
        const malformed = repeated.has(resource)
          ? refuse(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.")
          : malformedChanges(resource.configs);
        const refusal =
          malformed ??
          configAccessRefusal(context, "ALTER_CONFIGS", resource.resourceType, resource.resourceName) ??
          (await alter(context, resource, request.validateOnly));
        return answer(resource, refusal);
      });
      return { responses: await Promise.all(responses) };
    },

    fail(request, errorCode) {
      return { responses: request.resources.map((resource) => answer(resource, { errorCode, message: "" })) };
    },
  };

async function alter(context: RequestContext, resource: Resource, validateOnly: boolean): Promise<Refusal | undefined> {
  const { resourceType, resourceName, configs } = resource;
  if (resourceType === ConfigResourceType.BROKER_LOGGER) {
    return alterLogLevels(context, resourceName, configs, validateOnly);
  }
  return alterConfigs(context, {
    resourceType,
    resourceName,
    validateOnly,
    names: configs.map(({ name }) => name),
    change: (current) => applyChanges(current, configs),
  });
}

function answer(
  resource: Resource,
  refusal: Refusal | undefined,
): IncrementalAlterConfigsResponseAlterConfigsResourceResponseInit {
  const { resourceType, resourceName } = resource;
  const errorMessage = refusal === undefined || refusal.message === "" ? null : refusal.message;
  return { errorCode: refusal?.errorCode ?? ErrorCode.NONE, errorMessage, resourceType, resourceName };
}
