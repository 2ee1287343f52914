import type { Context, Message, Scenario } from "../context.js";
import { awaitCoordinator, join, stableGroup } from "./group-requests.js";
import { STRANGE_ID, ZERO_ID } from "./requests.js";

interface CommitWish {
  readonly generation?: number;
  readonly memberId?: string;
  readonly partition?: number;
  readonly offset?: number;
  readonly metadata?: string | null;
  readonly leaderEpoch?: number;
  readonly instance?: string | null;
  readonly topicId?: string;
}

function commit(groupId: string, name: string, wish: CommitWish = {}): Message {
  const {
    generation = -1,
    memberId = "",
    partition = 0,
    offset = 7,
    metadata = "m",
    leaderEpoch = -1,
    instance = null,
    topicId,
  } = wish;
  const partitions = [
    {
      partitionIndex: partition,
      committedOffset: offset,
      committedLeaderEpoch: leaderEpoch,
      committedMetadata: metadata,
    },
  ];
  return {
    groupId,
    generationIdOrMemberEpoch: generation,
    memberId,
    groupInstanceId: instance,
    topics: [{ name, topicId, partitions }],
  };
}

function fetched(groupId: string, name: string, partitionIndexes: readonly number[], rest: Message = {}): Message {
  const { topicId, ...more } = rest;
  const topics = [{ name, topicId, partitionIndexes }];
  return { groupId, topics, groups: [{ groupId, memberId: null, memberEpoch: -1, topics }], ...more };
}

export const offsetCommit: Scenario = {
  name: "offset commit",
  async run(context) {
    const topic = await context.topic("t", { partitions: 2 });
    const topicId = context.topicId(topic);
    const group = context.named("simple");
    await awaitCoordinator(context, group);
    const ask = (label: string, wish: CommitWish, groupId = group, name = topic): Promise<void> =>
      context.eachVersion(label, "OffsetCommit", commit(groupId, name, { topicId, ...wish }));
    await ask("simple", {});
    await context.eachVersion("fetched", "OffsetFetch", fetched(group, topic, [0, 1], { topicId }));
    await ask("with an epoch", { leaderEpoch: 3, offset: 9 });
    await context.eachVersion("fetched with an epoch", "OffsetFetch", fetched(group, topic, [0], { topicId }));
    for (const offset of [0, -1, -5, 2 ** 50]) await ask(`offset ${offset}`, { offset });
    await context.eachVersion("fetched after those", "OffsetFetch", fetched(group, topic, [0], { topicId }));
    await ask("null metadata", { metadata: null });
    await ask("metadata of 4096", { metadata: "x".repeat(4096) });
    await ask("metadata of 4097", { metadata: "x".repeat(4097) });
    for (const partition of [2, -1]) await ask(`partition ${partition}`, { partition });
    await context.eachVersion("unknown topic", "OffsetCommit", commit(group, context.named("none")), { to: 9 });
    await context.eachVersion("invalid topic", "OffsetCommit", commit(group, "a b"), { to: 9 });
    await context.eachVersion("unknown id", "OffsetCommit", commit(group, "", { topicId: STRANGE_ID }), { from: 10 });
    await context.eachVersion("no id", "OffsetCommit", commit(group, "", { topicId: ZERO_ID }), { from: 10 });
    await ask("empty group", {}, "");
    await ask("unknown member, simple", { memberId: "stranger" }, context.named("new"));
    await ask("a generation, simple", { generation: 3 }, context.named("new2"));
    await ask("member and generation, simple", { generation: 3, memberId: "stranger" }, context.named("new3"));
    await context.eachVersion("no topics", "OffsetCommit", { groupId: group, topics: [] });
    await context.eachVersion(
      "retention",
      "OffsetCommit",
      { ...commit(group, topic), retentionTimeMs: 5000 },
      { to: 4 },
    );
    await members(context, topic, topicId);
    await severalTopics(context, topic, topicId, group);
  },
};

