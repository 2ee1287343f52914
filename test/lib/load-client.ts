// A client that costs little beside the broker: a request is made once, and sent again and again with a new id.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { codecOf, requestFrame } from "../../packages/kaas-core/test/fakes/raw-client.js";
import type {
  CreateTopicsResponse,
  FetchResponse,
  ProduceResponse,
} from "../../packages/kaas-core/src/messages/generated/index.js";
import * as batch from "../../packages/kaas-core/src/records/batch.js";
import { buildBatch } from "../../packages/kaas-core/src/records/build-batch.js";
import { Reader } from "../../packages/kaas-core/src/wire/reader.js";

/** Keys and flexible versions, whose response headers end with tags. */
const PRODUCE = [0, 9] as const;
const FETCH = [1, 12] as const;
const CREATE_TOPICS = [19, 7] as const;
const CORRELATION_ID_AT = 8;
const FETCH_BYTES_MAX = 50 << 20;

/** Appends of one batch to one partition each, over all partitions of a topic in turn. */
export type ProduceLoad = {
  readonly topic: string;
  readonly partitions: number;
  readonly requests: number;
  readonly inFlight: number;
  readonly recordBytes: number;
  readonly recordsPerBatch: number;
};

/** Reading a topic from its beginning, all partitions in each request, until so many bytes have come. */
export type FetchLoad = {
  readonly topic: string;
  readonly partitions: number;
  readonly bytes: number;
  readonly partitionBytesMax: number;
};

export class LoadClient {
  readonly #socket: Socket;
  readonly #waiting: { resolve(frame: Buffer): void; reject(error: Error): void }[] = [];
  #chunks: Buffer[] = [];
  #size = 0;
  #correlationId = 0;
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#received(chunk));
    socket.on("error", () => undefined); // followed by "close"
    socket.on("close", () => this.#closed());
  }

  static async connect(port: number): Promise<LoadClient> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    return new LoadClient(socket);
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Checks nothing beforehand, as Apache Kafka's own tool does: kaas knows values that it does not. */
  async createTopic(name: string, numPartitions: number, configs: Readonly<Record<string, string>>): Promise<void> {
    const entries = Object.entries(configs).map(([key, value]) => ({ name: key, value }));
    const topics = [{ name, numPartitions, replicationFactor: 1, assignments: [], configs: entries }];
    const message = { topics, timeoutMs: 60_000, validateOnly: false };
    const answer = await this.#call<CreateTopicsResponse>(CREATE_TOPICS, requestFrame(...CREATE_TOPICS, 0, message));
    for (const { errorCode, errorMessage } of answer.topics) {
      if (errorCode !== 0) throw new Error(`topic ${name} was not created: ${errorCode} ${errorMessage}`);
    }
  }

  /** Resolves when all requests have been answered. */
  async produce(load: ProduceLoad): Promise<void> {
    const frames = Array.from({ length: load.partitions }, (_, partition) => produceFrame(load, partition));
    let left = load.requests;
    const stream = async (): Promise<void> => {
      while (left > 0) {
        const frame = Buffer.from(frames[--left % frames.length] as Buffer);
        for (const { partitionResponses } of (await this.#call<ProduceResponse>(PRODUCE, frame)).responses) {
          const failed = partitionResponses.find(({ errorCode }) => errorCode !== 0);
          if (failed !== undefined) throw new Error(`an append was answered with error ${failed.errorCode}`);
        }
      }
    };
    await Promise.all(Array.from({ length: load.inFlight }, stream));
  }

  /** Resolves with the number of requests that it took. */
  async fetch(load: FetchLoad): Promise<number> {
    const offsets = new Array<number>(load.partitions).fill(0);
    let requests = 0;
    for (let received = 0; received < load.bytes; requests++) {
      const answer = await this.#call<FetchResponse>(FETCH, fetchFrame(load, offsets));
      for (const { partitionIndex, errorCode, records } of answer.responses.flatMap(({ partitions }) => partitions)) {
        if (errorCode !== 0) throw new Error(`a read was answered with error ${errorCode}`);
        if (records === null || records.length === 0) continue;
        received += records.length;
        offsets[partitionIndex] = nextOffset(records);
      }
    }
    return requests;
  }

  async #call<Response>([apiKey, version]: readonly [number, number], frame: Buffer): Promise<Response> {
    if (this.#isClosed) throw new Error("the connection is closed");
    frame.writeInt32BE(this.#correlationId++, CORRELATION_ID_AT);
    this.#socket.write(frame);
    const reader = new Reader(
      await new Promise<Buffer>((resolve, reject) => {
        this.#waiting.push({ resolve, reject });
      }),
    );
    reader.int32();
    reader.skipTags();
    return codecOf(apiKey).readResponse(reader, version) as Response;
  }

  #closed(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error("the connection was closed"));
  }

  #received(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size >= 4) {
      if ((this.#chunks[0] as Buffer).length < 4) this.#chunks = [Buffer.concat(this.#chunks)];
      const size = (this.#chunks[0] as Buffer).readInt32BE(0) + 4;
      if (this.#size < size) return;
      const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
      this.#chunks = all.length === size ? [] : [all.subarray(size)];
      this.#size -= size;
      this.#waiting.shift()?.resolve(all.subarray(4, size));
    }
  }
}

function produceFrame({ topic, recordBytes, recordsPerBatch }: ProduceLoad, index: number): Buffer {
  const record = { value: Buffer.alloc(recordBytes, 7), timestamp: Date.now() };
  const records = buildBatch(Array.from({ length: recordsPerBatch }, () => record));
  const topicData = [{ name: topic, partitionData: [{ index, records }] }];
  return requestFrame(...PRODUCE, 0, { transactionalId: null, acks: -1, timeoutMs: 30_000, topicData });
}

function fetchFrame({ topic, partitionBytesMax }: FetchLoad, offsets: readonly number[]): Buffer {
  const partitions = offsets.map((fetchOffset, partition) => ({
    partition,
    fetchOffset,
    partitionMaxBytes: partitionBytesMax,
    currentLeaderEpoch: -1,
    lastFetchedEpoch: -1,
    logStartOffset: -1,
  }));
  return requestFrame(...FETCH, 0, {
    replicaId: -1,
    maxWaitMs: 500,
    minBytes: 1,
    maxBytes: FETCH_BYTES_MAX,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: -1,
    topics: [{ topic, partitions }],
    forgottenTopicsData: [],
    rackId: "",
  });
}

function nextOffset(records: Buffer): number {
  let at = 0;
  while (at + batch.batchSize(records, at) < records.length) at += batch.batchSize(records, at);
  return batch.lastOffset(records, at) + 1;
}
