// A producer of one partition that knows what was acknowledged to it, and what is in doubt since a connection broke.
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { InitProducerIdResponse, ProduceResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import * as batch from "../../packages/kaas-core/src/records/batch.js";
import { buildBatch, type RecordInput } from "../../packages/kaas-core/src/records/build-batch.js";
import type { Prng } from "../bad-input/prng.js";
import { type AnswerPlace, ConnectionLost, placeOf, type WireClient } from "../lib/wire-client.js";
import { Actor, pause } from "./actor.js";
import type { Moment } from "./moment.js";
import { type LogContent, logProblems, readLog } from "./partition-check.js";

/** `idempotent` sends again what a broken connection left unanswered, and so does `retrying`; `plain` does not. */
export type WriterKind = "idempotent" | "retrying" | "plain";

export type SentBatch = {
  /** Number of the first record; records are numbered from 0 by their writer. */
  readonly first: number;
  readonly count: number;
  readonly bytes: Buffer;
  offset: number | undefined;
  answer: AnswerPlace | undefined;
};

export type WriterOptions = {
  readonly topic: string;
  readonly partition: number;
  readonly kind: WriterKind;
  readonly prng: Prng;
  readonly pauseMs: number;
  /** Of the value of a record; now and then one is larger by far. */
  readonly recordBytesMax: number;
  readonly hasLargeRecords?: boolean;
  /** What is wrong with where the log begins; it begins at 0 unless something may be deleted. */
  readonly startProblem?: (writer: Writer, log: LogContent, moment: Moment) => string | undefined;
};

const IN_FLIGHT_MAX = 5;
const PRODUCE_VERSION = 9;
const LARGE_RECORD_BYTES_MAX = 200_000;
/** Errors after which a client asks for metadata and tries again: the broker is starting. */
const TRY_AGAIN = new Set([3, 5, 6, 7, 13, 19, 20, 56]);

export class Writer extends Actor {
  readonly topic: string;
  readonly partition: number;
  readonly kind: WriterKind;
  /** Every batch that was ever sent, in order. */
  readonly sent: SentBatch[] = [];
  protected readonly prng: Prng;
  readonly #options: WriterOptions;
  readonly #byChecksum = new Map<number, SentBatch>();
  #next = 0;
  #producer: { readonly id: number; readonly epoch: number } | undefined;
  #unanswered: SentBatch[] = [];
  #again = false;

  constructor(options: WriterOptions) {
    super(options.pauseMs);
    this.topic = options.topic;
    this.partition = options.partition;
    this.kind = options.kind;
    this.prng = options.prng;
    this.#options = options;
  }

  get acknowledgedCount(): number {
    return this.sent.filter(({ offset }) => offset !== undefined).length;
  }

  /** Where the acknowledged records end. */
  get acknowledgedEnd(): number {
    const last = this.sent.findLast(({ offset }) => offset !== undefined);
    return last?.offset === undefined ? 0 : last.offset + last.count;
  }

  /** The batch with that checksum. */
  find(checksum: number): SentBatch | undefined {
    return this.#byChecksum.get(checksum);
  }

  async problems(client: WireClient, moment: Moment): Promise<string[]> {
    const log = await readLog(client, this.topic, this.partition);
    const startProblem = this.#options.startProblem ?? notAtZero;
    const problem = startProblem(this, log, moment);
    const problems = problem === undefined ? [] : [`${this.topic}-${this.partition}: ${problem}`];
    return [...problems, ...this.surprises.splice(0), ...logProblems(this, log, moment)];
  }

  /** Writes until the connection breaks or {@link stop} is called. */
  protected override async live(port: number): Promise<void> {
    do {
      this.#again = false;
      await super.live(port);
      if (this.kind === "plain") this.#unanswered = [];
      if (this.#again) await pause(50);
    } while (this.#again && !this.isStopping);
  }

  protected async step(client: WireClient): Promise<void> {
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
    const answers: Promise<void>[] = this.#unanswered.splice(0).map((sent) => this.#send(client, sent));
    const turns = this.#options.pauseMs > 0 ? 1 : Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < turns && !this.isStopping && !client.isClosed; turn++) {
      const inFlight = this.#options.pauseMs > 0 ? 1 + this.prng.integer(IN_FLIGHT_MAX) : IN_FLIGHT_MAX;
      while (this.#unanswered.length < inFlight && !this.isStopping) answers.push(this.#send(client, this.#make()));
      await Promise.race(answers.slice(-IN_FLIGHT_MAX));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(answers);
  }

  /** The records of a batch whose first has that number. */
  protected records(first: number): RecordInput[] {
    const { recordBytesMax, hasLargeRecords = false } = this.#options;
    const bytesMax = hasLargeRecords && this.prng.oneIn(25) ? LARGE_RECORD_BYTES_MAX : recordBytesMax;
    const count = bytesMax > recordBytesMax ? 1 : 1 + this.prng.integer(20);
    return Array.from({ length: count }, (_, i) => ({
      value: Buffer.from(`${first + i}:${"x".repeat(this.prng.integer(bytesMax))}`),
      timestamp: Date.now(),
    }));
  }

  async #send(client: WireClient, sent: SentBatch): Promise<void> {
    this.#unanswered.push(sent);
    const response = await client.call<ProduceResponse>(ApiKey.Produce, PRODUCE_VERSION, {
      transactionalId: null,
      acks: -1,
      timeoutMs: 30_000,
      topicData: [{ name: this.topic, partitionData: [{ index: this.partition, records: sent.bytes }] }],
    });
    const answer = response.responses[0]?.partitionResponses[0];
    const code = answer?.errorCode ?? -1;
    if (TRY_AGAIN.has(code)) return this.#tryAgain(client);
    if (code !== 0 || answer === undefined) {
      this.stop();
      return this.surprise(
        `${this.topic}-${this.partition}: batch of record ${sent.first} answered with error ${code}`,
      );
    }
    this.#unanswered.splice(this.#unanswered.indexOf(sent), 1);
    // A broker that knows a batch is a duplicate, but no longer where it lies, answers with no offset.
    if (answer.baseOffset < 0) return;
    sent.offset = answer.baseOffset;
    sent.answer = placeOf(response);
  }

  #tryAgain(client: WireClient): Promise<never> {
    this.#again = true;
    client.close();
    return Promise.reject(new ConnectionLost("to try again"));
  }

  #make(): SentBatch {
    const first = this.#next;
    const records = this.records(first);
    this.#next += records.length;
    const producer = this.#producer;
    const bytes = buildBatch(records, {
      compression: this.prng.oneIn(4) ? 1 : 0,
      ...(producer === undefined
        ? {}
        : { producerId: producer.id, producerEpoch: producer.epoch, baseSequence: first % 2 ** 31 }),
    });
    const sent: SentBatch = { first, count: records.length, bytes, offset: undefined, answer: undefined };
    this.sent.push(sent);
    this.#byChecksum.set(batch.crc(bytes, 0), sent);
    return sent;
  }
}

function notAtZero(_: Writer, { startOffset }: LogContent): string | undefined {
  return startOffset === 0 ? undefined : `it begins at ${startOffset}, and nothing was deleted`;
}
