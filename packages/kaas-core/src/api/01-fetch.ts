/**
 * Fetch (key 1), versions 4-18.
 *
 * Reads record batches from some partitions, waiting up to a time until there are enough of them.
 *
 * - v4: isolation level and aborted transactions (KIP-98).
 * - v7: incremental sessions (KIP-227).
 * - v9: the client's leader epoch is checked (KIP-320).
 * - v10: zstd (KIP-110); before, batches compressed with it are refused.
 * - v11: closest replica (KIP-392); there is one copy, so the answer is always "read here".
 * - v12: the log tells a client where its own history diverges (KIP-595).
 * - v13: topics by id (KIP-516).
 * - v15, v17, v18: what followers say of themselves; there are no followers, so a client may send it and it changes
 *   nothing.
 * - v16: where the leader has gone (KIP-951), as soon as its epoch is known.
 */
import type { Topic } from "../cluster/topic-table.js";
import { ErrorCode } from "../errors/error-codes.js";
import { type FetchContext, openFetchContext } from "../fetch/fetch-context.js";
import { type FetchedPartition, type FetchLimits, FetchPass } from "../fetch/fetch-pass.js";
import { NO_SESSION } from "../fetch/fetch-sessions.js";
import { WaitingFetch } from "../fetch/waiting-fetch.js";
import type {
  FetchRequest,
  FetchResponseFetchableTopicResponseInit,
  FetchResponseInit,
  FetchResponsePartitionDataInit,
} from "../messages/generated/index.js";
import type { Lease } from "../ports/memory.js";
import type { PartitionLog } from "../ports/partition-logs.js";
import * as batch from "../records/batch.js";
import { type Access, fullAccess } from "../security/access.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";
import { LeaderHints } from "./leader-hints.js";

const TOPIC_IDS_SINCE = 13;
const ZSTD_SINCE = 10;
const LEADERS_SINCE = 16;
const READ_COMMITTED = 1;

/** A response with records, whose memory the logs have lent. */
type FetchAnswer = FetchResponseInit & { readonly lease?: Lease | undefined };

export const fetch: ApiHandler<FetchRequest, FetchAnswer> = {
  key: 1,
  versionMin: 4,
  versionMax: 18,

  handle(context, request) {
    const access = readAccess(context, request);
    if (access === undefined) return forbidden(request);
    const usesTopicIds = context.apiVersion >= TOPIC_IDS_SINCE;
    const opened = openFetchContext(context.broker.fetchSessions, request, usesTopicIds);
    if (typeof opened === "number") return { errorCode: opened, sessionId: NO_SESSION, responses: [] };
    return new FetchOperation(context, request, opened, usesTopicIds, access).start();
  },

  fail(request, errorCode) {
    return { errorCode, sessionId: NO_SESSION, responses: failedTopics(request, errorCode) };
  },

  lease(response) {
    return response.lease;
  },
};

/** A version without sessions has only its partitions to say an error with. */
function failedTopics(request: FetchRequest, errorCode: ErrorCode): FetchResponseFetchableTopicResponseInit[] {
  if (request.sessionId !== NO_SESSION) return [];
  return request.topics.map(({ topic, topicId, partitions }) => ({
    topic,
    topicId,
    partitions: partitions.map(({ partition }) => ({
      partitionIndex: partition,
      errorCode,
      highWatermark: -1,
      abortedTransactions: [],
      records: Buffer.alloc(0),
    })),
  }));
}

/** What calls itself a replica may read everything if it acts for the cluster, and nothing if it does not. */
function readAccess({ connection }: RequestContext, { replicaId, replicaState }: FetchRequest): Access | undefined {
  const isReplica = replicaId >= 0 || (replicaState?.replicaId ?? -1) >= 0;
  if (!isReplica) return connection.access;
  return connection.access.mayOnCluster("CLUSTER_ACTION") ? fullAccess : undefined;
}

function forbidden(request: FetchRequest): FetchAnswer {
  const responses = failedTopics(request, ErrorCode.TOPIC_AUTHORIZATION_FAILED);
  return { errorCode: ErrorCode.NONE, sessionId: NO_SESSION, responses };
}

/** How many bytes a fetch may bring by the quota of its client. */
function quotaBytesMax({ broker, connection, clientId }: RequestContext): number {
  if (broker.quotas.isIdle) return Number.POSITIVE_INFINITY;
  return broker.quotas.fetchBytesMax({ user: connection.principal.name, clientId: clientId ?? "" });
}

