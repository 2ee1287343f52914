/**
 * Produce (key 0), versions 3-13; version 0 is advertised as well (see the registry) and refused like Apache Kafka
 * does.
 *
 * Appends one record batch to each of some partitions.
 *
 * - v3: v2 record batches only, and exactly one for each partition (KIP-98).
 * - v7: batches may be compressed with zstd (KIP-110).
 * - v8: which records of a refused batch were at fault (KIP-467).
 * - v10: where the leader has gone (KIP-951), as soon as its epoch is known.
 * - v13: topics by id instead of name (KIP-516).
 *
 * acks=0 has no answer at all; where one would have said an error, the connection is closed so that the client notices.
 */
import { ErrorCode, errorName } from "../errors/error-codes.js";
import type { Topic } from "../cluster/topic-table.js";
import type {
  ProduceRequest,
  ProduceRequestPartitionProduceData,
  ProduceResponseInit,
  ProduceResponsePartitionProduceResponseInit,
} from "../messages/generated/index.js";
import type { AppendResult } from "../ports/partition-logs.js";
import * as batch from "../records/batch.js";
import type { Deadline, Expirable } from "../timers/coarse-timer.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";
import type { NodeEndpoint } from "./cluster-endpoints.js";
import { LeaderHints } from "./leader-hints.js";

const TOPIC_IDS_SINCE = 13;
const ZSTD_SINCE = 7;
const LEADERS_SINCE = 10;

type PartitionResponse = ProduceResponsePartitionProduceResponseInit;

