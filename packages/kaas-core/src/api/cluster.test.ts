import { beforeEach, describe, expect, test } from "vitest";
import { exchange } from "../../test/fakes/api-exchange.js";
import type { FakePartitionLog } from "../../test/fakes/fake-partition-log.js";
import { GroupHarness } from "../../test/fakes/group-harness.js";
import { type HandlerHarness, handlerHarness } from "../../test/fakes/handler-context.js";
import type { Assignment } from "../cluster/assignment.js";
import { AssignmentView } from "../cluster/assignment-view.js";
import type { Topic } from "../cluster/topic-table.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  DescribeClusterResponse,
  DescribeClusterResponseInit,
  FetchResponseInit,
  FindCoordinatorResponse,
  MetadataResponseInit,
  ProduceResponseInit,
} from "../messages/generated/index.js";
import type { ClusterBroker } from "../ports/cluster-view.js";
import { buildBatch } from "../records/build-batch.js";
import { ZERO_UUID } from "../wire/reader.js";
import { produce } from "./00-produce.js";
import { fetch } from "./01-fetch.js";
import { metadata } from "./03-metadata.js";
import { findCoordinator } from "./10-find-coordinator.js";
import { deleteRecords } from "./21-delete-records.js";
import { offsetForLeaderEpoch } from "./23-offset-for-leader-epoch.js";
import { describeCluster } from "./60-describe-cluster.js";
import { listConfigResources } from "./74-list-config-resources.js";
import { describeTopicPartitions } from "./75-describe-topic-partitions.js";
import { listOffsets } from "./02-list-offsets.js";

const ID = "AAAAAAAAAAAAAAAAAAAAAQ";
const SELF = { nodeId: 1, name: "kaas-1", incarnation: "i1", rack: "r1" };

let view: AssignmentView;
let harness: HandlerHarness;
let topic: Topic;

function broker(nodeId: number, isFenced = false): ClusterBroker {
  const listeners = [
    { listenerName: "PLAINTEXT", host: `plain-${nodeId}`, port: 9092 },
    { listenerName: "EXTERNAL", host: `external-${nodeId}`, port: 9094 },
  ];
  const incarnation = `i${nodeId}`;
  return { nodeId, name: `kaas-${nodeId}`, incarnation, rack: `r${nodeId}`, listeners, isFenced, isAlive: true };
}

/** Who leads partitions 0 to 4: this broker, one that lives, one that is fenced, nobody, and this one again. */
const LEADERS = [1, 2, 3, -1, 1];

function adopt(version: number, changes: Partial<Assignment> = {}): void {
  view.adopt({
    controllerEpoch: 1,
    version,
    controllerId: 2,
    createdMs: 0,
    brokers: [broker(1), broker(2), broker(3, true)],
    topics: [{ topicId: ID, name: "t", leaders: LEADERS, leaderEpochs: [-1, 7, 8, 9, 5] }],
    slots: { groups: [2, 3, -1, 1], transactions: [] },
    ...changes,
  });
}

beforeEach(() => {
  view = new AssignmentView(SELF);
  view.advertise(broker(1).listeners);
  harness = handlerHarness({ cluster: view });
  harness.addTopic("t", ID, 5);
  topic = harness.topics.byName("t") as Topic;
  for (const partition of [1, 2, 3, 4]) topic.partitions[partition] = undefined;
  adopt(1);
});

const flags = { includeClusterAuthorizedOperations: false, includeTopicAuthorizedOperations: false };

async function describeAll(): Promise<MetadataResponseInit> {
  const request = { topics: null, allowAutoTopicCreation: false, ...flags };
  return (await metadata.handle(harness.context(3, 12), request)) as MetadataResponseInit;
}

