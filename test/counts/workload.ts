// The fixed workload whose counts are guarded: what a producer and a consumer of records of 1 KiB do all day.
import type { LoadClient, ProduceLoad } from "../lib/load-client.js";

const RECORD_BYTES = 1024;
const RECORDS_PER_BATCH = 15;
/** Beside the records themselves: their lengths, and the batch's header. */
const RECORD_OVERHEAD_BYTES = 8;

export type Step = {
  readonly name: string;
  readonly topic: string;
  readonly partitions: number;
  readonly kind: "produce" | "fetch";
};

/** In this order: what is fetched has been produced before. */
export const steps: readonly Step[] = [
  { name: "produce, 1 partition", topic: "one", partitions: 1, kind: "produce" },
  { name: "produce, 16 partitions", topic: "sixteen", partitions: 16, kind: "produce" },
  { name: "fetch, 1 partition", topic: "one", partitions: 1, kind: "fetch" },
  { name: "fetch, 16 partitions", topic: "sixteen", partitions: 16, kind: "fetch" },
];

/** Bytes of records that a request brings. */
export const REQUEST_BYTES: number = RECORDS_PER_BATCH * (RECORD_BYTES + RECORD_OVERHEAD_BYTES);

/** Runs a step; resolves with the number of its requests. */
export async function runStep(
  client: LoadClient,
  { topic, partitions, kind }: Step,
  produced: number,
): Promise<number> {
  if (kind === "fetch") {
    return client.fetch({ topic, partitions, bytes: produced * REQUEST_BYTES, partitionBytesMax: 1 << 20 });
  }
  const load: ProduceLoad = {
    topic,
    partitions,
    requests: produced,
    inFlight: 5,
    recordBytes: RECORD_BYTES,
    recordsPerBatch: RECORDS_PER_BATCH,
  };
  await client.produce(load);
  return produced;
}
