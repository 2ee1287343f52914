// A producer of one partition that knows what was acknowledged to it, and what is in doubt since a connection broke.
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { InitProducerIdResponse, ProduceResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import { buildBatch } from "../../packages/kaas-core/src/records/build-batch.js";
import type { Prng } from "../bad-input/prng.js";
import { ConnectionLost, WireClient } from "../lib/wire-client.js";

/** `idempotent` and `retrying` send again what a broken connection left unanswered, `plain` does not. */
export type WriterKind = "idempotent" | "retrying" | "plain";

export type Batch = {
  /** Number of the first record; records are numbered from 0 by their writer. */
  readonly first: number;
  readonly count: number;
  readonly bytes: Buffer;
  offset: number | undefined;
};

const IN_FLIGHT_MAX = 5;
const PRODUCE_VERSION = 9;
/** Errors after which a client asks for metadata and tries again: the broker is starting. */
const TRY_AGAIN = new Set([3, 5, 6, 7, 13, 19, 20, 56]);

export class Writer {
  readonly topic: string;
  readonly partition: number;
  readonly kind: WriterKind;
  /** Every batch that was ever sent, in order. */
  readonly sent: Batch[] = [];
  readonly problems: string[] = [];
  readonly #prng: Prng;
  #next = 0;
  #producer: { readonly id: number; readonly epoch: number } | undefined;
  #unanswered: Batch[] = [];
  #stopping = false;

  constructor(topic: string, partition: number, kind: WriterKind, prng: Prng) {
    this.topic = topic;
    this.partition = partition;
    this.kind = kind;
    this.#prng = prng;
  }

  get acknowledgedCount(): number {
    return this.sent.filter((batch) => batch.offset !== undefined).length;
  }

  /** Writes until the connection breaks or {@link stop} is called. */
  async run(port: number): Promise<void> {
    this.#stopping = false;
    while (!this.#stopping) {
      const client = await WireClient.connectWhenUp(port);
      try {
        await this.#write(client);
        return;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        if (this.kind === "plain") this.#unanswered = [];
        if (!this.#again) return;
        this.#again = false;
        await new Promise((resolve) => setTimeout(resolve, 50));
      } finally {
        client.close();
      }
    }
  }

  stop(): void {
    this.#stopping = true;
  }

  #again = false;

  async #write(client: WireClient): Promise<void> {
    if (this.kind === "idempotent" && this.#producer === undefined) {
      const answer = await client.call<InitProducerIdResponse>(ApiKey.InitProducerId, 4, {
        transactionalId: null,
        transactionTimeoutMs: 60_000,
        producerId: -1,
        producerEpoch: -1,
      });
      if (answer.errorCode !== 0) return this.#tryAgain(client);
      this.#producer = { id: answer.producerId, epoch: answer.producerEpoch };
    }
    const retried = this.#unanswered.splice(0);
    const answers: Promise<void>[] = retried.map((batch) => this.#send(client, batch));
    while (!this.#stopping) {
      while (this.#unanswered.length < IN_FLIGHT_MAX && !this.#stopping) answers.push(this.#send(client, this.#make()));
      await Promise.race(answers.slice(-IN_FLIGHT_MAX));
      await new Promise((resolve) => setImmediate(resolve));
      if (client.isClosed) break;
    }
    await Promise.all(answers);
  }

  async #send(client: WireClient, batch: Batch): Promise<void> {
    this.#unanswered.push(batch);
    const response = await client.call<ProduceResponse>(ApiKey.Produce, PRODUCE_VERSION, {
      transactionalId: null,
      acks: -1,
      timeoutMs: 30_000,
      topicData: [{ name: this.topic, partitionData: [{ index: this.partition, records: batch.bytes }] }],
    });
    const answer = response.responses[0]?.partitionResponses[0];
    const code = answer?.errorCode ?? -1;
    if (TRY_AGAIN.has(code)) return this.#tryAgain(client);
    if (code !== 0 || answer === undefined) {
      this.problems.push(`${this.topic}-${this.partition}: batch of record ${batch.first} answered with error ${code}`);
      this.stop();
      return;
    }
    this.#unanswered.splice(this.#unanswered.indexOf(batch), 1);
    // A broker that knows a batch is a duplicate, but no longer where it lies, answers with no offset.
    if (answer.baseOffset >= 0) batch.offset = answer.baseOffset;
  }

  #tryAgain(client: WireClient): Promise<never> {
    this.#again = true;
    client.close();
    return Promise.reject(new ConnectionLost("to try again"));
  }

  #make(): Batch {
    const count = 1 + this.#prng.integer(20);
    const first = this.#next;
    this.#next += count;
    const records = Array.from({ length: count }, (_, i) => ({
      value: Buffer.from(`${first + i}:${"x".repeat(this.#prng.integer(3000))}`),
      timestamp: Date.now(),
    }));
    const producer = this.#producer;
    const bytes = buildBatch(records, {
      compression: this.#prng.oneIn(4) ? 1 : 0,
      ...(producer === undefined
        ? {}
        : { producerId: producer.id, producerEpoch: producer.epoch, baseSequence: first % 2 ** 31 }),
    });
    const batch: Batch = { first, count, bytes, offset: undefined };
    this.sent.push(batch);
    return batch;
  }
}
