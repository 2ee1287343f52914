import type { Context, Message, Scenario } from "../context.js";
import { append, records } from "./requests.js";

export const cluster: Scenario = {
  name: "cluster",
  async run(context) {
    for (const includeClusterAuthorizedOperations of [false, true]) {
      await context.eachVersion(`describe, operations ${includeClusterAuthorizedOperations}`, "DescribeCluster", {
        includeClusterAuthorizedOperations,
      });
    }
    for (const endpointType of [0, 2, 3, -1])
      await context.eachVersion(
        `endpoint type ${endpointType}`,
        "DescribeCluster",
        { includeClusterAuthorizedOperations: false, endpointType },
        { from: 1 },
      );
    await context.eachVersion(
      "fenced brokers",
      "DescribeCluster",
      { includeClusterAuthorizedOperations: false, includeFencedBrokers: true },
      { from: 2 },
    );
    await logDirs(context);
    await coordinators(context);
    await producerIds(context);
  },
};

async function logDirs(context: Context): Promise<void> {
  const topic = await context.topic("dirs", { partitions: 2 });
  await append(context, topic, records(3));
  await context.eachVersion("log dirs of a topic", "DescribeLogDirs", { topics: [{ topic, partitions: [0, 1] }] });
  await context.eachVersion("log dirs of a partition", "DescribeLogDirs", { topics: [{ topic, partitions: [1] }] });
  await context.eachVersion("log dirs of an unknown partition", "DescribeLogDirs", {
    topics: [{ topic, partitions: [9] }],
  });
  await context.eachVersion("log dirs of an unknown topic", "DescribeLogDirs", {
    topics: [{ topic: context.named("none"), partitions: [0] }],
  });
  await context.eachVersion("log dirs of nothing", "DescribeLogDirs", { topics: [] });
  for (const version of [1, 5]) {
    const answer = await context.quiet("DescribeLogDirs", { topics: null }, version);
    const results = answer.results.map((dir: Message) => ({
      ...dir,
      topics: dir.topics.filter(({ name }: Message) => name === topic),
    }));
    context.keep(`log dirs of all v${version}`, { ...answer, results });
  }
}

async function coordinators(context: Context): Promise<void> {
  const group = context.named("g");
  await context.quiet("FindCoordinator", { key: group, keyType: 0, coordinatorKeys: [group] });
  await context.until(
    "there is a coordinator",
    async () => (await context.quiet("FindCoordinator", { coordinatorKeys: [group] })).coordinators[0].errorCode === 0,
  );
  for (const keyType of [0, 1, 2, 3, -1]) {
    for (const key of [group, "", "a:b:c"]) {
      if (keyType === 1 && key !== "") continue;
      await context.eachVersion(
        `coordinator of type ${keyType}, '${key}'`,
        "FindCoordinator",
        { key, keyType, coordinatorKeys: [key] },
        { from: keyType === 0 ? 0 : 1 },
      );
    }
  }
  await context.eachVersion(
    "coordinators of several",
    "FindCoordinator",
    { coordinatorKeys: [group, `${group}2`, group] },
    { from: 4 },
  );
  await context.eachVersion("coordinators of none", "FindCoordinator", { coordinatorKeys: [] }, { from: 4 });
}

async function producerIds(context: Context): Promise<void> {
  const ask = (label: string, rest: Message, from = 0): Promise<void> =>
    context.eachVersion(
      label,
      "InitProducerId",
      { transactionalId: null, transactionTimeoutMs: 1000, ...rest },
      { from },
    );
  await context.until("producer ids are given out", async () => {
    const { errorCode } = await context.quiet("InitProducerId", { transactionalId: null, transactionTimeoutMs: 1000 });
    return errorCode === 0;
  });
  await ask("producer id", {});
  await ask("producer id, no timeout", { transactionTimeoutMs: 0 });
  await ask("producer id, negative timeout", { transactionTimeoutMs: -1 });
  await ask("producer id, empty transactional id", { transactionalId: "" });
  await ask("a producer's next epoch", { producerId: 5, producerEpoch: 3 }, 3);
  await ask("an id without epoch", { producerId: 5, producerEpoch: -1 }, 3);
  await ask("an epoch without id", { producerId: -1, producerEpoch: 4 }, 3);
  await ask("a negative id", { producerId: -7, producerEpoch: 4 }, 3);
  await ask("a negative epoch", { producerId: 7, producerEpoch: -4 }, 3);
  await ask("the last epoch", { producerId: 5, producerEpoch: 32767 }, 3);
}