/** Charges records that are about to be sent; if the client has to wait first, how long, and nothing is charged then. */
function chargeFetched({ broker, connection, clientId }: RequestContext, bytes: number): number {
  const { quotas } = broker;
  if (quotas.isIdle) return 0;
  const client = { user: connection.principal.name, clientId: clientId ?? "" };
  const throttleMs = quotas.chargeBytes("consumer_byte_rate", client, bytes);
  if (throttleMs > 0) quotas.uncharge("consumer_byte_rate", client, bytes);
  return throttleMs;
}

/** One fetch from its first look at the logs to its answer. */
class FetchOperation {
  readonly #context: RequestContext;
  readonly #request: FetchRequest;
  readonly #fetch: FetchContext;
  readonly #limits: FetchLimits;
  #pass: FetchPass;
  /** What the last pass found was too little, and has been given back. */
  #isStale = false;
  #cancelOnClose: (() => void) | undefined;

  constructor(
    context: RequestContext,
    request: FetchRequest,
    fetchContext: FetchContext,
    usesTopicIds: boolean,
    access: Access,
  ) {
    this.#context = context;
    this.#request = request;
    this.#fetch = fetchContext;
    this.#limits = {
      isolation: request.isolationLevel === READ_COMMITTED ? "read_committed" : "read_uncommitted",
      maxBytes: Math.min(request.maxBytes, context.broker.config.number("fetch.max.bytes"), quotaBytesMax(context)),
      usesTopicIds,
      access,
    };
    this.#pass = new FetchPass(context.broker.topics, this.#limits);
  }

  start(): FetchAnswer | Promise<FetchAnswer | undefined> {
    const looked = this.#look();
    if (looked === true) return this.#answer();
    if (looked === false) return this.#wait(false);
    return looked.then((enough) => (enough ? this.#answer() : this.#wait(true)));
  }

  /** Makes a pass; whether it found enough. */
  #look(): boolean | Promise<boolean> {
    const running = this.#run();
    return running === undefined ? this.#isEnough() : running.then(() => this.#isEnough());
  }

  #run(): Promise<void> | undefined {
    this.#pass.release();
    const pass = new FetchPass(this.#context.broker.topics, this.#limits);
    this.#pass = pass;
    this.#isStale = false;
    const failed = (error: unknown): never => {
      pass.release();
      throw error;
    };
    try {
      return pass.run(this.#fetch.partitions.values())?.catch(failed);
    } catch (error) {
      return failed(error);
    }
  }

  #isEnough(): boolean {
    const { fetched, sizeBytes, urgent } = this.#pass;
    const { maxWaitMs } = this.#request;
    const minBytes = Math.min(this.#request.minBytes, this.#limits.maxBytes);
    if (urgent || sizeBytes >= minBytes || maxWaitMs <= 0 || fetched.length === 0) return true;
    // Clients that wait do not hold memory meanwhile. What is there is read again when their time is up.
    this.#isStale = sizeBytes > 0;
    this.#pass.release();
    return false;
  }

  /** `wasAway`: the logs may have advanced during the look, without anybody listening. */
  #wait(wasAway: boolean): Promise<FetchAnswer | undefined> {
    return new Promise((resolve, reject) => {
      const logs: PartitionLog[] = [];
      for (const { log } of this.#pass.fetched) if (log !== undefined) logs.push(log);
      const waiting = new WaitingFetch(logs, {
        look: () => this.#look(),
        answer: () => resolve(this.#isStale ? this.#readAgain() : this.#answer()),
        fail: reject,
      });
      this.#cancelOnClose = this.#context.connection.onClose(() => {
        waiting.stop();
        this.#pass.release();
        resolve(undefined);
      });
      waiting.start(this.#context.broker.deadlines, this.#request.maxWaitMs);
      if (wasAway) waiting.logAdvanced();
    });
  }

  async #readAgain(): Promise<FetchAnswer> {
    await this.#run();
    return this.#answer();
  }

  #answer(): FetchAnswer {
    this.#cancelOnClose?.();
    const throttleTimeMs = chargeFetched(this.#context, this.#pass.sizeBytes);
    if (throttleTimeMs > 0) return this.#throttled(throttleTimeMs);
    const { session, incremental } = this.#fetch;
    const responses: FetchResponseFetchableTopicResponseInit[] = [];
    let topic: { topic: string; topicId: string; partitions: FetchResponsePartitionDataInit[] } | undefined;
    let hints: LeaderHints | undefined;
    let served: Topic | undefined;
    for (const found of this.#pass.fetched) {
      const { asked } = found;
      const data = this.#refuseZstd(found.data);
      if (session !== undefined) {
        if (incremental && !isNews(found)) continue;
        tell(found);
        if (incremental && recordsFound(data)) session.moveToEnd(asked);
      }
      if (topic === undefined || topic.topic !== asked.topic || topic.topicId !== asked.topicId) {
        topic = { topic: asked.topic, topicId: asked.topicId, partitions: [] };
        responses.push(topic);
        const { topics } = this.#context.broker;
        served = this.#limits.usesTopicIds ? topics.byId(asked.topicId) : topics.byName(asked.topic);
      }
      if (this.#context.apiVersion >= LEADERS_SINCE && isForOthers(data)) {
        hints ??= new LeaderHints(this.#context);
        topic.partitions.push({ ...data, currentLeader: hints.leaderOf(served, asked.partition) });
      } else topic.partitions.push(data);
      if (data.errorCode === ErrorCode.NONE) served?.metrics.fetched(recordBytes(data));
      else served?.metrics.fetchFailed();
    }
    const sessionId = session?.id ?? NO_SESSION;
    const lease = this.#pass.takeLease();
    if (hints === undefined) return { errorCode: ErrorCode.NONE, sessionId, responses, lease };
    return { errorCode: ErrorCode.NONE, sessionId, responses, nodeEndpoints: hints.nodeEndpoints, lease };
  }

  /**
   * Nothing, and how long to wait before asking again (KIP-219). A session goes on, since its client was told nothing;
   * one that this very request would have opened does not come to be.
   */
  #throttled(throttleTimeMs: number): FetchAnswer {
    this.#pass.release();
    const { session, incremental } = this.#fetch;
    if (session !== undefined && !incremental) this.#context.broker.fetchSessions.remove(session.id);
    const sessionId = session !== undefined && incremental ? session.id : NO_SESSION;
    return { errorCode: ErrorCode.NONE, throttleTimeMs, sessionId, responses: [] };
  }

  /** A client that is too old for zstd must hear of it rather than fail on bytes it cannot read. */
  #refuseZstd(data: FetchResponsePartitionDataInit): FetchResponsePartitionDataInit {
    if (this.#context.apiVersion >= ZSTD_SINCE || !recordsFound(data)) return data;
    const first = Array.isArray(data.records) ? (data.records[0] as Buffer) : (data.records as Buffer);
    if (batch.compression(first, 0) !== batch.Compression.ZSTD) return data;
    return { ...data, errorCode: ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, records: Buffer.alloc(0) };
  }
}

