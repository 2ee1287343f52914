// What a scenario speaks through: it sends, and what comes back is kept under the name of the case.
import { framed, RawClient, requestFrame } from "../../packages/kaas-core/test/fakes/raw-client.js";
import { ConnectionLost, WireClient } from "../lib/wire-client.js";
import { apiNamed, versionsOf } from "./apis.js";
import { Normaliser, type Plain } from "./normalise.js";

/** An id that no topic has. */
export const STRANGE_ID = "8PDw8BERQiKDMwEjRWeJqw";
const ANSWER_MS = 6000;
const TOPIC_READY_MS = 120_000;
const POLL_MS = 20;

/** A message by the names of its fields. What is read from it is read by scenarios that know what they asked for. */
// biome-ignore lint/suspicious/noExplicitAny: answers of thirty APIs are read by field name
export type Message = any;

export interface Scenario {
  readonly name: string;
  run(context: Context): Promise<void>;
}

export interface TopicWish {
  readonly partitions?: number;
  readonly configs?: Readonly<Record<string, string>>;
}

/** One broker's side of a scenario. */
export class Context {
  /** Answers by case and version, in the order in which they came. */
  readonly answers = new Map<string, Plain>();
  /** Names of the APIs whose answers were kept. */
  readonly asked = new Set<string>();
  /** Why the scenario broke off. */
  failure: string | undefined;
  readonly #port: number;
  readonly #prefix: string;
  readonly #run: string;
  readonly #normaliser: Normaliser;
  readonly #clients: WireClient[] = [];
  readonly #topicIds = new Map<string, string>();
  #client: WireClient | undefined;

  /** `run` keeps the names of this run apart from those of others. */
  constructor(port: number, prefix: string, run: string) {
    this.#port = port;
    this.#prefix = `${prefix}${run}`;
    this.#run = run;
    this.#normaliser = new Normaliser(port, run);
    this.#normaliser.learn(STRANGE_ID, "(strange id)");
  }

  /** A name of this scenario's own, the same at both brokers. */
  named(name: string): string {
    return `${this.#prefix}-${name}`;
  }

  /** Asks with every version that is served, from `from` to `to`; `message` may be a function of the version. */
  async eachVersion(
    label: string,
    api: string,
    message: Message,
    { from = 0, to = 99 }: { from?: number; to?: number } = {},
  ): Promise<void> {
    for (const version of versionsOf(api, from, to)) {
      await this.call(label, api, version, typeof message === "function" ? message(version) : message);
    }
  }

  /** Asks, and keeps the answer as the case `label` of this version. */
  async call(label: string, api: string, version: number, message: Message, client?: WireClient): Promise<Message> {
    const answer = await this.#ask(api, version, message, client);
    this.asked.add(api);
    this.keep(`${label} v${version}`, answer);
    return answer;
  }

  /** Asks without keeping the answer. */
  async quiet(
    api: string,
    message: Message,
    version = versionsOf(api).at(-1) ?? 0,
    client?: WireClient,
  ): Promise<Message> {
    return this.#ask(api, version, message, client);
  }

