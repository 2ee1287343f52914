import { expect, test } from "vitest";
import { FakeSlotJournals } from "../../../test/fakes/fake-slot-journals.js";
import { GroupHarness, settle } from "../../../test/fakes/group-harness.js";
import { ErrorCode } from "../../errors/error-codes.js";

const COMMITS = 1_000;

/** Two coordinators on one volume; the first leads the only slot. */
async function twoCoordinators(): Promise<{ journals: FakeSlotJournals; from: GroupHarness; to: GroupHarness }> {
  const journals = new FakeSlotJournals(1);
  const from = new GroupHarness({}, journals);
  const to = new GroupHarness({}, journals);
  for (const harness of [from, to]) harness.addTopic("t", COMMITS);
  await from.coordinator.start();
  await to.coordinator.start([]);
  return { journals, from, to };
}

const commit = (harness: GroupHarness, partition: number, offset: number): Promise<ErrorCode> =>
  harness.commit("t", [[partition, offset, 2, "m"]]);

/** Committed offsets by partition; −1 where there is none. */
async function committed({ coordinator }: GroupHarness): Promise<number[]> {
  const partitionIndexes = Array.from({ length: COMMITS }, (_, partition) => partition);
  const topics = [{ name: "t", topicId: "", partitionIndexes }];
  const { errorCode, topics: fetched } = await coordinator.fetchOffsets({ groupId: "g", byTopicId: false, topics });
  expect(errorCode).toBe(ErrorCode.NONE);
  return (fetched[0]?.partitions ?? []).map(({ committedOffset }) => committedOffset);
}

test("a slot moves under a thousand commits: each is answered, and what was acknowledged is there", async () => {
  const { journals, from, to } = await twoCoordinators();
  journals.holding = true;
  const first = Array.from({ length: COMMITS / 2 }, (_, partition) => commit(from, partition, 7));
  const handingOver = from.coordinator.handOverSlot(0);
  const late = Array.from({ length: COMMITS / 2 }, (_, index) => commit(from, COMMITS / 2 + index, 7));
  journals.release(COMMITS / 4); // some become durable early, the rest only while the slot is being handed over
  await settle();
  journals.holding = false;
  journals.release();
  await handingOver;
  await to.coordinator.takeSlot(0);
  const answers = await Promise.all([...first, ...late]);
  expect(new Set(answers)).toEqual(new Set([ErrorCode.NONE, ErrorCode.NOT_COORDINATOR]));
  expect(await committed(to)).toEqual(answers.map((answer) => (answer === ErrorCode.NONE ? 7 : -1)));
  expect(await commit(from, 0, 8)).toBe(ErrorCode.NOT_COORDINATOR);
  expect(await commit(to, 0, 8)).toBe(ErrorCode.NONE);
});

test("commits that do not become durable during the hand-over are not acknowledged", async () => {
  const { journals, from, to } = await twoCoordinators();
  journals.holding = true;
  const commits = Array.from({ length: COMMITS }, (_, partition) => commit(from, partition, 7));
  const handingOver = from.coordinator.handOverSlot(0);
  journals.release(COMMITS / 4);
  journals.failHeld();
  await handingOver;
  journals.holding = false;
  await to.coordinator.takeSlot(0);
  const answers = await Promise.all(commits);
  expect(answers.filter((answer) => answer === ErrorCode.NONE)).toHaveLength(COMMITS / 4);
  expect(answers.filter((answer) => answer === ErrorCode.NOT_COORDINATOR)).toHaveLength((COMMITS * 3) / 4);
  expect(await committed(to)).toEqual(answers.map((answer) => (answer === ErrorCode.NONE ? 7 : -1)));
});

test("members of a group that moves away are sent to look for its coordinator, also those who wait", async () => {
  const { from, to } = await twoCoordinators();
  const [member] = await from.stableGroup({});
  const joining = from.join({ groupId: "other" });
  await from.coordinator.handOverSlot(0);
  expect((await joining).errorCode).toBe(ErrorCode.NOT_COORDINATOR);
  expect(member && from.heartbeat(member)).toBe(ErrorCode.NOT_COORDINATOR);
  await to.coordinator.takeSlot(0);
  expect(member && to.heartbeat(member)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  expect(to.state()).toBe("Empty");
});

test("a slot that comes back while it is leaving loads once it has left", async () => {
  const { journals, from } = await twoCoordinators();
  journals.holding = true;
  const committing = commit(from, 0, 7);
  const handingOver = from.coordinator.handOverSlot(0);
  const taking = from.coordinator.takeSlot(0);
  expect(await commit(from, 1, 7)).toBe(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS);
  expect(journals.epoch(0)).toBe(1);
  journals.holding = false;
  journals.release();
  await Promise.all([handingOver, taking]);
  expect(await committing).toBe(ErrorCode.NONE);
  expect((await committed(from)).slice(0, 2)).toEqual([7, -1]);
  expect([journals.epoch(0), journals.openCount]).toEqual([2, 1]);
});

test("a coordinator that has been fenced answers NOT_COORDINATOR and does not take the slot back", async () => {
  const { journals, from } = await twoCoordinators();
  journals.holding = true;
  const commits = [commit(from, 0, 7), commit(from, 1, 7)];
  journals.failHeld("KAAS_FENCED");
  expect(await Promise.all(commits)).toEqual([ErrorCode.NOT_COORDINATOR, ErrorCode.NOT_COORDINATOR]);
  await from.advance(60_000);
  expect(await commit(from, 0, 7)).toBe(ErrorCode.NOT_COORDINATOR);
  expect([journals.epoch(0), journals.openCount]).toEqual([1, 0]);
});