/** Another leader, or another epoch of this one, is to be asked. */
function isForOthers({ errorCode }: FetchResponsePartitionDataInit): boolean {
  return errorCode === ErrorCode.NOT_LEADER_OR_FOLLOWER || errorCode === ErrorCode.FENCED_LEADER_EPOCH;
}

function recordsFound(data: FetchResponsePartitionDataInit): boolean {
  return data.records !== null && data.records.length > 0;
}

function recordBytes({ records }: FetchResponsePartitionDataInit): number {
  if (!Array.isArray(records)) return (records as Buffer | null)?.length ?? 0;
  let bytes = 0;
  for (const piece of records as readonly Buffer[]) bytes += piece.length;
  return bytes;
}

/** Whether an incremental response must name the partition: it has data, an error, or something the client was not told. */
function isNews({ asked, data }: FetchedPartition): boolean {
  return (
    recordsFound(data) ||
    data.errorCode !== ErrorCode.NONE ||
    (data.divergingEpoch ?? null) !== null ||
    data.highWatermark !== asked.toldHighWatermark ||
    data.logStartOffset !== asked.toldLogStartOffset
  );
}

/** Notes what the client is told; after an error nothing counts as told, so that it is named again. */
function tell({ asked, data }: FetchedPartition): void {
  asked.toldHighWatermark = data.errorCode === ErrorCode.NONE ? data.highWatermark : -1;
  asked.toldLogStartOffset = data.errorCode === ErrorCode.NONE ? (data.logStartOffset ?? -1) : -1;
}
