import { buildBatch, ErrorCode } from "@kaas/core";
import type { ProduceResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import { ConnectionLost, WireClient } from "../lib/wire-client.js";
import type { Acknowledgement } from "./epochs.js";

const PRODUCE = [0, 9] as const;
const ALL = -1;
const TIMEOUT_MS = 30_000;
/** Of one partition. */
const IN_FLIGHT = 2;
const PAUSE_MS = 25;
/** Before it asks a broker again that has refused, or cannot be reached. */
const REFUSED_PAUSE_MS = 100;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Sends records to one broker alone, whether that leads their partitions or not and whatever becomes of it, and keeps what
 * it answers. No record is sent twice.
 */
export class DirectClient {
  readonly acknowledged: Acknowledgement[] = [];
  /** Requests that were neither acknowledged nor refused yet. */
  waiting = 0;
  refused = 0;
  readonly #broker: string;
  readonly #host: string;
  readonly #port: number;
  readonly #connections = new Set<WireClient>();
  #running: Promise<unknown> = Promise.resolve();
  #count = 0;
  #isOver = false;

  constructor(broker: string, host: string, port: number) {
    this.#broker = broker;
    this.#host = host;
    this.#port = port;
  }

  start(topic: string, partitions: readonly number[]): void {
    this.#running = Promise.all(partitions.map((partition) => this.#serve(topic, partition)));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    for (const connection of this.#connections) connection.close();
    await this.#running;
  }

  /** A connection for a partition, so that one which hangs holds up no other. */
  async #serve(topic: string, partition: number): Promise<void> {
    while (!this.#isOver) {
      try {
        const connection = await WireClient.connect(this.#port, undefined, this.#host);
        this.#connections.add(connection);
        const streams = Array.from({ length: IN_FLIGHT }, () => this.#stream(connection, topic, partition));
        await Promise.all(streams).finally(() => {
          connection.close();
          this.#connections.delete(connection);
        });
      } catch (error) {
        if (!isAway(error)) throw error;
        await pause(REFUSED_PAUSE_MS);
      }
    }
  }

  async #stream(connection: WireClient, topic: string, partition: number): Promise<void> {
    while (!this.#isOver) {
      const value = `${this.#broker}/${this.#count++}`;
      const { errorCode, baseOffset } = await this.#send(connection, topic, partition, value);
      const atMs = Date.now();
      if (errorCode === ErrorCode.NONE) {
        this.acknowledged.push({ broker: this.#broker, partition, offset: baseOffset, value, atMs });
      } else this.refused++;
      await pause(errorCode === ErrorCode.NONE ? PAUSE_MS : REFUSED_PAUSE_MS);
    }
  }

  async #send(connection: WireClient, topic: string, partition: number, value: string) {
    const records = buildBatch([{ value: Buffer.from(value), timestamp: Date.now() }]);
    this.waiting++;
    try {
      const { responses } = await connection.call<ProduceResponse>(...PRODUCE, {
        transactionalId: null,
        acks: ALL,
        timeoutMs: TIMEOUT_MS,
        topicData: [{ name: topic, partitionData: [{ index: partition, records }] }],
      });
      const answer = responses[0]?.partitionResponses[0];
      if (answer === undefined) throw new Error("the answer says nothing of the partition");
      return answer;
    } finally {
      this.waiting--;
    }
  }
}

/** The broker cannot be reached, or has closed the connection: what was asked of it may be done or not. */
function isAway(error: unknown): boolean {
  return error instanceof ConnectionLost || (error as NodeJS.ErrnoException).syscall === "connect";
}