  keep(name: string, answer: unknown): void {
    const label = name.replaceAll(this.#run, "");
    if (this.answers.has(label)) throw new Error(`two cases are called ${label}`);
    this.answers.set(label, this.#normaliser.plain(answer));
  }

  /**
   * Sends frames and then a ping over a connection of their own: what is kept is which of them were answered, and
   * whether the connection was closed.
   */
  async frames(label: string, ...frames: readonly Buffer[]): Promise<void> {
    const client = await RawClient.connect(this.#port);
    client.send(...frames, requestFrame(18, 0, 999, {}));
    const seen: string[] = [];
    for (let frame = await withLimit(client.frame()); frame !== undefined; frame = await withLimit(client.frame())) {
      const correlationId = frame.readInt32BE(0);
      if (correlationId === 999) break;
      seen.push(`answered ${correlationId}`);
    }
    if (client.isClosed) seen.push("closed");
    client.close();
    this.keep(label, { frames: seen });
  }

  /** Frames of a request whose body is given as bytes. */
  frame(apiKey: number, version: number, body: Buffer, flexible = false): Buffer {
    const header = Buffer.alloc(10);
    header.writeInt16BE(apiKey, 0);
    header.writeInt16BE(version, 2);
    header.writeInt32BE(7, 4);
    header.writeInt16BE(-1, 8);
    return framed(Buffer.concat([header, flexible ? Buffer.from([0]) : Buffer.alloc(0), body]));
  }

  /** `localAddress` is where it comes from. */
  async connection(localAddress?: string): Promise<WireClient> {
    const client = await WireClient.connect(this.#port, localAddress);
    this.#clients.push(client);
    return client;
  }

  /** Creates a topic and waits until it has leaders; its id is known from then on. */
  async topic(name: string, { partitions = 1, configs = {} }: TopicWish = {}): Promise<string> {
    const topic = this.named(name);
    const given = Object.entries(configs).map(([key, value]) => ({ name: key, value }));
    const wish = { name: topic, numPartitions: partitions, replicationFactor: 1, assignments: [], configs: given };
    const { topics } = await this.quiet("CreateTopics", { topics: [wish], timeoutMs: 60_000, validateOnly: false });
    if (topics[0].errorCode !== 0) throw new Error(`topic ${topic}: error ${topics[0].errorCode}`);
    await this.awaitTopic(topic, partitions);
    return topic;
  }

  /** Metadata reaches Kafka's brokers some time after the topic was created. */
  async awaitTopic(topic: string, partitions: number): Promise<void> {
    await this.until(`topic ${topic}`, async () => {
      const { topics } = await this.quiet("Metadata", { topics: [{ name: topic }], allowAutoTopicCreation: false }, 12);
      const ready = topics[0].partitions.filter((p: Message) => p.leaderId >= 0 && p.errorCode === 0);
      if (topics[0].errorCode === 0) this.#learnTopic(topic, topics[0].topicId);
      return topics[0].errorCode === 0 && ready.length === partitions && (await this.#hasLogs(topic, partitions));
    });
  }

  /** Tries until `holds`: for what a broker does in its own time. */
  async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (const end = performance.now() + TOPIC_READY_MS; !(await holds()); await pause(POLL_MS)) {
      if (performance.now() > end) throw new Error(`${what}: not so in time`);
    }
  }

  async #hasLogs(name: string, partitions: number): Promise<boolean> {
    const asked = Array.from({ length: partitions }, (_, partitionIndex) => ({ partitionIndex, timestamp: -1 }));
    const { topics } = await this.quiet("ListOffsets", { replicaId: -1, topics: [{ name, partitions: asked }] }, 5);
    return topics[0].partitions.every(({ errorCode }: Message) => errorCode === 0);
  }

  topicId(topic: string): string {
    const id = this.#topicIds.get(topic);
    if (id === undefined) throw new Error(`the id of ${topic} is not known`);
    return id;
  }

  learn(value: string, word: string): void {
    this.#normaliser.learn(value, word);
  }

  close(): void {
    for (const client of this.#clients) client.close();
    this.#client?.close();
  }

  #learnTopic(topic: string, id: string): void {
    this.#topicIds.set(topic, id);
    this.#normaliser.learn(id, `(id of ${topic.replaceAll(this.#run, "")})`);
  }

  async #ask(api: string, version: number, message: Message, client?: WireClient): Promise<Message> {
    const { key } = apiNamed(api);
    const used = client ?? (await this.#main());
    try {
      return await withLimit(used.call<Message>(key, version, message));
    } catch (error) {
      if (client === undefined) this.#client = undefined;
      if (error instanceof ConnectionLost) return { connection: "closed" };
      used.close();
      return { failed: (error as Error).message };
    }
  }

  async #main(): Promise<WireClient> {
    if (this.#client === undefined || this.#client.isClosed) this.#client = await WireClient.connect(this.#port);
    return this.#client;
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function withLimit<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), ANSWER_MS);
  });
  return Promise.race([answer, limit]).finally(() => clearTimeout(timer));
}
