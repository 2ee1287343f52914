import fc from "fast-check";
import { expect, test } from "vitest";
import { FakeSlotJournals } from "../../../test/fakes/fake-slot-journals.js";
import { GroupHarness, settle } from "../../../test/fakes/group-harness.js";
import { ErrorCode } from "../../errors/error-codes.js";

const oneSlot = () => new FakeSlotJournals(1);

async function started(config: Record<string, number> = {}): Promise<GroupHarness> {
  const harness = new GroupHarness(config, oneSlot());
  harness.addTopic("t", 4);
  harness.addTopic("u", 4);
  return harness.start();
}

function commit(harness: GroupHarness, offset: number, topic = "t", groupId = "g"): Promise<number> {
  return harness.commit(topic, [[0, offset, 2, "m"]], { groupId });
}

async function committed(harness: GroupHarness, topic = "t", groupId = "g"): Promise<number | undefined> {
  const fetch = { groupId, byTopicId: false, topics: [{ name: topic, topicId: "", partitionIndexes: [0] }] };
  const { errorCode, topics } = await harness.coordinator.fetchOffsets(fetch);
  return errorCode === ErrorCode.NONE ? topics[0]?.partitions[0]?.committedOffset : undefined;
}

test("while a slot loads, everything about its groups waits", async () => {
  const harness = new GroupHarness({}, oneSlot());
  harness.journals.holdOpening();
  const starting = harness.start();
  const loading = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS;
  expect((await harness.join()).errorCode).toBe(loading);
  expect(harness.heartbeat({ memberId: "m", generationId: 1, groupInstanceId: null })).toBe(loading);
  expect(harness.coordinator.list({ states: [], types: [] })).toBe(loading);
  expect(await commit(harness, 1)).toBe(loading);
  harness.journals.finishOpening();
  await starting;
  expect(harness.coordinator.list({ states: [], types: [] })).toEqual([]);
});

test("a slot that is not led here is somebody else's", async () => {
  const harness = new GroupHarness({}, oneSlot());
  expect((await harness.join()).errorCode).toBe(ErrorCode.NOT_COORDINATOR);
});

test("offsets are answered when they are durable, and shown when they are", async () => {
  const harness = await started();
  expect(await commit(harness, 1)).toBe(0);
  harness.journals.holding = true;
  const answers: string[] = [];
  const note = (what: string) => (value: unknown) => void answers.push(`${what} ${value}`);
  void commit(harness, 2).then(note("commit"));
  void committed(harness).then(note("fetch"));
  await settle();
  expect(answers).toEqual([]);
  harness.journals.release();
  await settle();
  expect(answers).toEqual(["commit 0", "fetch 2"]);
});

test("what was acknowledged is there after a crash", async () => {
  const harness = await started();
  await harness.stableGroup({});
  await harness.advance(60_000);
  await commit(harness, 7);
  await commit(harness, 8, "u", "simple");
  await harness.crash();
  expect([await committed(harness), await committed(harness, "u", "simple")]).toEqual([7, 8]);
  expect(harness.coordinator.list({ states: [], types: [] })).toEqual([
    { groupId: "g", protocolType: "consumer", groupState: "Empty", groupType: "classic" },
    { groupId: "simple", protocolType: "", groupState: "Empty", groupType: "classic" },
  ]);
});

test("members are not remembered, but generations go on", async () => {
  const harness = await started();
  const [member] = await harness.stableGroup({});
  await harness.crash();
  expect(harness.state()).toBe("Empty");
  expect(member && harness.heartbeat(member)).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
  const [again] = await harness.stableGroup({});
  expect(again?.generationId).toBe(2);
});

test("a deleted group does not come back", async () => {
  const harness = await started();
  await commit(harness, 1);
  expect(await harness.coordinator.deleteGroup("g")).toBe(0);
  await harness.crash();
  expect(harness.state()).toBe(`error ${ErrorCode.GROUP_ID_NOT_FOUND}`);
  expect(await committed(harness)).toBe(-1);
});

