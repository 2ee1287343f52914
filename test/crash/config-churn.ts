// Changes what is configured (of a topic, of the brokers), makes partitions, takes producer ids: all of it is numbers
// that only grow.
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import type {
  CreatePartitionsResponse,
  DescribeConfigsResponse,
  IncrementalAlterConfigsResponse,
  InitProducerIdResponse,
  MetadataResponse,
} from "../../packages/kaas-core/src/messages/generated/index.js";
import { type AnswerPlace, placeOf, type WireClient } from "../lib/wire-client.js";
import { Actor } from "./actor.js";
import { type Change, type Mark, type Moment, possible } from "./moment.js";

const PARTITIONS_MAX = 20;
const TOPIC_RESOURCE = 2;
const BROKER_RESOURCE = 4;
/** Far from any default, so that a value that was lost shows. */
const FIRST_VALUE = 1_000_000_000;
const TURNS = 4;

type Setting = {
  readonly type: number;
  readonly name: string;
  readonly key: string;
  readonly changes: Change<number>[];
};

export class ConfigChurn extends Actor {
  readonly #topic: string;
  readonly #mark: Mark;
  readonly #settings: readonly Setting[];
  readonly #partitionCounts: Change<number>[] = [];
  readonly #producerIds = new Map<number, AnswerPlace>();
  #turn = 0;

  constructor(options: { readonly topic: string; readonly mark: Mark; readonly pauseMs: number }) {
    super(options.pauseMs);
    this.#topic = options.topic;
    this.#mark = options.mark;
    this.#settings = [
      { type: TOPIC_RESOURCE, name: this.#topic, key: "retention.ms", changes: [] },
      { type: BROKER_RESOURCE, name: "", key: "log.retention.ms", changes: [] },
    ];
  }

  protected async step(client: WireClient): Promise<void> {
    const turn = this.#turn++ % TURNS;
    const setting = this.#settings[turn];
    if (setting !== undefined) await this.#configure(client, setting);
    else if (turn === 2) await this.#takeProducerId(client);
    else await this.#grow(client);
  }

  async #configure(client: WireClient, { type, name, key, changes }: Setting): Promise<void> {
    const value = (changes.at(-1)?.value ?? FIRST_VALUE) + 1;
    const change: Change<number> = { value, askedAt: this.#mark(), answer: undefined };
    changes.push(change);
    const configs = [{ name: key, configOperation: 0, value: String(value) }];
    const response = await client.call<IncrementalAlterConfigsResponse>(ApiKey.IncrementalAlterConfigs, 1, {
      resources: [{ resourceType: type, resourceName: name, configs }],
      validateOnly: false,
    });
    const code = response.responses[0]?.errorCode;
    if (code === 0) change.answer = placeOf(response);
    else await this.surprise(`${key} was not set: error ${code}`);
  }

  async #takeProducerId(client: WireClient): Promise<void> {
    const response = await takeProducerId(client);
    if (response.errorCode !== 0) return this.surprise(`no producer id: error ${response.errorCode}`);
    if (this.#producerIds.has(response.producerId))
      this.surprises.push(`producer id ${response.producerId} came twice`);
    this.#producerIds.set(response.producerId, placeOf(response));
  }

  async #grow(client: WireClient): Promise<void> {
    const value = (this.#partitionCounts.at(-1)?.value ?? 1) + 1;
    if (value > PARTITIONS_MAX) return;
    const change: Change<number> = { value, askedAt: this.#mark(), answer: undefined };
    this.#partitionCounts.push(change);
    const response = await client.call<CreatePartitionsResponse>(ApiKey.CreatePartitions, 3, {
      topics: [{ name: this.#topic, count: value, assignments: null }],
      timeoutMs: 30_000,
      validateOnly: false,
    });
    const code = response.results[0]?.errorCode;
    if (code === 0) change.answer = placeOf(response);
    else await this.surprise(`${this.#topic} got no partition: error ${code}`);
  }

  async problems(client: WireClient, moment: Moment): Promise<string[]> {
    const problems = this.surprises.splice(0);
    for (const setting of this.#settings) {
      const found = await valueOf(client, setting);
      problems.push(...problemOf(`${setting.key} of ${setting.name}`, found, setting.changes, moment));
    }
    const count = await partitionCount(client, this.#topic);
    problems.push(...problemOf(`partitions of ${this.#topic}`, count, this.#partitionCounts, moment));
    const { producerId } = await takeProducerId(client);
    const place = this.#producerIds.get(producerId);
    if (place !== undefined && moment.answered(place)) problems.push(`producer id ${producerId} was given out again`);
    return problems;
  }
}

function problemOf(what: string, found: number, changes: readonly Change<number>[], moment: Moment): string[] {
  const { certain, values } = possible(changes, moment);
  const isUntouched = certain === undefined && !changes.some(({ value }) => value === found);
  if (values.includes(found) || isUntouched) return [];
  return [`${what} is ${found}; ${certain} was acknowledged, possible are ${values.join(", ")}`];
}

function takeProducerId(client: WireClient): Promise<InitProducerIdResponse> {
  return client.call<InitProducerIdResponse>(ApiKey.InitProducerId, 4, {
    transactionalId: null,
    transactionTimeoutMs: 60_000,
    producerId: -1,
    producerEpoch: -1,
  });
}

async function valueOf(client: WireClient, { type, name, key }: Setting): Promise<number> {
  const response = await client.call<DescribeConfigsResponse>(ApiKey.DescribeConfigs, 4, {
    resources: [{ resourceType: type, resourceName: name, configurationKeys: [key] }],
    includeSynonyms: false,
    includeDocumentation: false,
  });
  return Number(response.results[0]?.configs.find((config) => config.name === key)?.value ?? -1);
}

async function partitionCount(client: WireClient, topic: string): Promise<number> {
  const response = await client.call<MetadataResponse>(ApiKey.Metadata, 12, {
    topics: [{ topicId: "AAAAAAAAAAAAAAAAAAAAAA", name: topic }],
    allowAutoTopicCreation: false,
  });
  return response.topics[0]?.partitions.length ?? 0;
}
