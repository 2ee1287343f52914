// Producers who do not care what they are told: each sends large batches as fast as they are taken, some with acks=0, and
// gives up waiting after half a second, so that the broker may forget the request but not what it has begun to write.
import { RawClient } from "../../packages/kaas-core/test/fakes/raw-client.js";
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import { buildBatch } from "../../packages/kaas-core/src/records/build-batch.js";
import { pause } from "../crash/actor.js";

const PRODUCE_VERSION = 9;
const PATIENCE_MS = 500;
/** What the broker has taken is not known here; this is about how much of it an impatient client sends. */
const PAUSE_MS = 2;

export type FloodOptions = { readonly topic: string; readonly partitions: number; readonly recordBytes: number };

export class Flood {
  /** Bytes that went out. */
  sentBytes = 0;
  readonly #options: FloodOptions;
  #isStopping = false;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: FloodOptions) {
    this.#options = options;
  }

  start(port: number): this {
    const sending = Array.from({ length: this.#options.partitions }, (_, partition) =>
      [-1, 0].map((acks) => this.#send(port, partition, acks)),
    );
    this.#ended = Promise.all(sending.flat());
    return this;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#ended;
  }

  async #send(port: number, index: number, acks: number): Promise<void> {
    const { topic, recordBytes } = this.#options;
    const records = buildBatch([{ value: Buffer.alloc(recordBytes, "f"), timestamp: Date.now() }]);
    while (!this.#isStopping) {
      // One that sends with acks=0 is told of an error by the end of its connection.
      const client = await RawClient.connect(port).catch(() => undefined);
      for (let id = 0; client !== undefined && !client.isClosed && !this.#isStopping; id++) {
        client.request(ApiKey.Produce, PRODUCE_VERSION, id, {
          transactionalId: null,
          acks,
          timeoutMs: PATIENCE_MS,
          topicData: [{ name: topic, partitionData: [{ index, records }] }],
        });
        client.frames.length = 0;
        this.sentBytes += records.length;
        await pause(PAUSE_MS);
        while (client.socket.writableNeedDrain && !this.#isStopping && !client.isClosed) {
          await pause(PAUSE_MS);
        }
      }
      client?.close();
      await pause(PAUSE_MS);
    }
  }
}
