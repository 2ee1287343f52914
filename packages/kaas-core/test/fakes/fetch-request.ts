import type {
  FetchRequest,
  FetchRequestFetchPartition,
  FetchRequestFetchTopic,
} from "../../src/messages/generated/index.js";
import { ZERO_UUID } from "../../src/wire/reader.js";

/** What is asked of one partition, where it differs from what a consumer asks at first. */
export type AskedPartition = Partial<FetchRequestFetchPartition> & { readonly partition: number };

/** A topic of a Fetch request, each partition from offset 0. */
export function fetchTopic(topic: string, topicId: string, asked: readonly AskedPartition[]): FetchRequestFetchTopic {
  const partitions = asked.map((partition) => ({
    fetchOffset: 0,
    partitionMaxBytes: 1_000_000,
    currentLeaderEpoch: -1,
    lastFetchedEpoch: -1,
    logStartOffset: -1,
    replicaDirectoryId: ZERO_UUID,
    highWatermark: 2 ** 63,
    ...partition,
  }));
  return { topic, topicId, partitions };
}

/** A Fetch request of a consumer without a session. */
export function fetchRequest(topics: FetchRequestFetchTopic[], rest: Partial<FetchRequest> = {}): FetchRequest {
  return {
    clusterId: null,
    replicaId: -1,
    replicaState: null,
    maxWaitMs: 500,
    minBytes: 1,
    maxBytes: 1_000_000,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: -1,
    forgottenTopicsData: [],
    rackId: "",
    topics,
    ...rest,
  };
}
