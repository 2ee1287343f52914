/**
 * DescribeConfigs (key 32), versions 1-4.
 *
 * Describes configurations: value, where it comes from, and what else would have given one (KIP-133, KIP-226).
 *
 * - v1: sources and synonyms (KIP-226).
 * - v3: type and documentation (KIP-569).
 *
 * Resources are topics (2), brokers (4; the empty name stands for the whole cluster), log levels (8, KIP-412) and
 * client metrics subscriptions (16, KIP-714). Groups (32) have no configurations while only classic ones are served.
 */
import { type Refusal, refuse } from "../errors/refusal.js";
import { topicNameProblem } from "../cluster/topic-names.js";
import { describeBrokerConfigs, describeClusterConfigs } from "../config/broker-config-description.js";
import { describeSubscription, readSubscriptions } from "../config/client-metrics-config.js";
import { configTypeCode } from "../config/config-definition.js";
import type { ConfigEntry } from "../config/config-entry.js";
import { describeTopicConfigs } from "../config/topic-config-description.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  DescribeConfigsRequest,
  DescribeConfigsRequestDescribeConfigsResource,
  DescribeConfigsResponseDescribeConfigsResourceResultInit,
  DescribeConfigsResponseDescribeConfigsResultInit,
  DescribeConfigsResponseInit,
} from "../messages/generated/index.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";
import { configAccessRefusal } from "./config-access.js";
import { brokerOf, ConfigResourceType } from "./config-resource.js";
import { describeLogLevels, loggerBrokerRefusal } from "./log-levels.js";

type Resource = DescribeConfigsRequestDescribeConfigsResource;
type Result = DescribeConfigsResponseDescribeConfigsResultInit;
type Description = readonly ConfigEntry[] | Refusal;

export const describeConfigs: ApiHandler<DescribeConfigsRequest, DescribeConfigsResponseInit> = {
  key: 32,
  versionMin: 1,
  versionMax: 4,

  async handle(context, request) {
    const results = request.resources.map(async (resource): Promise<Result> => {
      const { resourceType, resourceName } = resource;
      const description =
        configAccessRefusal(context, "DESCRIBE_CONFIGS", resourceType, resourceName) ??
        (await describe(context, resource));
      if ("errorCode" in description) return failed(resource, description);
      const asked = resource.configurationKeys ?? [];
      const entries = asked.length === 0 ? description : description.filter(({ name }) => asked.includes(name));
      return described(
        resource,
        entries.map((entry) => written(entry, request)),
      );
    });
    return { results: await Promise.all(results) };
  },

  fail(request, errorCode) {
    return { results: request.resources.map((resource) => failed(resource, { errorCode, message: "" })) };
  },
};

function describe(
  context: RequestContext,
  { resourceType, resourceName }: Resource,
): Description | Promise<Description> {
  switch (resourceType) {
    case ConfigResourceType.TOPIC:
      return describeTopic(context, resourceName);
    case ConfigResourceType.BROKER:
      return describeBroker(context, resourceName);
    case ConfigResourceType.BROKER_LOGGER:
      return describeLogger(context, resourceName);
    case ConfigResourceType.CLIENT_METRICS:
      return describeClientMetrics(context, resourceName);
    case ConfigResourceType.GROUP:
      return resourceName === "" ? refuse(ErrorCode.INVALID_REQUEST, "Group name must not be empty") : [];
    default:
      return refuse(ErrorCode.INVALID_REQUEST, `Unknown resource type ${resourceType}`);
  }
}

function describeTopic({ broker }: RequestContext, name: string): Description {
  const problem = topicNameProblem(name);
  if (problem !== undefined) return refuse(ErrorCode.INVALID_TOPIC_EXCEPTION, `Topic name is invalid: ${problem}`);
  const topic = broker.topics.byName(name);
  if (topic === undefined) {
    return refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `The topic '${name}' does not exist.`);
  }
  return describeTopicConfigs(topic.overrides, broker.config);
}

function describeBroker({ broker }: RequestContext, name: string): Description {
  const target = brokerOf(name, broker.nodeId);
  if ("errorCode" in target) return target;
  return target.id === undefined ? describeClusterConfigs(broker.config) : describeBrokerConfigs(broker.config);
}

function describeLogger(context: RequestContext, name: string): Description {
  if (name === "") return refuse(ErrorCode.INVALID_REQUEST, "Broker id must not be empty");
  return loggerBrokerRefusal(context, name) ?? describeLogLevels(context);
}

async function describeClientMetrics({ broker }: RequestContext, name: string): Promise<Description> {
  if (name === "") return refuse(ErrorCode.INVALID_REQUEST, "Client metrics subscription name must not be empty");
  return describeSubscription((await readSubscriptions(broker.files))[name] ?? {});
}

function written(
  entry: ConfigEntry,
  request: DescribeConfigsRequest,
): DescribeConfigsResponseDescribeConfigsResourceResultInit {
  return {
    name: entry.name,
    value: entry.value,
    readOnly: entry.readOnly,
    configSource: entry.source,
    isSensitive: entry.isSensitive,
    synonyms: request.includeSynonyms ? entry.synonyms : [],
    configType: entry.type === undefined ? 0 : configTypeCode[entry.type],
    documentation: request.includeDocumentation ? entry.documentation : null,
  };
}

function described({ resourceType, resourceName }: Resource, configs: Result["configs"]): Result {
  return { errorCode: ErrorCode.NONE, errorMessage: "", resourceType, resourceName, configs };
}

function failed({ resourceType, resourceName }: Resource, { errorCode, message }: Refusal): Result {
  return { errorCode, errorMessage: message === "" ? null : message, resourceType, resourceName, configs: [] };
}
