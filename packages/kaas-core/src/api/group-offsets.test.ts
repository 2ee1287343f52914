import { expect, test } from "vitest";
import { exchange, failures, versionsOf } from "../../test/fakes/api-exchange.js";
import { FakeSlotJournals } from "../../test/fakes/fake-slot-journals.js";
import { GroupHarness } from "../../test/fakes/group-harness.js";
import { ErrorCode } from "../errors/error-codes.js";
import type {
  OffsetCommitResponse,
  OffsetDeleteResponse,
  OffsetFetchResponse,
  OffsetFetchResponseTopic,
  OffsetFetchResponseTopics,
} from "../messages/generated/index.js";
import { offsetCommit } from "./08-offset-commit.js";
import { offsetFetch } from "./09-offset-fetch.js";
import { offsetDelete } from "./47-offset-delete.js";
import type { AnyApiHandler } from "./api-handler.js";

const LOST_ID = Buffer.alloc(16, 250).toString("base64url");

async function started(): Promise<GroupHarness> {
  const harness = new GroupHarness({}, new FakeSlotJournals(1));
  harness.addTopic("t", 2);
  return harness.start();
}

function ask<Response>(
  harness: GroupHarness,
  handler: AnyApiHandler,
  version: number,
  request: object,
): Promise<Response> {
  return exchange<Response>({ groups: harness.coordinator, topics: harness.topics }, handler, version, request);
}

const idOf = (harness: GroupHarness, name: string): string => harness.topics.byName(name)?.id ?? LOST_ID;

interface Commit {
  readonly group?: string;
  readonly generation?: number;
  readonly retentionTimeMs?: number;
  readonly topics: Readonly<Record<string, readonly [partition: number, metadata: string | null][]>>;
}

async function commit(harness: GroupHarness, version: number, asked: Commit): Promise<Record<string, number[]>> {
  const names = Object.keys(asked.topics);
  const { topics } = await ask<OffsetCommitResponse>(harness, offsetCommit, version, {
    groupId: asked.group ?? "g",
    generationIdOrMemberEpoch: asked.generation ?? -1,
    memberId: "",
    ...(version <= 4 ? { retentionTimeMs: asked.retentionTimeMs ?? -1 } : {}),
    topics: names.map((name) => ({
      ...(version < 10 ? { name } : { topicId: idOf(harness, name) }),
      partitions: (asked.topics[name] ?? []).map(([partitionIndex, committedMetadata]) => ({
        partitionIndex,
        committedOffset: 40 + partitionIndex,
        ...(version >= 6 ? { committedLeaderEpoch: 3 } : {}),
        committedMetadata,
      })),
    })),
  });
  for (const [index, name] of names.entries()) {
    if (version < 10) expect(topics[index]?.name).toBe(name);
    else expect(topics[index]?.topicId).toBe(idOf(harness, name));
  }
  return Object.fromEntries(
    topics.map((topic, index) => [names[index], topic.partitions.map(({ errorCode }) => errorCode)]),
  );
}

type FetchedTopic = OffsetFetchResponseTopic | OffsetFetchResponseTopics;

/** One group's offsets, in whichever way the version asks for them. */
async function fetch(
  harness: GroupHarness,
  version: number,
  names: readonly string[] | null,
  group = "g",
): Promise<{ errorCode: number; topics: readonly FetchedTopic[] }> {
  const topics = names?.map((name) => ({
    ...(version < 10 ? { name } : { topicId: idOf(harness, name) }),
    partitionIndexes: [0, 7],
  }));
  const request =
    version >= 8
      ? { groups: [{ groupId: group, topics: topics ?? null }], requireStable: true }
      : { groupId: group, topics: topics ?? null };
  const response = await ask<OffsetFetchResponse>(harness, offsetFetch, version, request);
  const answer = version >= 8 ? response.groups[0] : response;
  if (answer === undefined) throw new Error("the group was not answered");
  return { errorCode: answer.errorCode, topics: answer.topics };
}

