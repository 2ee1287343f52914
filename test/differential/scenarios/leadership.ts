import type { Context, Message, Scenario } from "../context.js";

const timeoutMs = 60_000;

export const leadership: Scenario = {
  name: "leadership",
  async run(context) {
    const topic = await context.topic("leaders", { partitions: 2 });
    const unknown = context.named("none");
    await reassign(context, topic, unknown);
    await elect(context, topic, unknown);
    for (const topics of [
      null,
      [],
      [{ name: topic, partitionIndexes: [0, 9] }],
      [{ name: unknown, partitionIndexes: [0] }],
    ]) {
      await context.eachVersion(`moves of ${JSON.stringify(topics)}`, "ListPartitionReassignments", {
        timeoutMs,
        topics,
      });
    }
  },
};

async function reassign(context: Context, topic: string, unknown: string): Promise<void> {
  const cases: [string, string, number, number[] | null][] = [
    ["to where it is", topic, 0, [1]],
    ["to nobody", topic, 0, []],
    ["to a broker that is not there", topic, 0, [7]],
    ["to a negative broker", topic, 0, [-1]],
    ["to a broker twice", topic, 0, [1, 1]],
    ["cancelled", topic, 0, null],
    ["of a partition that is not there", topic, 9, [1]],
    ["of a topic that is not there", unknown, 0, [1]],
    ["of a topic that is not there, cancelled", unknown, 0, null],
  ];
  for (const [what, name, partitionIndex, replicas] of cases) {
    const topics = [{ name, partitions: [{ partitionIndex, replicas }] }];
    await context.eachVersion(`a reassignment ${what}`, "AlterPartitionReassignments", { timeoutMs, topics });
    await context.eachVersion(
      `a reassignment ${what}, of the same size`,
      "AlterPartitionReassignments",
      { timeoutMs, topics, allowReplicationFactorChange: false },
      { from: 1 },
    );
  }
  const both = [
    { partitionIndex: 0, replicas: [1] },
    { partitionIndex: 7, replicas: [1] },
    { partitionIndex: 1, replicas: null },
  ];
  await context.eachVersion("several reassignments", "AlterPartitionReassignments", {
    timeoutMs,
    topics: [
      { name: topic, partitions: both },
      { name: unknown, partitions: both },
    ],
  });
  await context.eachVersion("no reassignment", "AlterPartitionReassignments", { timeoutMs, topics: [] });
}

async function elect(context: Context, topic: string, unknown: string): Promise<void> {
  for (const electionType of [0, 1, 2, -1]) {
    const from = electionType === 0 ? 0 : 1;
    const ask = (what: string, topicPartitions: object[]) =>
      context.eachVersion(
        `election ${electionType} ${what}`,
        "ElectLeaders",
        { electionType, topicPartitions, timeoutMs },
        { from },
      );
    await ask("of partitions that have a leader", [{ topic, partitions: [0, 1] }]);
    await ask("of what is not there", [
      { topic, partitions: [1, 9] },
      { topic: unknown, partitions: [0] },
    ]);
    await ask("of none", []);
    for (const version of [from, 2]) {
      const answer = await context.quiet("ElectLeaders", { electionType, topicPartitions: null, timeoutMs }, version);
      const replicaElectionResults = answer.replicaElectionResults.filter((one: Message) => one.topic === topic);
      context.keep(`election ${electionType} of all v${version}`, { ...answer, replicaElectionResults });
    }
  }
}
