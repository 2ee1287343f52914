import { type Refusal, refuse } from "../errors/refusal.js";
import { storageRefusal } from "./topic-changes.js";
import { topicNameProblem } from "../cluster/topic-names.js";
import type { Topic } from "../cluster/topic-table.js";
import { brokerConfigsByName } from "../config/broker-config-definitions.js";
import {
  clientMetricsDefinitions,
  readStoredSubscriptions,
  subscriptionProblem,
  writeSubscriptions,
} from "../config/client-metrics-config.js";
import { type ConfigTexts, dynamicConfigsProblem } from "../config/dynamic-broker-configs.js";
import { topicConfigText, validateTopicOverrides } from "../config/topic-config.js";
import { topicConfigsByName } from "../config/topic-config-definitions.js";
import { ErrorCode } from "../errors/error-codes.js";
import { KaasError } from "../errors/kaas-error.js";
import type { RequestContext } from "./api-handler.js";
import type { AlteredConfigs } from "./config-operations.js";
import { brokerOf, ConfigResourceType } from "./config-resource.js";

/** How long others may take to carry out a change. The requests do not say how long their clients wait: 30 s as a rule. */
const ALTERATION_TIMEOUT_MS = 20_000;
/** However many other brokers change the same document at the same time, some attempt is the first. */
const ATTEMPTS_MAX = 100;
/** Another broker has changed the document meanwhile, and what it has written is to be read first. */
const OVERTAKEN = Symbol("overtaken");

/** A change of one resource: what is set afterwards, of what is set now. */
export interface Alteration {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly validateOnly: boolean;
  /** What is changed; everything, where it is left out. */
  readonly names?: readonly string[];
  change(configs: AlteredConfigs): ConfigTexts | Refusal;
}

/** Alters the configurations of one resource, or none of them. Resolves once the change is durable and in force. */
export async function alterConfigs(context: RequestContext, alteration: Alteration): Promise<Refusal | undefined> {
  const alter = alterers[alteration.resourceType];
  if (alter === undefined) {
    return refuse(ErrorCode.INVALID_REQUEST, `Unknown resource type ${alteration.resourceType}`);
  }
  return context.broker.config.alterations.run(async () => {
    try {
      return await alter(context, alteration);
    } catch (error) {
      return storageRefusal(context, `the configuration of '${alteration.resourceName}' could not be changed`, error);
    }
  });
}

const alterers: Readonly<
  Record<number, (context: RequestContext, alteration: Alteration) => Promise<Refusal | undefined>>
> = {
  [ConfigResourceType.TOPIC]: alterTopic,
  [ConfigResourceType.BROKER]: alterBroker,
  [ConfigResourceType.CLIENT_METRICS]: alterClientMetrics,
  [ConfigResourceType.GROUP]: alterGroup,
};

async function alterTopic(context: RequestContext, alteration: Alteration): Promise<Refusal | undefined> {
  const topic = topicOf(context, alteration.resourceName);
  if (isRefusal(topic)) return topic;
  const { config, topicManager } = context.broker;
  const { overrides } = topic;
  const texts = alteration.change({
    texts: overrides,
    typeOf: (name) => topicConfigsByName.get(name)?.type,
    textInForce: (name) => {
      const definition = topicConfigsByName.get(name);
      return definition === undefined ? undefined : (topicConfigText(definition, overrides, config) ?? undefined);
    },
  });
  if (isRefusal(texts)) return texts;
  const problem = validateTopicOverrides(texts);
  if (problem !== undefined) return refuse(ErrorCode.INVALID_CONFIG, problem.message);
  const { names, validateOnly } = alteration;
  if (!validateOnly) await topicManager.configure(topic, texts, { timeoutMs: ALTERATION_TIMEOUT_MS, names });
  return undefined;
}

function topicOf(context: RequestContext, name: string): Topic | Refusal {
  if (name === "") return refuse(ErrorCode.INVALID_REQUEST, "Default topic resources are not allowed.");
  const problem = topicNameProblem(name);
  if (problem !== undefined) {
    return refuse(ErrorCode.INVALID_TOPIC_EXCEPTION, `Topic name '${name}' is invalid: ${problem}`);
  }
  return (
    context.broker.topics.byName(name) ??
    refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `The topic '${name}' does not exist.`)
  );
}