test("when the journal fails, all who wait are told, and the slot loads again what is durable", async () => {
  const harness = await started();
  await commit(harness, 1);
  const joining = harness.join();
  harness.journals.holding = true;
  const commits = [commit(harness, 2, "t", "x"), commit(harness, 3, "t", "y")];
  const fetching = committed(harness);
  harness.journals.failHeld();
  const unavailable = ErrorCode.COORDINATOR_NOT_AVAILABLE;
  expect(await Promise.all(commits)).toEqual([unavailable, unavailable]);
  expect(await fetching).toBe(undefined);
  expect((await joining).errorCode).toBe(unavailable);
  expect(harness.coordinator.list({ states: [], types: [] })).toBe(unavailable);
  harness.journals.holding = false;
  await harness.advance(1_000);
  expect([await committed(harness), await committed(harness, "t", "x")]).toEqual([1, -1]);
  expect(await commit(harness, 4)).toBe(0);
  expect([harness.journals.epoch(0), harness.journals.openCount]).toEqual([2, 1]); // loaded again once, by one
});

test("a group that died with its slot does nothing more", async () => {
  const harness = await started();
  const join = harness.join();
  await harness.advance(3_000);
  expect((await join).errorCode).toBe(0);
  harness.journals.failing = true;
  expect(await commit(harness, 1, "t", "other")).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
  harness.journals.failing = false;
  await harness.advance(120_000);
  expect(harness.journals.entries).toEqual([]);
});

test("each failure is followed by a quick first try", async () => {
  const harness = await started();
  for (let round = 0; round < 3; round++) {
    harness.journals.failing = true;
    expect(await commit(harness, round)).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
    harness.journals.failing = false;
    await harness.advance(1_000);
    expect(await commit(harness, round)).toBe(0);
  }
});

test("a group that became empty and was deleted is not taken for one that had members", async () => {
  const harness = new GroupHarness({}, oneSlot());
  const record = { type: "group", group: "g", protocolType: "consumer", protocol: "range", generation: 1 };
  harness.journals.write(0, { ...record, emptySince: null });
  harness.journals.write(0, { ...record, protocol: null, emptySince: 7 });
  harness.journals.write(0, { type: "delete-group", group: "g" });
  await harness.start();
  expect(harness.state()).toBe(`error ${ErrorCode.GROUP_ID_NOT_FOUND}`);
});

