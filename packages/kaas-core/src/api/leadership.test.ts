import { expect, test } from "vitest";
import { exchange, versionsOf } from "../../test/fakes/api-exchange.js";
import { FakePartitionLog } from "../../test/fakes/fake-partition-log.js";
import { soleBroker } from "../../test/fakes/sole-broker.js";
import { SoleLeadership } from "../cluster/sole-leadership.js";
import { Topic, TopicTable } from "../cluster/topic-table.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  AlterPartitionReassignmentsResponse,
  ElectLeadersResponse,
  ListPartitionReassignmentsResponse,
} from "../messages/generated/index.js";
import type { LeadershipWishes, WishResult } from "../ports/leadership-wishes.js";
import { electLeaders } from "./43-elect-leaders.js";
import { alterPartitionReassignments } from "./45-alter-partition-reassignments.js";
import { listPartitionReassignments } from "./46-list-partition-reassignments.js";

const ID = "AAAAAAAAAAAAAAAAAAAAAQ";
const DONE: WishResult = { errorCode: ErrorCode.NONE, message: null };

/** Topic `t`, of which partition 0 is open and partition 1 is not. */
function topics(): TopicTable {
  const table = new TopicTable();
  const topic = new Topic("t", ID, {}, {} as Topic["config"]);
  topic.partitions.push(new FakePartitionLog({ topic: "t", topicId: ID, partition: 0 }), undefined);
  table.add(topic);
  return table;
}

/** A broker whose controller says the same of everything, and what it was asked. */
function asking(result: WishResult) {
  const asked: unknown[][] = [];
  const answer = (...question: unknown[]) => {
    asked.push(question);
    return Promise.resolve((question.find(Array.isArray) as unknown[]).map(() => result));
  };
  const wishes: LeadershipWishes = {
    reassign: answer,
    elect: answer,
    moves: () =>
      Promise.resolve(
        result === DONE
          ? [
              { topic: "t", topicId: ID, partition: 1, from: 0, to: 1 },
              { topic: "u", topicId: ID, partition: 0, from: -1, to: 2 },
            ]
          : result,
      ),
  };
  return { asked, services: { topics: topics(), cluster: soleBroker(), wishes } };
}

const alone = () => ({ topics: topics(), cluster: soleBroker(), wishes: new SoleLeadership(topics()) });
const LATE: WishResult = { errorCode: ErrorCode.REQUEST_TIMED_OUT, message: "the controller does not answer" };

test.each(versionsOf(alterPartitionReassignments))("AlterPartitionReassignments version %i", async (version) => {
  const { asked, services } = asking(DONE);
  const partitions = [
    { partitionIndex: 0, replicas: [1] },
    { partitionIndex: 1, replicas: null },
    { partitionIndex: 2, replicas: [1] },
    { partitionIndex: 0, replicas: [3] },
  ];
  const changeable = version >= 1 ? { allowReplicationFactorChange: true } : {};
  const request = { timeoutMs: 70, ...changeable, topics: [{ name: "t", partitions }] };
  const handler = alterPartitionReassignments;
  const response = await exchange<AlterPartitionReassignmentsResponse>(services, handler, version, request);
  expect(response.responses[0]?.partitions.map(({ errorCode }) => errorCode)).toEqual([0, 0, 3, 39]);
  const partition = { topic: "t", topicId: ID };
  const wished = [
    { ...partition, partition: 0, brokers: [1] },
    { ...partition, partition: 1, brokers: null },
  ];
  expect(asked).toEqual([[wished, 70]]);
  const late = await exchange<AlterPartitionReassignmentsResponse>(asking(LATE).services, handler, version, {
    ...request,
    topics: [{ name: "t", partitions: partitions.slice(0, 2) }],
  });
  expect(late).toMatchObject({ errorCode: LATE.errorCode, errorMessage: LATE.message, responses: [] });
});

test.each(versionsOf(listPartitionReassignments))("ListPartitionReassignments version %i", async (version) => {
  const list = (topics: object[] | null, result = DONE) =>
    exchange<ListPartitionReassignmentsResponse>(asking(result).services, listPartitionReassignments, version, {
      timeoutMs: 70,
      topics,
    });
  const t = { partitionIndex: 1, replicas: [1, 0], addingReplicas: [1], removingReplicas: [0] };
  const u = { partitionIndex: 0, replicas: [2], addingReplicas: [2], removingReplicas: [] };
  expect((await list(null)).topics).toEqual([
    { name: "t", partitions: [t] },
    { name: "u", partitions: [u] },
  ]);
  const { topics: named } = await list([{ name: "t", partitionIndexes: [0, 1] }]);
  expect(named).toEqual([{ name: "t", partitions: [t] }]);
  expect((await list([{ name: "t", partitionIndexes: [0] }])).topics).toEqual([]);
  expect(await list(null, LATE)).toMatchObject({ errorCode: LATE.errorCode, errorMessage: LATE.message });
});

test.each(versionsOf(electLeaders))("ElectLeaders version %i", async (version) => {
  const elect = (services: object, topicPartitions: object[] | null, electionType = 0) =>
    exchange<ElectLeadersResponse>(services, electLeaders, version, {
      ...(version >= 1 ? { electionType } : {}),
      timeoutMs: 70,
      topicPartitions,
    });
  const some = [
    { topic: "t", partitions: [0, 1, 2] },
    { topic: "u", partitions: [0] },
  ];
  const codes = ({ replicaElectionResults }: ElectLeadersResponse) =>
    replicaElectionResults.map(({ partitionResult }) => partitionResult.map(({ errorCode }) => errorCode));
  const { ELECTION_NOT_NEEDED, PREFERRED_LEADER_NOT_AVAILABLE, ELIGIBLE_LEADERS_NOT_AVAILABLE } = ErrorCode;
  expect(codes(await elect(alone(), some))).toEqual([[ELECTION_NOT_NEEDED, PREFERRED_LEADER_NOT_AVAILABLE, 3], [3]]);
  expect(codes(await elect(alone(), null))).toEqual([[PREFERRED_LEADER_NOT_AVAILABLE]]);
  const { asked, services } = asking(DONE);
  expect(codes(await elect(services, null))).toEqual([[0, 0]]);
  expect(asked[0]?.[0]).toBe("preferred");
  const late = await elect(asking(LATE).services, [{ topic: "t", partitions: [0, 1] }]);
  expect(codes(late)).toEqual([[LATE.errorCode, LATE.errorCode]]);
  if (version === 0) return;
  expect(late.errorCode).toBe(LATE.errorCode);
  expect(codes(await elect(alone(), some, 1))[0]?.[1]).toBe(ELIGIBLE_LEADERS_NOT_AVAILABLE);
  const strange = await elect(alone(), some, 2);
  expect([strange.errorCode, codes(strange)]).toEqual([42, [[42, 42, 42], [42]]]);
});

test("who may not have leaders elected is told so, even if he asks for none", () => {
  const failed = electLeaders.fail(
    { electionType: 0, topicPartitions: [], timeoutMs: 1 },
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
  );
  expect(failed).toMatchObject({ errorCode: ErrorCode.CLUSTER_AUTHORIZATION_FAILED, replicaElectionResults: [] });
});
