import { requestFrame } from "../../../packages/kaas-core/test/fakes/raw-client.js";
import { apiNamed, servedNames, versionsOf } from "../apis.js";
import type { Context, Message, Scenario } from "../context.js";

const SOFTWARE = { clientSoftwareName: "differential", clientSoftwareVersion: "1.0" };

/** ApiVersions itself, and what comes of keys, versions and bodies that nothing is known of. */
export const apiVersions: Scenario = {
  name: "api versions",
  async run(context) {
    await context.eachVersion("all", "ApiVersions", SOFTWARE);
    for (const clientSoftwareName of ["", "a b", "-a", "a.b-c", "ü"]) {
      await context.eachVersion(
        `name '${clientSoftwareName}'`,
        "ApiVersions",
        { ...SOFTWARE, clientSoftwareName },
        { from: 3 },
      );
    }
    await context.eachVersion("no version", "ApiVersions", { ...SOFTWARE, clientSoftwareVersion: "" }, { from: 3 });
    await context.eachVersion(
      "another cluster",
      "ApiVersions",
      { ...SOFTWARE, clusterId: "another", nodeId: 1 },
      { from: 5 },
    );
    await context.eachVersion("another node", "ApiVersions", { ...SOFTWARE, clusterId: null, nodeId: 77 }, { from: 5 });
    await rightCluster(context);
  },
};

async function rightCluster(context: Context): Promise<void> {
  const { clusterId } = await context.quiet("Metadata", { topics: [] });
  for (const nodeId of [1, 2, -1]) {
    const message = { ...SOFTWARE, clusterId, nodeId };
    await context.eachVersion(`this cluster, node ${nodeId}`, "ApiVersions", message, { from: 5 });
  }
}

export const frames: Scenario = {
  name: "frames",
  async run(context) {
    for (const version of [6, 99, 32767])
      await context.frames(`ApiVersions ${version}`, context.frame(18, version, Buffer.alloc(0), true));
    await context.frames("ApiVersions -1", context.frame(18, -1, Buffer.alloc(0)));
    await context.frames("unknown API key", context.frame(999, 0, Buffer.alloc(8)));
    await context.frames("negative API key", context.frame(-1, 0, Buffer.alloc(8)));
    await context.frames("an API of the controller", context.frame(52, 0, Buffer.alloc(8)));
    await context.frames("a retired API", context.frame(4, 0, Buffer.alloc(8)));
    await context.frames("empty frame", Buffer.alloc(4));
    await context.frames("short header", Buffer.from([0, 0, 0, 4, 0, 3, 0, 9]));
    await context.frames("negative length", Buffer.from([0xff, 0xff, 0xff, 0xff]));
    for (const name of servedNames) await oneApi(context, name);
  },
};

/** What a version that is too old or too new, a body that is cut off or too long comes to. */
async function oneApi(context: Context, name: string): Promise<void> {
  const codec = apiNamed(name);
  const versions = versionsOf(name);
  const [oldest = 0, newest = 0] = [versions[0], versions.at(-1)];
  if (name !== "ApiVersions") {
    const isFlexible = newest >= codec.flexibleSince;
    await context.frames(`${name} too new`, context.frame(codec.key, newest + 3, Buffer.alloc(40), isFlexible));
    if (oldest > 0) await context.frames(`${name} too old`, context.frame(codec.key, oldest - 1, Buffer.alloc(40)));
  }
  const message = MINIMAL[name];
  if (message === undefined) return;
  for (const version of new Set([oldest, newest])) {
    const whole = requestFrame(codec.key, version, 7, message);
    await context.frames(`${name} bytes behind v${version}`, lengthened(whole));
    await context.frames(`${name} cut off v${version}`, shortened(whole));
  }
}

function lengthened(frame: Buffer): Buffer {
  const longer = Buffer.concat([frame, Buffer.from([1, 2, 3])]);
  longer.writeInt32BE(longer.length - 4);
  return longer;
}

function shortened(frame: Buffer): Buffer {
  const shorter = Buffer.from(frame.subarray(0, -1));
  shorter.writeInt32BE(shorter.length - 4);
  return shorter;
}

/** The least of a request, for bytes behind and missing. */
const MINIMAL: Readonly<Record<string, Message>> = {
  Produce: { transactionalId: null, acks: -1, timeoutMs: 1000, topicData: [] },
  Fetch: { maxWaitMs: 0, minBytes: 0, sessionEpoch: -1, topics: [] },
  ListOffsets: { replicaId: -1, topics: [] },
  Metadata: { topics: [] },
  OffsetCommit: { groupId: "frames", topics: [] },
  OffsetFetch: { groupId: "frames", topics: [], groups: [] },
  FindCoordinator: { key: "frames", coordinatorKeys: ["frames"] },
  JoinGroup: { groupId: "frames", sessionTimeoutMs: 1, memberId: "", protocolType: "", protocols: [] },
  Heartbeat: { groupId: "frames", generationId: 1, memberId: "m" },
  LeaveGroup: { groupId: "frames", memberId: "m", members: [] },
  SyncGroup: { groupId: "frames", generationId: 1, memberId: "m", assignments: [] },
  DescribeGroups: { groups: [] },
  ListGroups: {},
  CreateTopics: { topics: [], timeoutMs: 1000 },
  DeleteTopics: { topics: [], topicNames: [], timeoutMs: 1000 },
  DeleteRecords: { topics: [], timeoutMs: 1000 },
  InitProducerId: { transactionalId: null, transactionTimeoutMs: 1000 },
  OffsetForLeaderEpoch: { topics: [] },
  DescribeConfigs: { resources: [] },
  AlterConfigs: { resources: [], validateOnly: false },
  DescribeLogDirs: { topics: [] },
  CreatePartitions: { topics: [], timeoutMs: 1000, validateOnly: false },
  DeleteGroups: { groupsNames: [] },
  IncrementalAlterConfigs: { resources: [], validateOnly: false },
  OffsetDelete: { groupId: "frames", topics: [] },
  DescribeCluster: { includeClusterAuthorizedOperations: false },
  ListConfigResources: {},
  DescribeTopicPartitions: { topics: [] },
};