export const produce: ApiHandler<ProduceRequest, ProduceResponseInit> = {
  key: 0,
  versionMin: 3,
  versionMax: 13,

  handle(context, request) {
    const { acks } = request;
    if (acks !== -1 && acks !== 0 && acks !== 1) return this.fail(request, ErrorCode.INVALID_REQUIRED_ACKS);
    if (isForeignTransaction(context, request)) {
      return this.fail(request, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
    }
    const appends = new PendingAppends(context, request, acks);
    return acks === 0 ? appends.unanswered() : appends.answered();
  },

  fail(request, errorCode) {
    if (request.acks === 0) return undefined;
    return {
      responses: request.topicData.map(({ name, topicId, partitionData }) => ({
        name,
        topicId,
        partitionResponses: partitionData.map(({ index }) => refused(index, errorCode)),
      })),
    };
  },
};

const NO_ENDPOINTS: readonly NodeEndpoint[] = [];
const NO_RECORD_ERRORS: NonNullable<PartitionResponse["recordErrors"]> = [];

/** The appends of one request, and the response that fills while they finish, in any order. */
class PendingAppends implements Expirable {
  done = false;
  readonly #context: RequestContext;
  readonly #responses: { name: string; topicId: string; partitionResponses: PartitionResponse[] }[] = [];
  /** Appends that have no result yet. */
  #unfinished = 0;
  #firstError: ErrorCode = ErrorCode.NONE;
  #nodeEndpoints: readonly NodeEndpoint[] = NO_ENDPOINTS;
  #resolve: ((response: ProduceResponseInit | undefined) => void) | undefined;
  readonly #timeoutMs: number;
  #deadline: Deadline | undefined;

  constructor(context: RequestContext, request: ProduceRequest, acks: -1 | 0 | 1) {
    this.#context = context;
    this.#timeoutMs = request.timeoutMs;
    const { topics } = context.broker;
    const { access } = context.connection;
    const byId = context.apiVersion >= TOPIC_IDS_SINCE;
    const isTransactional = request.transactionalId !== null;
    for (const { name, topicId, partitionData } of request.topicData) {
      const found = byId ? topics.byId(topicId) : topics.byName(name);
      const isForbidden = (found !== undefined || !byId) && !access.may("WRITE", "TOPIC", found?.name ?? name);
      const topic = isForbidden ? undefined : found;
      const partitionResponses: PartitionResponse[] = new Array(partitionData.length);
      this.#responses.push({ name, topicId, partitionResponses });
      const unknown = isForbidden ? ErrorCode.TOPIC_AUTHORIZATION_FAILED : unknownTopic(byId);
      for (let slot = 0; slot < partitionData.length; slot++) {
        const data = partitionData[slot] as ProduceRequestPartitionProduceData;
        this.#append(partitionResponses, slot, data, topic, unknown, isTransactional, acks);
      }
    }
  }

  /** For acks=0: nothing to say, unless something went wrong. */
  unanswered(): Promise<undefined> | undefined {
    if (this.#unfinished === 0) {
      this.#complainUnanswered();
      return undefined;
    }
    return new Promise((resolve) => {
      this.#resolve = () => {
        this.#complainUnanswered();
        resolve(undefined);
      };
    });
  }

  answered(): ProduceResponseInit | Promise<ProduceResponseInit | undefined> {
    if (this.#unfinished === 0) return this.#response();
    this.#deadline = this.#context.broker.deadlines.add(this.#timeoutMs, this);
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** The client's timeout has passed: what is not durable yet is answered as such, and may still become so. */
  expire(): void {
    for (const { partitionResponses } of this.#responses) {
      for (const response of partitionResponses) {
        if (response.errorCode === UNFINISHED)
          Object.assign(response, refused(response.index, ErrorCode.REQUEST_TIMED_OUT));
      }
    }
    this.#finish();
  }

  #append(
    responses: PartitionResponse[],
    slot: number,
    data: ProduceRequestPartitionProduceData,
    topic: Topic | undefined,
    unknown: ErrorCode,
    isTransactional: boolean,
    acks: -1 | 0 | 1,
  ): void {
    const { index, records } = data;
    if (topic === undefined || index < 0 || index >= topic.partitionCount) {
      this.#refuse(
        responses,
        slot,
        refused(index, topic === undefined ? unknown : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
      );
      return;
    }
    const log = topic.partitions[index];
    if (log === undefined) {
      topic.metrics.produceFailed();
      this.#refuse(responses, slot, refused(index, ErrorCode.NOT_LEADER_OR_FOLLOWER));
      return;
    }
    const problem = checkRecords(records, this.#context.apiVersion, isTransactional);
    if (problem !== undefined) {
      topic.metrics.produceFailed();
      this.#refuse(responses, slot, refused(index, problem.errorCode, problem.message));
      return;
    }
    responses[slot] = refused(index, UNFINISHED);
    this.#unfinished++;
    const bytes = (records as Buffer).length;
    const messages = bytes < batch.BATCH_HEADER_BYTES ? 0 : batch.recordCount(records as Buffer, 0);
    const appended = log.append(records as Buffer, acks, undefined, this.#context.requestMemory);
    void appended.then((result) => {
      if (result.errorCode === ErrorCode.NONE) topic.metrics.produced(messages, bytes);
      else topic.metrics.produceFailed();
      this.#appended(responses, slot, index, result);
    });
  }

  #refuse(responses: PartitionResponse[], slot: number, response: PartitionResponse): void {
    responses[slot] = response;
    if (this.#firstError === ErrorCode.NONE) this.#firstError = response.errorCode as ErrorCode;
  }

  #appended(responses: PartitionResponse[], slot: number, index: number, result: AppendResult): void {
    if (this.done) return;
    if (result.errorCode !== ErrorCode.NONE && this.#firstError === ErrorCode.NONE) this.#firstError = result.errorCode;
    responses[slot] = {
      index,
      errorCode: result.errorCode,
      baseOffset: result.baseOffset,
      logAppendTimeMs: result.logAppendTimeMs,
      logStartOffset: result.logStartOffset,
      recordErrors: result.recordErrors.length === 0 ? NO_RECORD_ERRORS : named(result.recordErrors),
      errorMessage: result.errorMessage,
      currentLeader: null,
    };
    if (--this.#unfinished === 0) this.#finish();
  }

  #finish(): void {
    this.done = true;
    this.#deadline?.remove();
    this.#resolve?.(this.#response());
  }

  #response(): ProduceResponseInit {
    if (this.#firstError !== ErrorCode.NONE && this.#context.apiVersion >= LEADERS_SINCE) this.#tellLeaders();
    return { responses: this.#responses, nodeEndpoints: this.#nodeEndpoints };
  }

  #tellLeaders(): void {
    const { topics } = this.#context.broker;
    const byId = this.#context.apiVersion >= TOPIC_IDS_SINCE;
    const hints = new LeaderHints(this.#context);
    for (const { name, topicId, partitionResponses } of this.#responses) {
      for (const [slot, response] of partitionResponses.entries()) {
        if (response.errorCode !== ErrorCode.NOT_LEADER_OR_FOLLOWER) continue;
        const topic = byId ? topics.byId(topicId) : topics.byName(name);
        partitionResponses[slot] = { ...response, currentLeader: hints.leaderOf(topic, response.index) };
      }
    }
    this.#nodeEndpoints = hints.nodeEndpoints;
  }

  #complainUnanswered(): void {
    if (this.#firstError === ErrorCode.NONE) return;
    this.#context.connection.close(`produce with acks=0 failed with ${errorName(this.#firstError)}`);
  }
}

function unknownTopic(byId: boolean): ErrorCode {
  return byId ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
}

/** Whether a request brings batches of a transaction that is not its sender's to write. */
function isForeignTransaction({ connection }: RequestContext, { transactionalId, topicData }: ProduceRequest): boolean {
  if (transactionalId === null || connection.access.may("WRITE", "TRANSACTIONAL_ID", transactionalId)) return false;
  return topicData.some(({ partitionData }) =>
    partitionData.some(
      ({ records }) =>
        records !== null && records.length >= batch.BATCH_HEADER_BYTES && batch.isTransactional(records, 0),
    ),
  );
}

function named(recordErrors: AppendResult["recordErrors"]): PartitionResponse["recordErrors"] {
  return recordErrors.map(({ batchIndex, message }) => ({ batchIndex, batchIndexErrorMessage: message }));
}

/** Stands in a partition's response until its append has finished; no wire code. */
const UNFINISHED = -2;

function refused(index: number, errorCode: number, message: string | null = null): PartitionResponse {
  return {
    index,
    errorCode,
    baseOffset: -1,
    logAppendTimeMs: -1,
    logStartOffset: -1,
    recordErrors: NO_RECORD_ERRORS,
    errorMessage: message,
    currentLeader: null,
  };
}

/** What the request's version asks of the records, before the log looks at them. */
function checkRecords(
  records: Buffer | null,
  version: number,
  isTransactional: boolean,
): { errorCode: ErrorCode; message: string } | undefined {
  if (records === null || records.length === 0) {
    return {
      errorCode: ErrorCode.INVALID_RECORD,
      message: "A produce request needs one record batch for each partition",
    };
  }
  // What is no batch of this format is for the log to refuse, which knows how Kafka names each fault.
  if (records.length < batch.BATCH_HEADER_BYTES || batch.magic(records, 0) !== batch.MAGIC_V2) return undefined;
  const size = batch.batchSize(records, 0);
  if (size < records.length && size >= batch.BATCH_HEADER_BYTES) {
    return {
      errorCode: ErrorCode.INVALID_RECORD,
      message: "A produce request has exactly one record batch for each partition",
    };
  }
  if (version < ZSTD_SINCE && batch.compression(records, 0) === batch.Compression.ZSTD) {
    return {
      errorCode: ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
      message: `Produce version ${version} cannot carry records compressed with zstd`,
    };
  }
  if (!isTransactional && batch.isTransactional(records, 0)) {
    return {
      errorCode: ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
      message: "Only a producer with a transactional id sends transactional batches",
    };
  }
  return undefined;
}