test("a volume that cannot be read is tried again, less and less often", async () => {
  const harness = new GroupHarness({}, oneSlot());
  harness.journals.unreadable = true;
  await harness.start();
  expect((await harness.join()).errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
  await harness.advance(1_000);
  harness.journals.unreadable = false;
  await harness.advance(1_000);
  expect((await harness.join()).errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
  await harness.advance(1_000);
  expect((await harness.join({ memberIdRequired: true })).errorCode).toBe(ErrorCode.MEMBER_ID_REQUIRED);
});

test("state that makes no sense is not served", async () => {
  const harness = new GroupHarness({}, oneSlot());
  harness.journals.write(0, { type: "commit", group: 7 });
  await harness.start();
  expect((await harness.join()).errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
});

test("closing makes durable what was accepted, and answers all who wait", async () => {
  const harness = await started();
  harness.journals.holding = true;
  const committing = commit(harness, 1, "t", "x");
  const joining = harness.join();
  const closing = harness.coordinator.close();
  expect((await joining).errorCode).toBe(ErrorCode.NOT_COORDINATOR);
  harness.journals.release();
  await closing;
  expect(await committing).toBe(0);
  expect(await commit(harness, 2)).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
  expect(harness.clock.pending).toBe(0);
});

test("closing while loading leaves no journal behind", async () => {
  const harness = new GroupHarness({}, oneSlot());
  harness.journals.holdOpening();
  void harness.start();
  const closing = harness.coordinator.close();
  harness.journals.finishOpening();
  await closing;
  expect((await harness.join()).errorCode).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
  expect([harness.journals.epoch(0), harness.journals.openCount]).toEqual([1, 0]);
});

test("offsets go with their topic, also from groups that were loading", async () => {
  const harness = await started();
  await commit(harness, 1);
  await commit(harness, 2, "u");
  const topic = harness.topics.byName("t");
  if (topic === undefined) throw new Error("there is no topic");
  harness.topics.remove(topic);
  expect([await committed(harness), await committed(harness, "u")]).toEqual([-1, 2]);
  await harness.crash();
  expect(await committed(harness)).toBe(-1);

  harness.journals.failing = true;
  expect(await commit(harness, 3, "u")).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
  const other = harness.topics.byName("u");
  if (other !== undefined) harness.topics.remove(other);
  harness.journals.failing = false;
  await harness.advance(1_000);
  expect(await committed(harness, "u")).toBe(-1);
});

test("a topic that comes again under the same name starts without offsets", async () => {
  const harness = await started();
  await commit(harness, 1);
  harness.addTopic("t", 4, 77);
  expect(await committed(harness)).toBe(-1);
  await commit(harness, 5);
  const { topics } = await harness.coordinator.fetchOffsets({ groupId: "g", topics: null, byTopicId: false });
  expect(topics[0]).toMatchObject({ name: "t", topicId: harness.topics.byName("t")?.id });
});

test("offsets of a topic that came again while nobody was there are dropped on loading", async () => {
  const harness = await started();
  await commit(harness, 1);
  const before = harness.journals.afterCrash();
  harness.addTopic("t", 4, 77);
  harness.journals = before;
  await harness.crash();
  expect(await committed(harness)).toBe(-1);
  expect(harness.journals.entries.at(-1)).toMatchObject({ type: "delete-topic", topic: "t" });
});

test("the journal is compacted when it is long, and nothing is lost by it", async () => {
  const harness = await started();
  harness.journals.snapshotEvery = 5;
  for (let offset = 0; offset < 12; offset++) await commit(harness, offset, "t", `g${offset % 3}`);
  expect(harness.journals.entries.length).toBeLessThan(5);
  await harness.crash();
  expect(await Promise.all([0, 1, 2].map((group) => committed(harness, "t", `g${group}`)))).toEqual([9, 10, 11]);
});

test("a snapshot holds what is still on its way to the disk", async () => {
  const harness = await started();
  await commit(harness, 1);
  harness.journals.snapshotEvery = 1;
  harness.journals.holding = true;
  const commits = [commit(harness, 2), commit(harness, 3)];
  harness.journals.release(1);
  await commits[0];
  await settle();
  expect(JSON.stringify(harness.journals.snapshot(0))).toContain("[0,3,2,");
});

test("one snapshot at a time", async () => {
  const harness = await started();
  harness.journals.snapshotEvery = 1;
  harness.journals.hangingSnapshots = true;
  expect([await commit(harness, 1), await commit(harness, 2)]).toEqual([0, 0]);
  expect(harness.journals.snapshotCount).toBe(1);
});

test("a snapshot that fails costs nothing but a line in the log, and is not tried with every commit", async () => {
  const harness = await started();
  harness.journals.snapshotEvery = 1;
  harness.journals.refusingSnapshots = true;
  expect([await commit(harness, 1), await commit(harness, 2)]).toEqual([0, 0]);
  harness.journals.refusingSnapshots = false;
  await commit(harness, 3);
  await settle();
  expect(harness.journals.snapshot(0)).toBe(undefined);
  await harness.advance(60_000);
  await commit(harness, 4);
  await settle();
  expect(harness.journals.snapshot(0)).toBeDefined();
});

const change = fc.oneof(
  fc.record({ kind: fc.constant("commit"), group: fc.nat(2), topic: fc.constantFrom("t", "u"), offset: fc.nat(99) }),
  fc.record({
    kind: fc.constantFrom("delete", "offsets", "recreate", "wait"),
    group: fc.nat(2),
    topic: fc.constantFrom("t", "u"),
    offset: fc.constant(0),
  }),
);

test("the journal read again, compacted or not, gives the state that was in memory", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), fc.constantFrom(3, 1_000), async (changes, snapshotEvery) => {
      const harness = await started();
      harness.journals.snapshotEvery = snapshotEvery;
      for (const { kind, group, topic, offset } of changes) {
        const groupId = `g${group}`;
        if (kind === "commit") await commit(harness, offset, topic, groupId);
        if (kind === "delete") await harness.coordinator.deleteGroup(groupId);
        if (kind === "offsets") await harness.coordinator.deleteOffsets(groupId, [{ topic, partitions: [0, 1] }]);
        if (kind === "recreate") harness.addTopic(topic, 4, harness.clock.now() % 200);
        if (kind === "wait") await harness.advance(7);
      }
      const shown = async () => ({
        groups: harness.coordinator.list({ states: [], types: [] }),
        offsets: await Promise.all(
          ["g0", "g1", "g2"].map((groupId) =>
            harness.coordinator.fetchOffsets({ groupId, topics: null, byTopicId: false }),
          ),
        ),
      });
      const before = await shown();
      await harness.crash();
      expect(await shown()).toEqual(before);
    }),
    { numRuns: 60 },
  );
});
