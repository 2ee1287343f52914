// An idempotent producer of one partition: a batch is sent again until it is acknowledged.
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { InitProducerIdResponse, ProduceResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import * as batch from "../../packages/kaas-core/src/records/batch.js";
import { buildBatch } from "../../packages/kaas-core/src/records/build-batch.js";
import { readLog } from "../crash/partition-check.js";
import type { WireClient } from "../lib/wire-client.js";
import { ClientLoop, COORDINATOR_CODES, LEADER_CODES } from "./client-loop.js";

const PRODUCE_VERSION = 9;

type Sent = { readonly bytes: Buffer; readonly checksum: number; offset: number | undefined };

export type ProducerOptions = {
  readonly topic: string;
  readonly partition: number;
  readonly recordBytes?: number;
  readonly pauseMs?: number;
};

export class Producer extends ClientLoop {
  protected readonly retriable = new Set([...LEADER_CODES, ...COORDINATOR_CODES]);
  readonly #options: ProducerOptions;
  readonly #sent: Sent[] = [];
  #producer: { readonly id: number; readonly epoch: number } | undefined;

  constructor(options: ProducerOptions) {
    super(`${options.topic}-${options.partition}`, options.pauseMs ?? 10);
    this.#options = options;
  }

  protected async step(client: WireClient): Promise<number> {
    if (this.#producer === undefined) return this.#begin(client);
    const last = this.#sent.at(-1);
    const sent = last === undefined || last.offset !== undefined ? this.#make(this.#producer) : last;
    const { topic, partition } = this.#options;
    const response = await client.call<ProduceResponse>(ApiKey.Produce, PRODUCE_VERSION, {
      transactionalId: null,
      acks: -1,
      timeoutMs: 120_000, // longer than any disk hangs here: it is the broker that has to give up
      topicData: [{ name: topic, partitionData: [{ index: partition, records: sent.bytes }] }],
    });
    const answer = response.responses[0]?.partitionResponses[0];
    if (answer?.errorCode === 0) sent.offset = answer.baseOffset;
    return answer?.errorCode ?? -1;
  }

  async problems(client: WireClient): Promise<string[]> {
    const { topic, partition } = this.#options;
    const problems = this.surprises.map((surprise) => `${this.name}: ${surprise}`);
    const { batches } = await readLog(client, topic, partition);
    for (const [at, sent] of this.#sent.entries()) {
      const found = batches[at];
      if (found === undefined && sent.offset === undefined) continue; // the last one may never have arrived
      const isThere = found !== undefined && batch.crc(found, 0) === sent.checksum;
      const isInPlace = isThere && (sent.offset ?? batch.baseOffset(found, 0)) === batch.baseOffset(found, 0);
      if (!isInPlace) return [...problems, `${this.name}: batch ${at}, acknowledged at ${sent.offset}, is not there`];
    }
    if (batches.length > this.#sent.length) problems.push(`${this.name}: ${batches.length} of ${this.#sent.length}`);
    return problems;
  }

  async #begin(client: WireClient): Promise<number> {
    const answer = await client.call<InitProducerIdResponse>(ApiKey.InitProducerId, 4, {
      transactionalId: null,
      transactionTimeoutMs: 60_000,
      producerId: -1,
      producerEpoch: -1,
    });
    if (answer.errorCode === 0) this.#producer = { id: answer.producerId, epoch: answer.producerEpoch };
    return answer.errorCode;
  }

  #make({ id, epoch }: { readonly id: number; readonly epoch: number }): Sent {
    const number = this.#sent.length;
    const value = Buffer.alloc(this.#options.recordBytes ?? 200, `${this.name}:${number} `);
    const bytes = buildBatch([{ value, timestamp: Date.now() }], {
      producerId: id,
      producerEpoch: epoch,
      baseSequence: number,
    });
    const sent: Sent = { bytes, checksum: batch.crc(bytes, 0), offset: undefined };
    this.#sent.push(sent);
    return sent;
  }
}