describe("metadata", () => {
  test("names brokers that live, at the address of the listener that the client has come to", async () => {
    const plain = await describeAll();
    expect(plain.controllerId).toBe(2);
    expect(plain.brokers).toEqual([
      { nodeId: 1, host: "plain-1", port: 9092, rack: "r1" },
      { nodeId: 2, host: "plain-2", port: 9092, rack: "r2" },
    ]);
    Object.assign(harness.connection, { listenerName: "EXTERNAL" });
    expect((await describeAll()).brokers?.map(({ host }) => host)).toEqual(["external-1", "external-2"]);
    Object.assign(harness.connection, { listenerName: "OTHER" });
    const none = await describeAll();
    expect([none.brokers, none.controllerId]).toEqual([[], -1]);
  });

  test("sends those who look for the controller here while none that lives is known", async () => {
    adopt(2, { controllerId: 3 });
    expect((await describeAll()).controllerId).toBe(1);
    adopt(3, { controllerId: 3, brokers: [broker(1, true), broker(2), broker(3, true)] });
    expect((await describeAll()).controllerId).toBe(2);
    adopt(4, { controllerId: -1, brokers: [broker(1, true)] });
    expect((await describeAll()).controllerId).toBe(-1);
  });

  test("tells leaders with their epochs, and where there is none", async () => {
    const shown = (await describeAll()).topics?.[0]?.partitions?.map((one) => [
      one.errorCode,
      one.leaderId,
      one.leaderEpoch,
      one.replicaNodes,
      one.offlineReplicas,
    ]);
    const leaderless = [ErrorCode.LEADER_NOT_AVAILABLE, -1, -1];
    expect(shown).toEqual([
      [0, 1, 3, [1], []], // the epoch that this broker has claimed, published or not
      [0, 2, 7, [2], []],
      [...leaderless, [3], [3]],
      [...leaderless, [], []],
      [0, 1, 5, [1], []], // about to be opened
    ]);
    topic.failedPartitions.add(4);
    const request = { topics: [{ name: "t" }], responsePartitionLimit: 9, cursor: null };
    const described = await describeTopicPartitions.handle(harness.context(75, 0), request);
    expect(described?.topics?.[0]?.partitions?.map(({ leaderId }) => leaderId)).toEqual([1, 2, -1, -1, -1]);
  });
});

test("DescribeCluster names fenced brokers where they are asked for", async () => {
  const all = (await describeCluster.handle(harness.context(60, 2), {
    endpointType: 1,
    includeFencedBrokers: true,
    includeClusterAuthorizedOperations: false,
  })) as DescribeClusterResponseInit;
  expect(all.brokers?.map(({ brokerId, isFenced }) => [brokerId, isFenced])).toEqual([
    [1, false],
    [2, false],
    [3, true],
  ]);
  const request = { includeClusterAuthorizedOperations: false };
  const live = await exchange<DescribeClusterResponse>({ cluster: view, clusterId: "c" }, describeCluster, 1, {
    ...request,
    endpointType: 1,
  });
  expect(live.brokers.map(({ brokerId }) => brokerId)).toEqual([1, 2]);
});

test("FindCoordinator names the broker that the slot is assigned to, if clients may go to it", async () => {
  const groups = new GroupHarness().coordinator; // of two slots
  const idOf = (slot: number) => {
    for (let n = 0; ; n++) if (groups.slotOf(`g${n}`) === slot) return `g${n}`;
  };
  const keys = [idOf(0), idOf(1)];
  const find = async () =>
    (
      await exchange<FindCoordinatorResponse>({ cluster: view, groups }, findCoordinator, 4, {
        keyType: 0,
        coordinatorKeys: keys,
      })
    ).coordinators.map(({ errorCode, nodeId, host }) => [errorCode, nodeId, host]);
  const nowhere = [ErrorCode.COORDINATOR_NOT_AVAILABLE, -1, ""];
  expect(await find()).toEqual([[0, 2, "plain-2"], nowhere]);
  adopt(2, { slots: { groups: [-1, 1], transactions: [] } });
  expect(await find()).toEqual([nowhere, [0, 1, "plain-1"]]);
});

