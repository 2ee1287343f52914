import { randomUUID } from "node:crypto";
import type { Kafka, Producer } from "kafkajs";
import { connectedProducer } from "./clients.js";

/** What became of the records of one partition. */
interface Sent {
  readonly acknowledged: string[];
  /** Longest time between two acknowledgements. */
  gapMs: number;
  lastMs: number;
}

/** One record after the other to each of some partitions, for as long as it runs. */
export class Load {
  readonly errors: string[] = [];
  readonly #client: Kafka;
  readonly #topic: string;
  readonly #timeoutMs: number;
  readonly #sent = new Map<number, Sent>();
  /** Tells the records of this load from all others. */
  readonly #name = randomUUID();
  readonly #producers: Producer[] = [];
  #running: Promise<unknown> = Promise.resolve();
  #isOver = false;

  /** `timeoutMs`: how long a broker may take over a record. */
  constructor(client: Kafka, topic: string, timeoutMs = 1_500) {
    this.#client = client;
    this.#topic = topic;
    this.#timeoutMs = timeoutMs;
  }

  /** Resolves once each partition has taken a record. */
  async start(partitions: readonly number[]): Promise<void> {
    const begun = partitions.map(async (partition) => {
      const producer = await connectedProducer(this.#client);
      this.#producers.push(producer);
      const sent: Sent = { acknowledged: [], gapMs: 0, lastMs: performance.now() };
      this.#sent.set(partition, sent);
      await this.#send(producer, partition, sent);
      sent.gapMs = 0;
      return { producer, partition, sent };
    });
    const loops = (await Promise.all(begun)).map(async ({ producer, partition, sent }) => {
      while (!this.#isOver) await this.#send(producer, partition, sent);
    });
    this.#running = Promise.all(loops);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
    await Promise.all(this.#producers.map((producer) => producer.disconnect()));
  }

  /** Forgets how long acknowledgements took so far. */
  resetGaps(): void {
    for (const sent of this.#sent.values()) sent.gapMs = 0;
  }

  get gapsMs(): ReadonlyMap<number, number> {
    return new Map([...this.#sent].map(([partition, { gapMs }]) => [partition, gapMs]));
  }

  get acknowledged(): ReadonlyMap<number, readonly string[]> {
    return new Map([...this.#sent].map(([partition, { acknowledged }]) => [partition, acknowledged]));
  }

  get count(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  /** By partition. */
  get counts(): readonly number[] {
    return [...this.#sent.values()].map(({ acknowledged }) => acknowledged.length);
  }

  async #send(producer: Producer, partition: number, sent: Sent): Promise<void> {
    const value = `${this.#name}-${partition}-${sent.acknowledged.length}-${this.errors.length}`;
    try {
      const messages = [{ partition, value }];
      await producer.send({ topic: this.#topic, acks: -1, timeout: this.#timeoutMs, messages });
      sent.acknowledged.push(value);
    } catch (error) {
      this.errors.push((error as Error).message);
    }
    const now = performance.now();
    sent.gapMs = Math.max(sent.gapMs, now - sent.lastMs);
    sent.lastMs = now;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export interface ReadRecord {
  readonly offset: number;
  readonly value: string;
}

/** All records of a topic, by partition, up to the ends as they are now. */
export async function readRecords(client: Kafka, topic: string): Promise<Map<number, ReadRecord[]>> {
  const admin = client.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  const left = new Map(ends.map(({ partition, high }) => [partition, Number(high)]));
  const read = new Map<number, ReadRecord[]>(ends.map(({ partition }) => [partition, []]));
  // A group may be given a record twice: what counts is which, not how many.
  const offsets = new Map<number, Set<number>>(ends.map(({ partition }) => [partition, new Set()]));
  const consumer = client.consumer({ groupId: `read-${topic}-${process.pid}-${performance.now()}` });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    const look = (): void => {
      if ([...left].every(([partition, end]) => (offsets.get(partition)?.size ?? 0) >= end)) resolve();
    };
    look();
    consumer
      .run({
        async eachMessage({ partition, message: { offset, value } }) {
          offsets.get(partition)?.add(Number(offset));
          read.get(partition)?.push({ offset: Number(offset), value: value?.toString() ?? "" });
          look();
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
  return read;
}

/** All values of a topic, by partition, up to the ends as they are now. */
export async function readBack(client: Kafka, topic: string): Promise<Map<number, string[]>> {
  const records = await readRecords(client, topic);
  return new Map([...records].map(([partition, all]) => [partition, all.map(({ value }) => value)]));
}

/** Records that were acknowledged and cannot be read, and how many can be read more than once. */
export function judge(
  acknowledged: ReadonlyMap<number, readonly string[]>,
  read: ReadonlyMap<number, readonly string[]>,
): { readonly lost: number; readonly repeated: number } {
  let lost = 0;
  let repeated = 0;
  for (const [partition, values] of acknowledged) {
    const own = new Set(values);
    const found = (read.get(partition) ?? []).filter((value) => own.has(value));
    const unique = new Set(found);
    repeated += found.length - unique.size;
    lost += values.filter((value) => !unique.has(value)).length;
  }
  return { lost, repeated };
}
