import { afterEach, describe, expect, test } from "vitest";
import { ErrorCode } from "@kaas/core";
import { describedCluster, type Script, scriptedBroker } from "../../test/scripted-broker.js";
import type { StandIn } from "../../test/stand-in-broker.js";
import { testSurroundings } from "../../test/test-surroundings.js";
import { runKaasctl } from "../run.js";

const ID = "AAAAAAAAAAAAAAAAAAAAAQ";

let server: StandIn;

afterEach(() => server.close());

/** Runs against a broker that describes itself, and answers to what the script names besides. */
async function run(args: readonly string[], script: Script): Promise<{ code: number; text: string; errors: string }> {
  server = await scriptedBroker({ DescribeCluster: () => describedCluster(() => server.address), ...script });
  const { surroundings, text, errors } = testSurroundings();
  const code = await runKaasctl([...args, "-o", "json", "--bootstrap-server", server.address], surroundings);
  return { code, text: text(), errors: errors() };
}

const partition = (partitionIndex: number, leaderId = 1) => ({
  errorCode: leaderId < 0 ? ErrorCode.LEADER_NOT_AVAILABLE : 0,
  partitionIndex,
  leaderId,
  leaderEpoch: 3,
  replicaNodes: [],
  isrNodes: [],
  eligibleLeaderReplicas: [],
  lastKnownElr: [],
  offlineReplicas: [],
});
const topic = (name: string, partitions: readonly object[], errorCode = 0) => ({
  errorCode,
  name,
  topicId: ID,
  isInternal: false,
  partitions,
});
const described = (topics: readonly object[], nextCursor: object | null = null): object => ({ topics, nextCursor });
const noConfigs = { DescribeConfigs: () => ({ results: [] }) };
const noSizes = { DescribeLogDirs: () => ({ errorCode: 0, results: [] }) };

describe("topics", () => {
  test("are asked for page by page", async () => {
    const asked: unknown[] = [];
    const { code, text } = await run(["topic", "ls"], {
      ...noConfigs,
      ...noSizes,
      DescribeTopicPartitions: ({ cursor }: { cursor: { partitionIndex: number } | null }) => {
        asked.push(cursor);
        if (cursor === null) return described([topic("a", [partition(0)])], { topicName: "a", partitionIndex: 1 });
        return described([topic("a", [partition(1)]), topic("b", [partition(0)])]);
      },
    });
    expect(asked).toEqual([null, { topicName: "a", partitionIndex: 1 }]);
    const rest = { id: ID, sizeBytes: null, overrides: null };
    expect([code, JSON.parse(text)]).toEqual([
      0,
      [
        { name: "a", partitions: 2, ...rest },
        { name: "b", partitions: 1, ...rest },
      ],
    ]);
  });

  test("are not asked for without end", async () => {
    const page = described([topic("a", [partition(0)])], { topicName: "a", partitionIndex: 1 });
    const { code, errors } = await run(["topic", "ls"], { DescribeTopicPartitions: () => page });
    expect([code, errors]).toEqual([1, "kaasctl: the broker tells the same topics again and again\n"]);
  });

  test("come from Metadata where a broker has nothing newer, and nobody makes them by asking", async () => {
    const asked: unknown[] = [];
    const { code, text } = await run(["assignment", "show", "a"], {
      Metadata: (request: unknown) => {
        asked.push(request);
        return { brokers: [], topics: [topic("a", [partition(1), partition(0)])] };
      },
      ListPartitionReassignments: () => ({
        errorCode: 0,
        errorMessage: null,
        topics: [
          {
            name: "a",
            partitions: [{ partitionIndex: 1, replicas: [2, 1], addingReplicas: [2], removingReplicas: [1] }],
          },
        ],
      }),
    });
    expect(asked).toMatchObject([{ topics: [{ name: "a" }], allowAutoTopicCreation: false }]);
    expect([code, JSON.parse(text)]).toEqual([
      0,
      [
        { partition: 0, leader: 1, leaderEpoch: 3, wished: [] },
        { partition: 1, leader: 1, leaderEpoch: 3, wished: [2] },
      ],
    ]);
  });

  test("that nobody leads are something wrong", async () => {
    const DescribeTopicPartitions = () => described([topic("a", [partition(0, -1), partition(1), partition(2, -1)])]);
    const { code, errors } = await run(["assignment", "show"], { DescribeTopicPartitions });
    expect([code, errors]).toEqual([1, "kaasctl: a has partitions that nobody leads: 0, 2\n"]);
  });

  test("are shown as far as their leaders can be reached", async () => {
    const { code, text, errors } = await run(["topic", "describe", "a"], {
      ...noConfigs,
      DescribeTopicPartitions: () => described([topic("a", [partition(0), partition(1, 2)])]),
      DescribeLogDirs: () => ({
        errorCode: 0,
        results: [
          { errorCode: ErrorCode.KAFKA_STORAGE_ERROR, logDir: "/bad", topics: [] },
          {
            errorCode: 0,
            logDir: "/data",
            topics: [
              {
                name: "a",
                partitions: [
                  { partitionIndex: 0, partitionSize: 10, offsetLag: 0, isFutureKey: false },
                  { partitionIndex: 0, partitionSize: 5, offsetLag: 0, isFutureKey: true },
                ],
              },
            ],
          },
        ],
      }),
      ListOffsets: () => ({
        topics: [{ name: "a", partitions: [{ partitionIndex: 0, errorCode: ErrorCode.NOT_LEADER_OR_FOLLOWER }] }],
      }),
    });
    expect(code).toBe(1);
    expect(JSON.parse(text)).toMatchObject({
      overrides: null,
      partitions: [
        { partition: 0, sizeBytes: 10, highWatermark: null },
        { partition: 1, leader: 2, sizeBytes: null },
      ],
    });
    expect(errors).toContain("kaasctl: broker 2 is not among those that the cluster names\n");
    expect(errors).toContain("offsets of a-0 are not shown: NOT_LEADER_OR_FOLLOWER\n");
    expect(errors).toContain("log directory /bad: KAFKA_STORAGE_ERROR\n");
  });

  test("that have just gone are no error", async () => {
    const gone = { errorCode: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, errorMessage: null, resourceType: 2, configs: [] };
    const { code, errors } = await run(["topic", "ls"], {
      ...noSizes,
      DescribeTopicPartitions: () => described([topic("a", [partition(0)])]),
      DescribeConfigs: () => ({ results: [{ ...gone, resourceName: "a" }] }),
    });
    expect([code, errors]).toEqual([0, ""]);
  });
});

