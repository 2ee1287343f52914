// What clients with different ACLs are answered: every API in every version, about topics and groups that they may see,
// may not see, and that do not exist.
import type { WireClient } from "../../lib/wire-client.js";
import { versionsOf } from "../apis.js";
import type { Context, Message, Scenario } from "../context.js";
import { type Allowed, allow, closeToOthers, creation } from "./acl-requests.js";
import { awaitCoordinator } from "./group-requests.js";
import { append, fetchOf, produce, records, STRANGE_ID, ZERO_ID } from "./requests.js";

const CLUSTER = { type: "CLUSTER", name: "kafka-cluster" } as const;

interface Client {
  readonly name: string;
  readonly host: string;
  readonly wire: WireClient;
}

export const authorization: Scenario = {
  name: "authorization",
  async run(context) {
    await closeToOthers(context);
    const topic = await context.topic("t", { partitions: 2 });
    const other = await context.topic("hidden");
    await append(context, topic, records(3));
    await append(context, other, records(3));
    const group = context.named("g");
    await awaitCoordinator(context, group);
    await commitAsAdmin(context, group, [topic, other]);
    await context.until("producer ids are given out", async () => {
      const { errorCode } = await context.quiet("InitProducerId", {
        transactionalId: null,
        transactionTimeoutMs: 1000,
      });
      return errorCode === 0;
    });
    for (const client of await clients(context)) {
      for (const [label, api, message] of requests(context, client.name, topic, other, group)) {
        for (const version of versionsOf(api)) {
          const asked: Message = typeof message === "function" ? message(version) : message;
          if (asked === undefined) continue;
          const answer = await context.quiet(api, asked, version, client.wire);
          context.asked.add(api);
          context.keep(`${client.name} ${label} v${version}`, onlyOwn(context, answer));
        }
      }
    }
  },
};

/** Lists hold what other scenarios have left, too. */
function onlyOwn(context: Context, answer: Message): Message {
  const prefix = context.named("");
  const own = (list: Message[], name: string): Message[] => list.filter((one) => String(one[name]).startsWith(prefix));
  const { groups, configResources } = answer;
  if (Array.isArray(groups) && groups[0]?.groupId !== undefined) return { ...answer, groups: own(groups, "groupId") };
  if (Array.isArray(configResources)) return { ...answer, configResources: own(configResources, "resourceName") };
  return answer;
}

async function commitAsAdmin(context: Context, groupId: string, topics: readonly string[]): Promise<void> {
  const partitions = [{ partitionIndex: 0, committedOffset: 1, committedLeaderEpoch: -1, committedMetadata: "" }];
  const named = topics.map((name) => ({ name, partitions }));
  const request = { groupId, generationIdOrMemberEpoch: -1, memberId: "", groupInstanceId: null, topics: named };
  await context.quiet("OffsetCommit", request, 9);
}

async function clients(context: Context): Promise<Client[]> {
  const prefix = context.named("");
  const all = (type: Allowed["type"], ...operations: readonly Allowed["operation"][]): Allowed[] =>
    operations.map((operation) => ({ type, name: prefix, pattern: "PREFIXED", operation }));
  const hidden = context.named("hidden");
  const wishes: readonly (readonly [string, readonly Allowed[]])[] = [
    ["stranger", []],
    ["describer", [...all("TOPIC", "DESCRIBE"), ...all("GROUP", "DESCRIBE")]],
    ["reader", [...all("TOPIC", "READ"), { type: "TOPIC", name: hidden, operation: "READ", denied: true }]],
    ["member", [...all("GROUP", "READ"), { type: "TOPIC", name: context.named("t"), operation: "READ" }]],
    ["writer", [...all("TOPIC", "WRITE"), { type: "TOPIC", name: hidden, operation: "ALL", denied: true }]],
    ["creator", all("TOPIC", "CREATE")],
    ["owner", all("TOPIC", "CREATE", "DELETE", "ALTER", "ALTER_CONFIGS")],
    ["deleter", [{ type: "TOPIC", name: context.named("deleter"), pattern: "PREFIXED", operation: "DELETE" }]],
    ["group admin", all("GROUP", "DELETE", "DESCRIBE_CONFIGS", "ALTER_CONFIGS")],
    [
      "operator",
      [
        { ...CLUSTER, operation: "ALTER" },
        { ...CLUSTER, operation: "ALTER_CONFIGS" },
      ],
    ],
    ["cluster reader", [{ ...CLUSTER, operation: "DESCRIBE" }]],
    [
      "cluster creator",
      [
        { ...CLUSTER, operation: "CREATE" },
        { ...CLUSTER, operation: "IDEMPOTENT_WRITE" },
      ],
    ],
    ["replica", [{ ...CLUSTER, operation: "CLUSTER_ACTION" }]],
    ["cluster deleter", [{ ...CLUSTER, operation: "DELETE" }]],
  ];
  const made: Client[] = [];
  for (const [index, [name, allowed]] of wishes.entries()) {
    const host = `127.0.0.${index + 10}`;
    if (allowed.length > 0) await allow(context, host, allowed);
    made.push({ name, host, wire: await context.connection(host) });
  }
  return made;
}