async function members(context: Context, topic: string, topicId: string): Promise<void> {
  const group = context.named("members");
  const { memberId, generationId: generation } = await stableGroup(context, group);
  const ask = (label: string, wish: CommitWish): Promise<void> =>
    context.eachVersion(
      `member: ${label}`,
      "OffsetCommit",
      commit(group, topic, { topicId, generation, memberId, ...wish }),
    );
  await ask("good", {});
  await ask("another generation", { generation: generation + 1 });
  await ask("generation before", { generation: generation - 1 });
  await ask("another member", { memberId: "stranger" });
  await ask("no member", { memberId: "" });
  await ask("simple", { memberId: "", generation: -1 });
  await ask("an instance", { instance: "i" });
  await context.eachVersion("member: fetched", "OffsetFetch", fetched(group, topic, [0], { topicId }));
  await context.quiet("JoinGroup", join(group, { memberId, protocols: [["range", "new"]] }), 9);
  await ask("before sync, old generation", {});
  await ask("before sync", { generation: generation + 1 });
}

async function severalTopics(context: Context, topic: string, topicId: string, groupId: string): Promise<void> {
  const partitions = [0, 1, 2].map((partitionIndex) => ({
    partitionIndex,
    committedOffset: 70 + partitionIndex,
    committedMetadata: "",
  }));
  const topics = [
    { name: topic, topicId, partitions },
    { name: context.named("none"), topicId: STRANGE_ID, partitions },
  ];
  await context.eachVersion("good beside bad", "OffsetCommit", { groupId, topics });
  await context.eachVersion(
    "fetched of good beside bad",
    "OffsetFetch",
    fetched(groupId, topic, [0, 1, 2], { topicId }),
  );
}

export const offsetFetch: Scenario = {
  name: "offset fetch",
  async run(context) {
    const topic = await context.topic("t", { partitions: 2 });
    const topicId = context.topicId(topic);
    const [group, other] = [context.named("g"), context.named("h")];
    await awaitCoordinator(context, group);
    await context.quiet("OffsetCommit", commit(group, topic, { offset: 5 }), 9);
    await context.quiet("OffsetCommit", commit(other, topic, { offset: 6, partition: 1 }), 9);
    const ask = (label: string, message: Message, versions = {}): Promise<void> =>
      context.eachVersion(label, "OffsetFetch", message, versions);
    await ask("some", fetched(group, topic, [0, 1, 7, -1], { topicId }));
    await ask("none", fetched(group, topic, [], { topicId }));
    await ask("all", { groupId: group, topics: null, groups: [{ groupId: group, topics: null }] }, { from: 2 });
    await ask(
      "all of an unknown group",
      { groupId: context.named("none"), topics: null, groups: [{ groupId: context.named("none"), topics: null }] },
      { from: 2 },
    );
    await ask("no topics", { groupId: group, topics: [], groups: [{ groupId: group, topics: [] }] });
    await ask("unknown topic", fetched(group, context.named("none"), [0]), { to: 9 });
    await ask("invalid topic", fetched(group, "a b", [0]), { to: 9 });
    await ask("unknown id", fetched(group, "", [0], { topicId: STRANGE_ID }), { from: 10 });
    await ask("no id", fetched(group, "", [0], { topicId: ZERO_ID }), { from: 10 });
    await ask("unknown group", fetched(context.named("none"), topic, [0], { topicId }));
    await ask("empty group", fetched("", topic, [0], { topicId }));
    await ask("stable", fetched(group, topic, [0], { topicId, requireStable: true }), { from: 7 });
    await ask("twice", fetched(group, topic, [0, 0], { topicId }));
    const topics = [{ name: topic, topicId, partitionIndexes: [0, 1] }];
    await ask(
      "several groups",
      {
        groups: [
          { groupId: group, topics },
          { groupId: other, topics: null },
          { groupId: context.named("none"), topics },
        ],
      },
      { from: 8 },
    );
    await ask("no groups", { groups: [] }, { from: 8 });
    await ask(
      "a group twice",
      {
        groups: [
          { groupId: group, topics },
          { groupId: group, topics: null },
        ],
      },
      { from: 8 },
    );
    for (const [label, memberId, memberEpoch] of [
      ["a member", "stranger", 1],
      ["a member without epoch", "stranger", -1],
      ["an epoch alone", null, 3],
    ] as const) {
      await ask(`as ${label}`, { groups: [{ groupId: group, memberId, memberEpoch, topics }] }, { from: 9 });
    }
  },
};