describe("clusters", () => {
  test("have brokers that are fenced, and some cannot be reached", async () => {
    const cluster = () => {
      const own = describedCluster(() => server.address);
      const gone = { brokerId: 0, host: "127.0.0.1", port: 1, rack: null, isFenced: true };
      return { ...own, brokers: [...own.brokers, gone] };
    };
    const DescribeTopicPartitions = () => described([topic("a", [partition(0), partition(1, 0)])]);
    const { code, text } = await run(["brokers"], { DescribeCluster: cluster, DescribeTopicPartitions });
    expect([code, JSON.parse(text)]).toMatchObject([
      0,
      [
        { nodeId: 0, isFenced: true, isController: false, partitions: 1 },
        { nodeId: 1, isFenced: false, isController: true, rack: "east", partitions: 1 },
      ],
    ]);
    await server.close();
    const script = { DescribeCluster: cluster, DescribeTopicPartitions, ...noConfigs, ...noSizes };
    const listed = await run(["topic", "ls"], script);
    expect([listed.code, listed.errors]).toEqual([
      1,
      "kaasctl: broker 0: cannot reach 127.0.0.1:1: connection refused; does a broker listen there?\n",
    ]);
  });

  test("may not want to be described", async () => {
    const refused = { ...describedCluster(() => "a:1"), errorCode: ErrorCode.UNKNOWN_SERVER_ERROR };
    const { code, errors } = await run(["brokers"], { DescribeCluster: () => refused });
    expect([code, errors]).toEqual([
      1,
      "kaasctl: the cluster does not describe itself: UNKNOWN_SERVER_ERROR: the broker's log says what went wrong\n",
    ]);
  });
});