/** The message may be a function of the version; undefined asks nothing. */
type Asked = readonly [label: string, api: string, message: Message];

function requests(context: Context, client: string, topic: string, other: string, group: string): Asked[] {
  const none = context.named("none");
  const names = [topic, other, none];
  const ids = [context.topicId(topic), context.topicId(other), STRANGE_ID];
  const own = context.named(client.replaceAll(" ", "-"));
  return [
    ...dataRequests(names, ids),
    ...topicRequests(names, ids, own),
    ...groupRequests(names, ids, group, own),
    ...configRequests(names, group),
    ...clusterRequests(own, topic),
  ];
}

function dataRequests(names: readonly string[], ids: readonly string[]): Asked[] {
  const topics = (make: (name: string, topicId: string) => Message): Message[] =>
    names.map((name, index) => make(name, ids[index] as string));
  return [
    [
      "produce",
      "Produce",
      {
        ...produce("", null),
        topicData: topics((name, topicId) => produce(name, records(), { topicId }).topicData[0]),
      },
    ],
    [
      "fetch",
      "Fetch",
      { ...fetchOf(""), topics: topics((topic, topicId) => fetchOf(topic, { topicId, offset: 99 }).topics[0]) },
    ],
    [
      "fetch as replica",
      "Fetch",
      (version: number) =>
        version > 14
          ? undefined
          : {
              ...fetchOf(""),
              replicaId: 3,
              topics: topics((topic, topicId) => fetchOf(topic, { topicId, offset: 99 }).topics[0]),
            },
    ],
    [
      "list offsets",
      "ListOffsets",
      { replicaId: -1, topics: topics((name) => ({ name, partitions: [{ partitionIndex: 0, timestamp: -2 }] })) },
    ],
    [
      "epochs",
      "OffsetForLeaderEpoch",
      { topics: topics((topic) => ({ topic, partitions: [{ partition: 9, leaderEpoch: 0 }] })) },
    ],
    [
      "delete records",
      "DeleteRecords",
      { timeoutMs: 5000, topics: topics((name) => ({ name, partitions: [{ partitionIndex: 7, offset: 0 }] })) },
    ],
    [
      "producer id",
      "InitProducerId",
      (version: number): Message => (version < 0 ? undefined : { transactionalId: null, transactionTimeoutMs: 1000 }),
    ],
  ];
}

function topicRequests(names: readonly string[], ids: readonly string[], own: string): Asked[] {
  const operations = { includeTopicAuthorizedOperations: true, includeClusterAuthorizedOperations: true };
  const wish = (name: string): Message => ({
    name,
    numPartitions: 1,
    replicationFactor: 1,
    assignments: [],
    configs: [],
  });
  return [
    [
      "metadata",
      "Metadata",
      // Until version 4 whoever asks for a topic has it created.
      (version: number): Message => ({
        topics: names.slice(0, version < 4 ? 2 : 3).map((name) => ({ name })),
        allowAutoTopicCreation: false,
        ...operations,
      }),
    ],
    [
      "metadata by id",
      "Metadata",
      (version: number) =>
        version < 12 ? undefined : { topics: ids.map((topicId) => ({ name: null, topicId })), ...operations },
    ],
    [
      "auto creation",
      "Metadata",
      (version: number): Message => ({ topics: [{ name: `${own}-auto-${version}` }], allowAutoTopicCreation: true }),
    ],
    [
      "describe partitions",
      "DescribeTopicPartitions",
      { topics: names.map((name) => ({ name })), responsePartitionLimit: 100, cursor: null },
    ],
    [
      "create",
      "CreateTopics",
      (version: number): Message => ({
        topics: [wish(`${own}-created-${version}`), wish(`${own}-a b`), wish(names[1] as string)],
        timeoutMs: 9000,
      }),
    ],
    ["check creation", "CreateTopics", { topics: [wish(`${own}-checked`)], timeoutMs: 9000, validateOnly: true }],
    [
      "more partitions",
      "CreatePartitions",
      { topics: names.map((name) => ({ name, count: 5, assignments: null })), timeoutMs: 9000, validateOnly: true },
    ],
    [
      "delete",
      "DeleteTopics",
      (version: number): Message => ({
        topics: [{ name: `${own}-nothing`, topicId: ZERO_ID }],
        topicNames: [`${own}-nothing`, names[2]].slice(0, version < 6 ? 2 : 0),
        timeoutMs: 9000,
      }),
    ],
    [
      "delete by id",
      "DeleteTopics",
      (version: number) =>
        version < 6
          ? undefined
          : { topics: [STRANGE_ID].map((topicId) => ({ name: null, topicId })), topicNames: [], timeoutMs: 9000 },
    ],
  ];
}