describe("a partition that is led elsewhere", () => {
  async function produceTo(version: number, partitions: number[]): Promise<ProduceResponseInit> {
    const partitionData = partitions.map((index) => ({ index, records: buildBatch([{ value: Buffer.from("v") }]) }));
    const request = {
      transactionalId: null,
      acks: -1,
      timeoutMs: 100,
      topicData: [{ name: "t", topicId: version >= 13 ? ID : ZERO_UUID, partitionData }],
    };
    return (await produce.handle(harness.context(0, version), request)) as ProduceResponseInit;
  }

  test.each([9, 10, 13])("Produce version %i says so, and where as soon as that helps", async (version) => {
    const response = await produceTo(version, [0, 1, 2, 3, 4]);
    const partitions = response.responses?.[0]?.partitionResponses ?? [];
    const moved = ErrorCode.NOT_LEADER_OR_FOLLOWER;
    expect(partitions.map(({ errorCode }) => errorCode)).toEqual([0, moved, moved, moved, moved]);
    const hint = { leaderId: 2, leaderEpoch: 7 };
    const hints = version < 10 ? [null, null, null, null, null] : [null, hint, null, null, null];
    expect(partitions.map(({ currentLeader }) => currentLeader)).toEqual(hints);
    const endpoints = version < 10 ? [] : [{ nodeId: 2, host: "plain-2", port: 9092, rack: "r2" }];
    expect(response.nodeEndpoints).toEqual(endpoints);
    expect((await produceTo(version, [0])).nodeEndpoints).toEqual([]);
  });

  async function fetchFrom(version: number, partitions: { partition: number; currentLeaderEpoch?: number }[]) {
    const asked = { currentLeaderEpoch: -1, fetchOffset: 0, lastFetchedEpoch: -1, logStartOffset: -1 };
    const request = {
      replicaId: -1,
      replicaState: { replicaId: -1, replicaEpoch: -1 },
      clusterId: null,
      maxWaitMs: 0,
      minBytes: 1,
      maxBytes: 1000,
      isolationLevel: 0,
      sessionId: 0,
      sessionEpoch: -1,
      rackId: "",
      forgottenTopicsData: [],
      topics: [
        {
          topic: "t",
          topicId: ID,
          partitions: partitions.map((one) => ({
            ...asked,
            ...one,
            partitionMaxBytes: 1000,
            replicaDirectoryId: ZERO_UUID,
            highWatermark: 0,
          })),
        },
      ],
    };
    return (await fetch.handle(harness.context(1, version), request)) as FetchResponseInit;
  }

  test.each([15, 16])("Fetch version %i says so, and where as soon as that helps", async (version) => {
    (topic.partitions[0] as FakePartitionLog).leaderEpoch = 4;
    const fenced = { partition: 0, currentLeaderEpoch: 3 };
    const response = await fetchFrom(version, [fenced, { partition: 1 }, { partition: 3 }]);
    const partitions = response.responses?.[0]?.partitions ?? [];
    const { FENCED_LEADER_EPOCH, NOT_LEADER_OR_FOLLOWER } = ErrorCode;
    expect(partitions.map(({ errorCode }) => errorCode)).toEqual([
      FENCED_LEADER_EPOCH,
      NOT_LEADER_OR_FOLLOWER,
      NOT_LEADER_OR_FOLLOWER,
    ]);
    const hints = [{ leaderId: 1, leaderEpoch: 4 }, { leaderId: 2, leaderEpoch: 7 }, null];
    expect(partitions.map(({ currentLeader }) => currentLeader)).toEqual(version < 16 ? [null, null, null] : hints);
    expect(response.nodeEndpoints?.map(({ nodeId }) => nodeId)).toEqual(version < 16 ? undefined : [1, 2]);
  });

  test("epochs that clients know are compared where the log is led", async () => {
    const codes = async (epochs: number[]) => {
      const response = await fetchFrom(
        16,
        epochs.map((currentLeaderEpoch) => ({ partition: 0, currentLeaderEpoch })),
      );
      return response.responses?.[0]?.partitions?.map(({ errorCode }) => errorCode);
    };
    expect(await codes([2])).toEqual([ErrorCode.FENCED_LEADER_EPOCH]);
    expect(await codes([3])).toEqual([ErrorCode.NONE]);
    expect(await codes([4])).toEqual([ErrorCode.UNKNOWN_LEADER_EPOCH]);
  });

  test("is known all the same to requests that look at partitions", async () => {
    const names = { name: "t", topic: "t" };
    const of = (partition: number) => ({ partition, partitionIndex: partition });
    const answers = await Promise.all(
      [1, 5].map(async (partition) => [
        await listOffsets.handle(harness.context(2, 7), {
          replicaId: -1,
          isolationLevel: 0,
          timeoutMs: 0,
          topics: [
            { ...names, partitions: [{ ...of(partition), currentLeaderEpoch: -1, timestamp: -1, maxNumOffsets: 1 }] },
          ],
        }),
        await deleteRecords.handle(harness.context(21, 2), {
          timeoutMs: 100,
          topics: [{ ...names, partitions: [{ ...of(partition), offset: 0 }] }],
        }),
        await offsetForLeaderEpoch.handle(harness.context(23, 4), {
          replicaId: -1,
          topics: [{ ...names, partitions: [{ ...of(partition), currentLeaderEpoch: -1, leaderEpoch: 0 }] }],
        }),
      ]),
    );
    const codes = answers.map((some) =>
      some.map((answer) => [...(answer?.topics ?? [])].map((one) => one.partitions?.[0]?.errorCode)),
    );
    const { NOT_LEADER_OR_FOLLOWER, UNKNOWN_TOPIC_OR_PARTITION } = ErrorCode;
    expect(codes.map((some) => new Set(some.flat()))).toEqual([
      new Set([NOT_LEADER_OR_FOLLOWER]),
      new Set([UNKNOWN_TOPIC_OR_PARTITION]),
    ]);
  });
});

test("ListConfigResources names every broker that clients may go to", async () => {
  const listed = await listConfigResources.handle(harness.context(74, 1), { resourceTypes: [4] });
  expect(listed).toMatchObject({ configResources: ["1", "2"].map((resourceName) => ({ resourceName })) });
});
