// A disk that cannot be read: the fetch says so, others are served, and so is the fetch that comes after.
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { FetchResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { WireClient } from "../lib/wire-client.js";
import type { Stage } from "./stage.js";

const STORAGE_ERROR = 56;
/** Far less than a broker waits for a disk that does not answer. */
const TOLD_WITHIN_MS = 15_000;

/** `topic` has records in partitions 0 and 1 that no cache of the broker's has. */
export async function endureReads(stage: Stage, topic: string): Promise<string> {
  const injected = stage.inject({ calls: ["read"], path: `/${topic}/0/`, error: "EIO" });
  return stage.ask(async (client) => {
    const begin = performance.now();
    const failed = await fetchFirst(client, topic, 0);
    const tookMs = performance.now() - begin;
    if (injected.hits === 0) throw new Error("nothing was read");
    if (failed.errorCode !== STORAGE_ERROR) throw new Error(`it was told ${failed.errorCode}`);
    if (tookMs > TOLD_WITHIN_MS) throw new Error(`it was told after ${tookMs} ms`);
    expectRecords(await fetchFirst(client, topic, 1), "the neighbour");
    injected.lift();
    expectRecords(await fetchFirst(client, topic, 0), "the next fetch");
    return `error ${STORAGE_ERROR} after ${tookMs.toFixed(0)} ms; the next fetch has the records`;
  });
}

type Fetched = { readonly errorCode: number; readonly bytes: number };

function expectRecords({ errorCode, bytes }: Fetched, who: string): void {
  if (errorCode !== 0 || bytes === 0) throw new Error(`${who} was told ${errorCode} and given ${bytes} bytes`);
}

async function fetchFirst(client: WireClient, topic: string, partition: number): Promise<Fetched> {
  const response = await client.call<FetchResponse>(ApiKey.Fetch, 12, {
    maxWaitMs: 500,
    minBytes: 1,
    maxBytes: 1 << 20,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: -1,
    topics: [{ topic, partitions: [{ partition, fetchOffset: 0, partitionMaxBytes: 1 << 20 }] }],
    forgottenTopicsData: [],
    rackId: "",
  });
  const answer = response.responses[0]?.partitions[0];
  return { errorCode: answer?.errorCode ?? -1, bytes: answer?.records?.length ?? 0 };
}
