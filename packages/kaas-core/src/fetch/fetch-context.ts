import { ErrorCode } from "../errors/error-codes.js";
import type { FetchRequest } from "../messages/generated/index.js";
import {
  type FetchSession,
  type FetchSessions,
  FINAL_EPOCH,
  INITIAL_EPOCH,
  NO_SESSION,
  type SessionPartition,
} from "./fetch-sessions.js";

/**
 * What one fetch request asks for, once its session (if any) has been taken into account (KIP-227):
 *
 * ```
 * session id   epoch    meaning
 * any          0        all partitions are named; open a session if there is room (the old one, if any, is closed)
 * any          −1       all partitions are named; no session (the old one, if any, is closed)
 * id           n        what changed since request n−1 of the session
 * ```
 */
export interface FetchContext {
  /** The partitions to serve, in order. */
  readonly partitions: ReadonlyMap<string, SessionPartition>;
  /** The session, when there is one after this request. */
  readonly session: FetchSession | undefined;
  /** Only what changed is answered. */
  readonly incremental: boolean;
}

/** The context of a request, or the top-level error that it is answered with. */
export function openFetchContext(
  sessions: FetchSessions,
  request: FetchRequest,
  usesTopicIds: boolean,
): FetchContext | ErrorCode {
  const { sessionId, sessionEpoch } = request;
  if (sessionEpoch === INITIAL_EPOCH || sessionEpoch === FINAL_EPOCH) {
    if (sessionId !== NO_SESSION) sessions.remove(sessionId);
    const partitions = new Map<string, SessionPartition>();
    addPartitions(partitions, request, usesTopicIds);
    const session = sessionEpoch === FINAL_EPOCH ? undefined : sessions.create(usesTopicIds, partitions);
    return { partitions, session, incremental: false };
  }
  return continueSession(sessions, request, usesTopicIds);
}

function continueSession(
  sessions: FetchSessions,
  request: FetchRequest,
  usesTopicIds: boolean,
): FetchContext | ErrorCode {
  const session = sessions.get(request.sessionId);
  if (session === undefined) return ErrorCode.FETCH_SESSION_ID_NOT_FOUND;
  if (session.epoch !== request.sessionEpoch) return ErrorCode.INVALID_FETCH_SESSION_EPOCH;
  if (session.usesTopicIds !== usesTopicIds) return ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR;
  addPartitions(session.partitions, request, usesTopicIds);
  for (const { topic, topicId, partitions } of request.forgottenTopicsData) {
    for (const partition of partitions) session.partitions.delete(keyOf(usesTopicIds ? topicId : topic, partition));
  }
  if (session.partitions.size === 0) {
    sessions.remove(session.id);
    return { partitions: session.partitions, session: undefined, incremental: false };
  }
  sessions.touch(session);
  session.advance();
  return { partitions: session.partitions, session, incremental: true };
}

function keyOf(topic: string, partition: number): string {
  return `${topic}:${partition}`;
}

function addPartitions(into: Map<string, SessionPartition>, request: FetchRequest, usesTopicIds: boolean): void {
  for (const { topic, topicId, partitions } of request.topics) {
    for (const asked of partitions) {
      const key = keyOf(usesTopicIds ? topicId : topic, asked.partition);
      const known = into.get(key);
      if (known === undefined) {
        into.set(key, {
          key,
          topic,
          topicId,
          partition: asked.partition,
          currentLeaderEpoch: asked.currentLeaderEpoch,
          fetchOffset: asked.fetchOffset,
          lastFetchedEpoch: asked.lastFetchedEpoch,
          maxBytes: asked.partitionMaxBytes,
          toldHighWatermark: -1,
          toldLogStartOffset: -1,
        });
      } else {
        known.currentLeaderEpoch = asked.currentLeaderEpoch;
        known.fetchOffset = asked.fetchOffset;
        known.lastFetchedEpoch = asked.lastFetchedEpoch;
        known.maxBytes = asked.partitionMaxBytes;
      }
    }
  }
}
