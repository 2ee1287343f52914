/**
 * ListConfigResources (key 74), versions 0-1.
 *
 * Lists what has configurations.
 *
 * - v0: client metrics subscriptions only, under the name ListClientMetricsResources (KIP-714).
 * - v1: the types that are asked for, or all (KIP-1142).
 */
import { readSubscriptions } from "../config/client-metrics-config.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  ListConfigResourcesRequest,
  ListConfigResourcesResponseConfigResourceInit,
  ListConfigResourcesResponseInit,
} from "../messages/generated/index.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";
import { liveEndpoints } from "./cluster-endpoints.js";
import { ConfigResourceType } from "./config-resource.js";

type Listed = ListConfigResourcesResponseConfigResourceInit;

const LISTED_TYPES: readonly number[] = Object.values(ConfigResourceType);

export const listConfigResources: ApiHandler<ListConfigResourcesRequest, ListConfigResourcesResponseInit> = {
  key: 74,
  versionMin: 0,
  versionMax: 1,

  async handle(context, request) {
    const asked = askedTypes(context, request);
    if (asked.some((type) => !LISTED_TYPES.includes(type))) return failed(ErrorCode.UNSUPPORTED_VERSION);
    const configResources: Listed[] = [];
    for (const type of LISTED_TYPES) {
      if (asked.length > 0 && !asked.includes(type)) continue;
      for (const resourceName of await names(context, type)) configResources.push({ resourceName, resourceType: type });
    }
    return { errorCode: ErrorCode.NONE, configResources };
  },

  fail(_, errorCode) {
    return failed(errorCode);
  },
};

function askedTypes({ apiVersion }: RequestContext, { resourceTypes }: ListConfigResourcesRequest): readonly number[] {
  return apiVersion === 0 ? [ConfigResourceType.CLIENT_METRICS] : resourceTypes;
}

async function names(context: RequestContext, type: number): Promise<readonly string[]> {
  const { broker } = context;
  switch (type) {
    case ConfigResourceType.TOPIC:
      return [...broker.topics.all()].map(({ name }) => name);
    case ConfigResourceType.BROKER:
    case ConfigResourceType.BROKER_LOGGER:
      return liveEndpoints(context).map(({ nodeId }) => String(nodeId));
    case ConfigResourceType.CLIENT_METRICS:
      return Object.keys(await readSubscriptions(broker.files));
    default:
      return [];
  }
}

function failed(errorCode: ListConfigResourcesResponseInit["errorCode"]): ListConfigResourcesResponseInit {
  return { errorCode, configResources: [] };
}