export const offsetDelete: Scenario = {
  name: "offset delete",
  async run(context) {
    const topic = await context.topic("t", { partitions: 2 });
    const group = context.named("g");
    await awaitCoordinator(context, group);
    await context.quiet("OffsetCommit", commit(group, topic), 9);
    const ask = async (label: string, groupId: string, name: string, ...indexes: number[]): Promise<void> => {
      const partitions = indexes.map((partitionIndex) => ({ partitionIndex }));
      await context.call(label, "OffsetDelete", 0, { groupId, topics: [{ name, partitions }] });
    };
    await ask("one", group, topic, 0);
    await ask("again, and more", group, topic, 0, 1, 9, -1);
    await ask("unknown topic", group, context.named("none"), 0);
    await ask("unknown group", context.named("none"), topic, 0);
    await ask("empty group", "", topic, 0);
    await ask("no partitions", group, topic);
    await context.call("no topics", "OffsetDelete", 0, { groupId: group, topics: [] });
    await context.call("fetched", "OffsetFetch", 7, fetched(group, topic, [0]));
    await subscribed(context, topic);
    await deletedTopic(context);
  },
};

/** Offsets of a topic that a member subscribes to stay. */
async function subscribed(context: Context, topic: string): Promise<void> {
  const group = context.named("subscribed");
  const metadata = subscription([topic]);
  const { memberId, generationId } = await stableGroup(context, group, { protocols: [["range", metadata]] });
  await context.quiet("OffsetCommit", commit(group, topic, { memberId, generation: generationId }), 9);
  const partitions = [{ partitionIndex: 0 }];
  await context.call("subscribed to", "OffsetDelete", 0, { groupId: group, topics: [{ name: topic, partitions }] });
  const other = await context.topic("other");
  await context.quiet("OffsetCommit", commit(group, other, { memberId, generation: generationId }), 9);
  await context.call("not subscribed to", "OffsetDelete", 0, { groupId: group, topics: [{ name: other, partitions }] });
  const strange = context.named("connect");
  await stableGroup(context, strange, { protocolType: "connect" });
  await context.call("another protocol's group", "OffsetDelete", 0, {
    groupId: strange,
    topics: [{ name: topic, partitions }],
  });
}

/** A consumer's subscription, version 0, as the bytes of a string. */
function subscription(topics: readonly string[]): string {
  const parts = topics.map((topic) => `\0${String.fromCharCode(topic.length)}${topic}`);
  return `\0\0\0\0\0${String.fromCharCode(topics.length)}${parts.join("")}\0\0\0\0`;
}

/** Offsets go with their topic. */
async function deletedTopic(context: Context): Promise<void> {
  const topic = await context.topic("gone");
  const group = context.named("gone-group");
  await awaitCoordinator(context, group);
  await context.quiet("OffsetCommit", commit(group, topic), 9);
  await context.quiet("DeleteTopics", { topics: [{ name: topic, topicId: ZERO_ID }], timeoutMs: 5000 });
  await context.until("offsets are gone", async () => {
    const { topics } = await context.quiet("OffsetFetch", fetched(group, topic, [0]), 7);
    return topics[0].partitions[0].committedOffset === -1;
  });
  await context.call("offsets of a deleted topic", "OffsetFetch", 7, { groupId: group, topics: null });
}
