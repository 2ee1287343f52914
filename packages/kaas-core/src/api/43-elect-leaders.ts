/**
 * ElectLeaders (key 43), versions 0-2.
 *
 * Gives partitions the leader that they should have (KIP-183): the one that was wished for, else the one that balance
 * would choose. Null asks for all partitions, of which only those are answered that something was done about.
 *
 * - v1: unclean elections (KIP-460). All brokers see the same data, so none is; both kinds need a broker that lives.
 */
import { type Refusal, refuse } from "../errors/refusal.js";
import { ErrorCode } from "../errors/error-codes.js";
import type { ElectLeadersRequest, ElectLeadersResponseInit } from "../messages/generated/index.js";
import type { Election, WishedPartition } from "../ports/leadership-wishes.js";
import type { ApiHandler, RequestContext } from "./api-handler.js";
import { type AskedPartition, byTopic, failureOfAll, granted, knownPartition } from "./leadership-wish.js";

const ELECTIONS: readonly Election[] = ["preferred", "unclean"];
const ERROR_OF_ALL_SINCE = 1;

export const electLeaders: ApiHandler<ElectLeadersRequest, ElectLeadersResponseInit> = {
  key: 43,
  versionMin: 0,
  versionMax: 2,

  async handle(context, request) {
    const election = ELECTIONS[request.electionType];
    if (election === undefined) {
      return refused(request, refuse(ErrorCode.INVALID_REQUEST, `There is no election type ${request.electionType}`));
    }
    const asked = request.topicPartitions === null ? everyPartition(context) : namedPartitions(context, request);
    const { wishes } = context.broker;
    const results = await granted(asked, (those) => wishes.elect(election, those, request.timeoutMs));
    const failure = context.apiVersion >= ERROR_OF_ALL_SINCE ? failureOfAll(results) : undefined;
    if (failure !== undefined) return refused(request, failure);
    return respond(asked, results, request.topicPartitions !== null);
  },

  fail(request, errorCode) {
    return { ...refused(request, refuse(errorCode, "")), errorCode };
  },
};

/** Says the same to all that was asked for. Who asked for nothing is refused nothing. */
function refused({ topicPartitions }: ElectLeadersRequest, refusal: Refusal): ElectLeadersResponseInit {
  const asked = (topicPartitions ?? []).flatMap(({ topic, partitions }) =>
    partitions.map((partition) => ({ topic, partition })),
  );
  const answer = respond(
    asked,
    asked.map(() => refusal),
    true,
  );
  return topicPartitions?.length === 0 ? answer : { ...answer, errorCode: refusal.errorCode };
}

function everyPartition({ broker }: RequestContext): AskedPartition<WishedPartition>[] {
  return [...broker.topics.all()].flatMap(({ name, id, partitions }) =>
    partitions.map((_log, partition) => ({
      topic: name,
      partition,
      wish: { topic: name, topicId: id, partition },
    })),
  );
}

function namedPartitions(
  context: RequestContext,
  { topicPartitions }: ElectLeadersRequest,
): AskedPartition<WishedPartition>[] {
  return (topicPartitions ?? []).flatMap(({ topic, partitions }) =>
    partitions.map((partition) => {
      const wish = knownPartition(context, topic, partition) ?? unknown(context, topic, partition);
      return { topic, partition, wish };
    }),
  );
}

function unknown({ broker }: RequestContext, topic: string, partition: number): Refusal {
  const what = broker.topics.byName(topic) === undefined ? `topic as ${topic}` : `partition as ${topic}-${partition}`;
  return refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, `No such ${what}`);
}

function respond(
  asked: readonly { readonly topic: string; readonly partition: number }[],
  results: readonly Refusal[],
  tellsNotNeeded: boolean,
): ElectLeadersResponseInit {
  return {
    errorCode: ErrorCode.NONE,
    throttleTimeMs: 0,
    replicaElectionResults: [...byTopic(asked, results)].map(([topic, partitions]) => ({
      topic,
      partitionResult: partitions
        .filter(({ result }) => tellsNotNeeded || result.errorCode !== ErrorCode.ELECTION_NOT_NEEDED)
        .map(({ partition, result: { errorCode, message } }) => ({
          partitionId: partition,
          errorCode,
          errorMessage: message === "" ? null : message,
        })),
    })),
  };
}