describe("groups", () => {
  const found = (errorCode = 0) => ({
    coordinators: [{ key: "g", nodeId: 1, host: "h", port: 1, errorCode, errorMessage: null }],
  });
  const listed = (groupType: string) => ({
    errorCode: 0,
    groups: [{ groupId: "g", protocolType: "consumer", groupState: "Stable", groupType }],
  });
  const committed = (partitions: readonly object[], errorCode = 0) => ({
    groups: [{ groupId: "g", errorCode, topics: [{ name: "a", partitions }] }],
  });
  const offset = (partitionIndex: number, committedOffset: number, errorCode = 0) => ({
    partitionIndex,
    committedOffset,
    metadata: "",
    errorCode,
  });
  const noTopics = { DescribeTopicPartitions: () => described([]) };

  test("are asked of their coordinator, which may take a moment", async () => {
    let asked = 0;
    const { code, text, errors } = await run(["offsets", "show", "g"], {
      ...noTopics,
      FindCoordinator: () => found(asked++ === 0 ? ErrorCode.COORDINATOR_NOT_AVAILABLE : 0),
      ListGroups: () => listed("consumer"),
      OffsetFetch: () =>
        committed([offset(1, 5), offset(0, 4), offset(2, -1), offset(3, 1, ErrorCode.UNKNOWN_TOPIC_ID)]),
    });
    expect([code, errors]).toEqual([1, "kaasctl: a-3: UNKNOWN_TOPIC_ID\n"]);
    const gone = { topic: "a", topicId: null, highWatermark: null, lag: null };
    expect(JSON.parse(text)).toMatchObject({
      group: "g",
      type: "consumer",
      state: "Stable",
      offsets: [
        { partition: 0, offset: 4, ...gone },
        { partition: 1, offset: 5, ...gone },
      ],
    });
  });

  test("are asked for again of a coordinator that is not yet, or no longer, theirs", async () => {
    let [looked, fetched] = [0, 0];
    const { code, errors } = await run(["offsets", "show", "g"], {
      ...noTopics,
      FindCoordinator: () => found(),
      ListGroups: () =>
        looked++ === 0 ? { errorCode: ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, groups: [] } : listed("consumer"),
      OffsetFetch: () => (fetched++ === 0 ? committed([], ErrorCode.NOT_COORDINATOR) : committed([offset(0, 4)])),
    });
    expect([code, errors, looked, fetched]).toEqual([0, "", 2, 2]);
  });

  test.for<[string, Script]>([
    ["g is a share group, which commits no offsets", { ListGroups: () => listed("Share") }],
    [
      "group g is not shown: INVALID_REQUEST",
      { ListGroups: () => ({ errorCode: ErrorCode.INVALID_REQUEST, groups: [] }) },
    ],
    [
      "what group g committed is not shown: INVALID_GROUP_ID",
      { ListGroups: () => listed("classic"), OffsetFetch: () => committed([], ErrorCode.INVALID_GROUP_ID) },
    ],
    [
      "the coordinator of group g is not known: INVALID_GROUP_ID",
      { FindCoordinator: () => found(ErrorCode.INVALID_GROUP_ID) },
    ],
  ])("%s", async ([message, script]) => {
    const { code, text, errors } = await run(["offsets", "show", "g"], { FindCoordinator: () => found(), ...script });
    expect([code, text]).toEqual([1, ""]);
    expect(errors).toContain(`kaasctl: ${message}`);
  });

  test("may have nothing, or not be there", async () => {
    const script = { ...noTopics, FindCoordinator: () => found(), ListGroups: () => ({ errorCode: 0, groups: [] }) };
    const absent = { ...script, OffsetFetch: () => committed([], ErrorCode.GROUP_ID_NOT_FOUND) };
    expect((await run(["offsets", "show", "g"], absent)).code).toBe(2);
  });
});

describe("users", () => {
  test("are shown as far as kaasctl knows what they may be", async () => {
    const { code, text, errors } = await run(["user", "ls"], {
      DescribeUserScramCredentials: () => ({
        errorCode: 0,
        errorMessage: null,
        results: [
          {
            user: "alice",
            errorCode: 0,
            errorMessage: null,
            credentialInfos: [
              { mechanism: 1, iterations: 4_096 },
              { mechanism: 9, iterations: 1 },
            ],
          },
        ],
      }),
      DescribeClientQuotas: () => ({
        errorCode: 0,
        errorMessage: null,
        entries: [
          { entity: [{ entityType: "planet", entityName: "mars" }], values: [] },
          {
            entity: [{ entityType: "user", entityName: "bob" }],
            values: [
              { key: "request_percentage", value: 12.5 },
              { key: "colour", value: 1 },
            ],
          },
        ],
      }),
      DescribeAcls: () => ({
        errorCode: 0,
        errorMessage: null,
        resources: [
          {
            resourceType: 2,
            resourceName: "a",
            patternType: 3,
            acls: [
              { principal: "User:alice", host: "*", operation: 3, permissionType: 3 },
              { principal: "User:alice", host: "*", operation: 99, permissionType: 3 },
              { principal: "Group:ops", host: "*", operation: 3, permissionType: 2 },
            ],
          },
        ],
      }),
    });
    expect(code).toBe(0);
    expect(errors).toBe("kaasctl: 1 ACL of a kind that kaasctl does not know is left out\n");
    expect(JSON.parse(text).users).toMatchObject([
      { name: "alice", mechanisms: [{ mechanism: "SCRAM-SHA-256", iterations: 4_096 }], acls: [{ operation: "READ" }] },
      { name: "bob", quotas: [{ entity: { user: "bob" }, limits: { request_percentage: 12.5 } }] },
    ]);
  });

  test("may not be shown, nor their quotas", async () => {
    const DescribeAcls = () => ({
      errorCode: ErrorCode.SECURITY_DISABLED,
      errorMessage: "No Authorizer",
      resources: [],
    });
    const users = { errorCode: 0, errorMessage: null, results: [] };
    const { code, errors } = await run(["user", "ls"], {
      DescribeAcls,
      DescribeUserScramCredentials: () => users,
      DescribeClientQuotas: () => ({ errorCode: 31, errorMessage: "Cluster authorization failed.", entries: null }),
    });
    expect([code, errors]).toEqual([
      1,
      "kaasctl: quotas are not shown: CLUSTER_AUTHORIZATION_FAILED: Cluster authorization failed.; the user needs DESCRIBE on the cluster, and DESCRIBE_CONFIGS for quotas\n",
    ]);
  });
});
