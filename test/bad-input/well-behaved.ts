import type {
  FetchResponse,
  ListOffsetsResponse,
  MetadataResponse,
  OffsetCommitResponse,
  OffsetFetchResponse,
  ProduceResponse,
} from "../../packages/kaas-core/src/messages/generated/index.js";
import { buildBatch } from "../../packages/kaas-core/src/records/build-batch.js";
import { RawClient } from "../../packages/kaas-core/test/fakes/raw-client.js";
import type { ProcessWatch } from "./process-watch.js";

const PRODUCE = 0;
const FETCH = 1;
const LIST_OFFSETS = 2;
const METADATA = 3;
const OFFSET_COMMIT = 8;
const OFFSET_FETCH = 9;

const RECORDS_PER_BATCH = 5;
const LATEST = -1;

/**
 * A client that does what clients do, and holds every answer against what it knows: offsets without a gap, records as
 * they were written, metadata as created, offsets as committed.
 */
export class WellBehavedClient {
  readonly latenciesMs: number[] = [];
  /** How long the broker worked during each of them. */
  readonly workedMs: number[] = [];
  readonly complaints: string[] = [];
  rounds = 0;
  readonly #client: RawClient;
  readonly #topic: string;
  readonly #watch: ProcessWatch;
  #correlationId = 0;
  #nextOffset = 0;

  private constructor(client: RawClient, topic: string, watch: ProcessWatch) {
    this.#client = client;
    this.#topic = topic;
    this.#watch = watch;
  }

  /** Its topic exists and is empty. */
  static async connect(port: number, topic: string, watch: ProcessWatch): Promise<WellBehavedClient> {
    return new WellBehavedClient(await RawClient.connect(port), topic, watch);
  }

  async run(isOver: () => boolean): Promise<void> {
    try {
      for (; !isOver(); this.rounds++) await this.#round();
    } catch (error) {
      this.complaints.push(`round ${this.rounds}: ${(error as Error).message}`);
    }
    this.#client.close();
  }

  async #round(): Promise<void> {
    const values = Array.from({ length: RECORDS_PER_BATCH }, (_, index) => ({
      value: Buffer.from(`${this.#topic} ${this.rounds} ${index} `.repeat(20)),
    }));
    const records = buildBatch(values);
    await this.#produce(records);
    await this.#fetch(records);
    this.#nextOffset += RECORDS_PER_BATCH;
    await this.#listOffsets();
    await this.#metadata();
    if (this.rounds % 5 === 0) await this.#commit();
  }

  async #produce(records: Buffer): Promise<void> {
    const partitionData = [{ index: 0, records }];
    const topicData = [{ name: this.#topic, partitionData }];
    const { responses } = await this.#ask<ProduceResponse>(PRODUCE, 9, { acks: -1, timeoutMs: 30_000, topicData });
    const partition = responses[0]?.partitionResponses[0];
    this.#expect("produce: error", partition?.errorCode, 0);
    this.#expect("produce: base offset", partition?.baseOffset, this.#nextOffset);
  }

  async #fetch(records: Buffer): Promise<void> {
    const partitions = [{ partition: 0, fetchOffset: this.#nextOffset, partitionMaxBytes: 1 << 20 }];
    const topics = [{ topic: this.#topic, partitions }];
    const { responses } = await this.#ask<FetchResponse>(FETCH, 11, { maxWaitMs: 10_000, minBytes: 1, topics });
    const partition = responses[0]?.partitions[0];
    this.#expect("fetch: error", partition?.errorCode, 0);
    this.#expect("fetch: high watermark", partition?.highWatermark, this.#nextOffset + RECORDS_PER_BATCH);
    const fetched = partition?.records ?? Buffer.alloc(0);
    this.#expect("fetch: base offset", Number(fetched.readBigInt64BE(0)), this.#nextOffset);
    // From the magic byte on nothing may differ: base offset and leader epoch are the broker's to set.
    this.#expect("fetch: records", fetched.subarray(16).equals(records.subarray(16)), true);
  }

  async #listOffsets(): Promise<void> {
    const topics = [{ name: this.#topic, partitions: [{ partitionIndex: 0, timestamp: LATEST }] }];
    const response = await this.#ask<ListOffsetsResponse>(LIST_OFFSETS, 5, { replicaId: -1, topics });
    this.#expect("list offsets", response.topics[0]?.partitions[0]?.offset, this.#nextOffset);
  }

  async #metadata(): Promise<void> {
    const response = await this.#ask<MetadataResponse>(METADATA, 9, { topics: [{ name: this.#topic }] });
    const topic = response.topics[0];
    this.#expect("metadata: error", topic?.errorCode, 0);
    this.#expect("metadata: partitions", topic?.partitions.length, 1);
    this.#expect("metadata: leader", topic?.partitions[0]?.leaderId, response.brokers[0]?.nodeId);
  }

  async #commit(): Promise<void> {
    const groupId = `${this.#topic}-group`;
    const partitions = [{ partitionIndex: 0, committedOffset: this.#nextOffset, committedMetadata: "here" }];
    const topics = [{ name: this.#topic, partitions }];
    const committed = await this.#ask<OffsetCommitResponse>(OFFSET_COMMIT, 7, {
      groupId,
      generationIdOrMemberEpoch: -1,
      memberId: "",
      topics,
    });
    this.#expect("commit: error", committed.topics[0]?.partitions[0]?.errorCode, 0);
    const asked = [{ name: this.#topic, partitionIndexes: [0] }];
    const fetched = await this.#ask<OffsetFetchResponse>(OFFSET_FETCH, 7, { groupId, topics: asked });
    this.#expect("committed offset", fetched.topics?.[0]?.partitions[0]?.committedOffset, this.#nextOffset);
  }

  async #ask<Response>(apiKey: number, apiVersion: number, message: unknown): Promise<Response> {
    const correlationId = ++this.#correlationId;
    const [beganAt, workedMs] = [performance.now(), this.#watch.workedMs()];
    this.#client.request(apiKey, apiVersion, correlationId, message);
    const answer = await this.#client.answer<Response>(apiKey, apiVersion);
    this.latenciesMs.push(performance.now() - beganAt);
    this.workedMs.push(this.#watch.workedMs() - workedMs);
    this.#expect("correlation id", answer.correlationId, correlationId);
    return answer.response;
  }

  #expect(what: string, actual: unknown, expected: unknown): void {
    if (actual !== expected) throw new Error(`${what} is ${String(actual)}, not ${String(expected)}`);
  }
}