/** Attempts a change of a document of the cluster until no other broker has changed that in between. */
async function untilFirst(
  attempt: () => Promise<Refusal | undefined | typeof OVERTAKEN>,
): Promise<Refusal | undefined> {
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
    const outcome = await attempt();
    if (outcome !== OVERTAKEN) return outcome;
  }
  throw new KaasError(
    "KAAS_STORAGE_FAILED",
    "the cluster's configuration could not be changed: other brokers change it all the time; try again",
  );
}

function alterBroker(context: RequestContext, alteration: Alteration): Promise<Refusal | undefined> {
  return untilFirst(() => attemptBroker(context, alteration));
}

async function attemptBroker(
  context: RequestContext,
  alteration: Alteration,
): Promise<Refusal | undefined | typeof OVERTAKEN> {
  const { config, nodeId } = context.broker;
  const target = brokerOf(alteration.resourceName, nodeId);
  if (isRefusal(target)) return target;
  // All is stored in one document: what other brokers have set must not be lost.
  await config.refreshDynamic();
  const texts = alteration.change({
    texts: config.dynamicTexts(target.id),
    typeOf: (name) => brokerConfigsByName.get(name)?.type,
    textInForce: (name) => config.text(name),
  });
  if (isRefusal(texts)) return texts;
  const problem = dynamicConfigsProblem(texts, target.id === undefined);
  if (problem !== undefined) return refuse(ErrorCode.INVALID_REQUEST, problem);
  if (alteration.validateOnly || (await config.setDynamic(target.id, texts))) return undefined;
  return OVERTAKEN;
}

async function alterClientMetrics(context: RequestContext, alteration: Alteration): Promise<Refusal | undefined> {
  if (alteration.resourceName === "") return refuse(ErrorCode.INVALID_REQUEST, "Subscription name can't be empty");
  return untilFirst(() => attemptClientMetrics(context, alteration));
}

async function attemptClientMetrics(
  context: RequestContext,
  alteration: Alteration,
): Promise<Refusal | undefined | typeof OVERTAKEN> {
  const { resourceName: name, validateOnly } = alteration;
  const { files } = context.broker;
  const { version, subscriptions } = await readStoredSubscriptions(files);
  const { [name]: current = {}, ...others } = subscriptions;
  const texts = alteration.change({
    texts: current,
    typeOf: (config) => clientMetricsDefinitions.find((definition) => definition.name === config)?.type,
    textInForce: () => undefined,
  });
  if (isRefusal(texts)) return texts;
  const problem = subscriptionProblem(texts);
  if (problem !== undefined) {
    return refuse(problem.isMalformed ? ErrorCode.INVALID_CONFIG : ErrorCode.INVALID_REQUEST, problem.message);
  }
  if (validateOnly) return undefined;
  // One without configurations has ended.
  const after = Object.keys(texts).length === 0 ? others : { ...others, [name]: texts };
  return (await writeSubscriptions(files, version, after)) ? undefined : OVERTAKEN;
}

/** Classic groups have no configurations; those of KIP-848, KIP-932 and KIP-1071 come with such groups. */
async function alterGroup(_: RequestContext, alteration: Alteration): Promise<Refusal | undefined> {
  if (alteration.resourceName === "") {
    return refuse(ErrorCode.INVALID_REQUEST, "Default group resources are not allowed.");
  }
  const texts = alteration.change({ texts: {}, typeOf: () => undefined, textInForce: () => undefined });
  if (isRefusal(texts)) return texts;
  const [name] = Object.keys(texts);
  if (name === undefined) return undefined;
  return refuse(
    ErrorCode.INVALID_CONFIG,
    `${name} is not supported: only classic groups are served, and they have none`,
  );
}

function isRefusal(outcome: object): outcome is Refusal {
  return "errorCode" in outcome && "message" in outcome;
}