function groupRequests(names: readonly string[], ids: readonly string[], groupId: string, own: string): Asked[] {
  const member = { groupId, memberId: "m", groupInstanceId: null, generationId: 3 };
  const commits = names.map((name, index) => ({
    name,
    topicId: ids[index],
    partitions: [{ partitionIndex: 0, committedOffset: 1, committedLeaderEpoch: -1, committedMetadata: "" }],
  }));
  const asked = names.map((name, index) => ({ name, topicId: ids[index], partitionIndexes: [0] }));
  const fetched = (topics: Message): Message => ({
    groupId,
    topics,
    groups: [
      { groupId, memberId: null, memberEpoch: -1, topics },
      { groupId: `${own}-other`, memberId: null, memberEpoch: -1, topics },
    ],
  });
  return [
    ["coordinator", "FindCoordinator", { key: groupId, keyType: 0, coordinatorKeys: [groupId] }],
    [
      "join",
      "JoinGroup",
      { ...member, sessionTimeoutMs: 10_000, rebalanceTimeoutMs: 10_000, protocolType: "consumer", protocols: [] },
    ],
    ["sync", "SyncGroup", { ...member, protocolType: "consumer", protocolName: "range", assignments: [] }],
    ["heartbeat", "Heartbeat", member],
    ["leave", "LeaveGroup", { ...member, members: [{ memberId: "m", groupInstanceId: null }] }],
    [
      "commit",
      "OffsetCommit",
      { groupId, generationIdOrMemberEpoch: -1, memberId: "", groupInstanceId: null, topics: commits },
    ],
    ["fetch offsets", "OffsetFetch", fetched(asked)],
    ["fetch all offsets", "OffsetFetch", (version: number): Message => (version < 2 ? undefined : fetched(null))],
    ["describe groups", "DescribeGroups", { groups: [groupId, `${own}-other`], includeAuthorizedOperations: true }],
    ["list groups", "ListGroups", {}],
    ["delete groups", "DeleteGroups", { groupsNames: [`${own}-other`] }],
    [
      "delete offsets",
      "OffsetDelete",
      { groupId, topics: names.map((name) => ({ name, partitions: [{ partitionIndex: 9 }] })) },
    ],
  ];
}

function configRequests(names: readonly string[], group: string): Asked[] {
  const resources = [
    ...names.map((name) => [2, name] as const),
    [4, "1"] as const,
    [8, "1"] as const,
    [16, "metrics"] as const,
    [32, group] as const,
  ].map(([resourceType, resourceName]) => ({ resourceType, resourceName }));
  const described = resources.map((one) => ({ ...one, configurationKeys: ["retention.ms", "num.partitions"] }));
  const altered = resources.map((one) => ({ ...one, configs: [] }));
  return [
    ["describe configs", "DescribeConfigs", { resources: described }],
    [
      "alter configs",
      "AlterConfigs",
      { resources: altered.filter(({ resourceType }) => resourceType < 8), validateOnly: true },
    ],
    ["alter configs step by step", "IncrementalAlterConfigs", { resources: altered, validateOnly: true }],
    [
      "list config resources",
      "ListConfigResources",
      (version: number): Message => ({ resourceTypes: version === 0 ? [] : [2] }),
    ],
  ];
}

function clusterRequests(own: string, topic: string): Asked[] {
  const filter = {
    resourceTypeFilter: 2,
    resourceNameFilter: `${own}-nothing`,
    patternTypeFilter: 3,
    principalFilter: null,
  };
  const any = { hostFilter: null, operation: 1, permissionType: 1 };
  return [
    ["describe cluster", "DescribeCluster", { includeClusterAuthorizedOperations: true }],
    ["log dirs", "DescribeLogDirs", { topics: [] }],
    ["describe acls", "DescribeAcls", { ...filter, ...any }],
    ["create acls", "CreateAcls", { creations: [creation("9.9.9.9", { type: "TOPIC", name: "", operation: "READ" })] }],
    ["delete acls", "DeleteAcls", { filters: [{ ...filter, ...any }] }],
    [
      "describe quotas",
      "DescribeClientQuotas",
      { components: [{ entityType: "user", matchType: 0, match: `${own}-nobody` }], strict: true },
    ],
    [
      "alter quotas",
      "AlterClientQuotas",
      {
        entries: [
          {
            entity: [{ entityType: "user", entityName: "x" }],
            ops: [{ key: "producer_byte_rate", value: 1, remove: false }],
          },
        ],
        validateOnly: true,
      },
    ],
    [
      "elect leaders",
      "ElectLeaders",
      { electionType: 0, topicPartitions: [{ topic, partitions: [0] }], timeoutMs: 1000 },
    ],
    ["reassign", "AlterPartitionReassignments", { timeoutMs: 1000, topics: [] }],
    ["list reassignments", "ListPartitionReassignments", { timeoutMs: 1000, topics: [] }],
    ["describe scram", "DescribeUserScramCredentials", { users: [{ name: `${own}-nobody` }] }],
    [
      "alter scram",
      "AlterUserScramCredentials",
      { deletions: [{ name: `${own}-nobody`, mechanism: 1 }], upsertions: [] },
    ],
  ];
}

export { aclRequests } from "./acl-administration.js";