test.each(versionsOf(offsetCommit))("OffsetCommit version %i: each partition its answer", async (version) => {
  const harness = await started();
  const lost = version >= 10 ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
  const noPartition = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
  const long = "x".repeat(4_097);
  const topics = {
    t: [
      [0, "m"],
      [1, long],
      [2, ""],
      [-1, null],
    ],
    nope: [[0, null]],
  } as Commit["topics"];
  expect(await commit(harness, version, { topics })).toEqual({
    t: [0, ErrorCode.OFFSET_METADATA_TOO_LARGE, noPartition, noPartition],
    nope: [lost],
  });
  expect((await fetch(harness, 9, ["t"])).topics[0]?.partitions[0]).toMatchObject({
    committedOffset: 40,
    committedLeaderEpoch: version >= 6 ? 3 : -1,
    metadata: "m",
  });
});

test.each(versionsOf(offsetCommit))("OffsetCommit version %i: a group that is not there", async (version) => {
  const harness = await started();
  const error = version >= 9 ? ErrorCode.GROUP_ID_NOT_FOUND : ErrorCode.ILLEGAL_GENERATION;
  const long = "x".repeat(4_097);
  const topics = {
    t: [
      [0, "m"],
      [1, long],
      [2, ""],
    ],
  } as Commit["topics"];
  expect(await commit(harness, version, { generation: 3, topics })).toEqual({
    t: [error, error, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
  });
});

test("OffsetCommit that names nothing that exists does not reach the group", async () => {
  const harness = await started();
  expect(await commit(harness, 9, { generation: 3, topics: { nope: [[0, ""]] } })).toEqual({
    nope: [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION],
  });
  expect(await commit(harness, 9, { topics: {} })).toEqual({});
  expect(harness.state()).toBe(`error ${ErrorCode.GROUP_ID_NOT_FOUND}`);
});

test("OffsetCommit of metadata that is as long as it may be, or none", async () => {
  const harness = await started();
  const topics = {
    t: [
      [0, "x".repeat(4_096)],
      [1, null],
    ],
  } as Commit["topics"];
  expect(await commit(harness, 9, { topics })).toEqual({ t: [0, 0] });
  const { topics: fetched } = await fetch(harness, 9, null);
  expect(fetched[0]?.partitions.map(({ metadata }) => metadata?.length)).toEqual([4_096, 0]);
});

test("OffsetCommit versions 2 to 4 say how long to keep the offset", async () => {
  const harness = await started();
  await commit(harness, 3, { retentionTimeMs: 5_000, topics: { t: [[0, ""]] } });
  expect(harness.journals.entries[0]).toMatchObject({ expiresAt: harness.clock.now() + 5_000 });
  await commit(harness, 3, { topics: { t: [[0, ""]] } });
  expect(harness.journals.entries[1]).toMatchObject({ expiresAt: null });
});

test.each(versionsOf(offsetFetch))(
  "OffsetFetch version %i: what was committed, and −1 for the rest",
  async (version) => {
    const harness = await started();
    await commit(harness, 9, { topics: { t: [[0, "m"]] } });
    const none = { partitionIndex: 7, committedOffset: -1, committedLeaderEpoch: -1, metadata: "", errorCode: 0 };
    const committedLeaderEpoch = version >= 5 ? 3 : -1;
    const committed = { partitionIndex: 0, committedOffset: 40, committedLeaderEpoch, metadata: "m", errorCode: 0 };
    const named = await fetch(harness, version, ["t", "nope"]);
    expect(named.errorCode).toBe(0);
    expect(named.topics[0]?.partitions).toEqual([committed, none]);
    const lost = version >= 10 ? ErrorCode.UNKNOWN_TOPIC_ID : ErrorCode.NONE;
    expect(named.topics[1]?.partitions).toMatchObject([{ committedOffset: -1, errorCode: lost }, { errorCode: lost }]);
    expect((await fetch(harness, version, ["t"], "other")).topics[0]?.partitions).toMatchObject([
      { committedOffset: -1 },
      none,
    ]);
    if (version >= 2) {
      const all = await fetch(harness, version, null);
      expect(all.topics).toHaveLength(1);
      expect(all.topics[0]?.partitions).toEqual([committed]);
      expect((await fetch(harness, version, null, "other")).topics).toEqual([]);
    }
  },
);

test.each(versionsOf(offsetFetch))("OffsetFetch version %i: errors of the group", async (version) => {
  const harness = new GroupHarness({}, new FakeSlotJournals(1)); // not started: it has no slots
  harness.addTopic("t", 2);
  const { errorCode, topics } = await fetch(harness, version, ["t"]);
  if (version === 1)
    expect(topics[0]?.partitions[0]).toMatchObject({ committedOffset: -1, errorCode: ErrorCode.NOT_COORDINATOR });
  else expect([errorCode, topics]).toEqual([ErrorCode.NOT_COORDINATOR, []]);
});

test("OffsetFetch of several groups answers each", async () => {
  const harness = await started();
  await commit(harness, 9, { group: "a", topics: { t: [[0, ""]] } });
  await commit(harness, 9, { group: "b", topics: { t: [[1, ""]] } });
  const groups = ["a", "b", "c", "a"].map((groupId) => ({ groupId, topics: null }));
  const response = await ask<OffsetFetchResponse>(harness, offsetFetch, 8, { groups });
  expect(response.groups.map(({ groupId, topics }) => [groupId, topics[0]?.partitions[0]?.committedOffset])).toEqual([
    ["a", 40],
    ["b", 41],
    ["c", undefined],
    ["a", 40],
  ]);
});

test("OffsetFetch by id leaves out topics that are gone", async () => {
  const harness = await started();
  await commit(harness, 9, { topics: { t: [[0, ""]] } });
  expect((await fetch(harness, 10, null)).topics).toMatchObject([{ topicId: idOf(harness, "t") }]);
});

test("OffsetDelete: each partition its answer", async () => {
  const harness = await started();
  await commit(harness, 9, {
    topics: {
      t: [
        [0, ""],
        [1, ""],
      ],
    },
  });
  const remove = (groupId: string, ...names: string[]) =>
    ask<OffsetDeleteResponse>(harness, offsetDelete, 0, {
      groupId,
      topics: names.map((name) => ({ name, partitions: [{ partitionIndex: 0 }, { partitionIndex: 7 }] })),
    });
  const unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
  expect(await remove("g", "t", "nope")).toMatchObject({
    errorCode: 0,
    topics: [
      {
        name: "t",
        partitions: [
          { partitionIndex: 0, errorCode: 0 },
          { partitionIndex: 7, errorCode: unknown },
        ],
      },
      {
        name: "nope",
        partitions: [
          { partitionIndex: 0, errorCode: unknown },
          { partitionIndex: 7, errorCode: unknown },
        ],
      },
    ],
  });
  expect((await fetch(harness, 9, null)).topics[0]?.partitions).toMatchObject([{ partitionIndex: 1 }]);
  expect(await remove("other", "t")).toMatchObject({ errorCode: ErrorCode.GROUP_ID_NOT_FOUND, topics: [] });
  expect(await remove("", "t")).toMatchObject({ errorCode: ErrorCode.INVALID_GROUP_ID, topics: [] });
});

test("failures can be said in every version", () => {
  const errorCode = ErrorCode.UNKNOWN_SERVER_ERROR;
  const partitions = [{ partitionIndex: 4, committedOffset: 1, committedMetadata: null }];
  const commits = failures<OffsetCommitResponse>(offsetCommit, { groupId: "g", topics: [{ partitions }] }, errorCode);
  for (const { topics } of commits) expect(topics[0]?.partitions).toEqual([{ partitionIndex: 4, errorCode }]);
  const asked = { topics: [{ name: "t", partitionIndexes: [4] }], groups: [{ groupId: "g", topics: null }] };
  for (const [index, answer] of failures<OffsetFetchResponse>(offsetFetch, asked, errorCode).entries()) {
    const version = index + 1;
    if (version >= 8) expect(answer.groups).toMatchObject([{ groupId: "g", errorCode }]);
    else expect(answer.topics[0]?.partitions[0]).toMatchObject({ partitionIndex: 4, errorCode });
  }
  for (const answer of failures<OffsetDeleteResponse>(offsetDelete, { groupId: "g", topics: [] }, errorCode)) {
    expect(answer.errorCode).toBe(errorCode);
  }
});
