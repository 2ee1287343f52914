import { expect, test } from "vitest";
import { FakeSlotJournals } from "../../test/fakes/fake-slot-journals.js";
import { GroupHarness, subscription } from "../../test/fakes/group-harness.js";
import { ErrorCode } from "../errors/error-codes.js";

const listed = (harness: GroupHarness, states: string[] = [], types: string[] = []) => {
  const groups = harness.coordinator.list({ states, types });
  return typeof groups === "number" ? groups : groups.map(({ groupId }) => groupId).sort();
};

test("lists groups of all slots, filtered by state and type without regard to case", async () => {
  const harness = await new GroupHarness({}, new FakeSlotJournals(7)).start();
  await harness.stableGroup({});
  for (const groupId of ["a", "b", "c"]) await harness.join({ groupId, memberIdRequired: true });
  expect(listed(harness)).toEqual(["a", "b", "c", "g"]);
  expect(listed(harness, ["EMPTY"])).toEqual(["a", "b", "c"]);
  expect(listed(harness, ["stable", "bogus"])).toEqual(["g"]);
  expect(listed(harness, [], ["Classic"])).toHaveLength(4);
  expect(listed(harness, [], ["consumer"])).toEqual([]);
  expect(listed(harness, ["Empty"], ["bogus", "classic"])).toHaveLength(3);
});

test("shows what members said once the group agreed on a protocol", async () => {
  const harness = await new GroupHarness().start();
  const joining = harness.join({ clientId: "app", clientHost: "/10.0.0.1", groupInstanceId: "i" });
  expect(harness.coordinator.describe("g")).toMatchObject({
    groupState: "PreparingRebalance",
    protocolType: "consumer",
    protocolData: "",
    members: [{ groupInstanceId: "i", clientId: "app", clientHost: "/10.0.0.1", memberMetadata: Buffer.alloc(0) }],
  });
  await harness.advance(3_000);
  const { memberId } = await joining;
  await harness.assign([{ memberId, groupInstanceId: "i", generationId: 1 }]);
  expect(harness.coordinator.describe("g")).toMatchObject({
    groupState: "Stable",
    protocolData: "range",
    members: [{ memberId, memberMetadata: subscription("t"), memberAssignment: Buffer.from(memberId) }],
  });
});

test("only groups without members are deleted, once it is durable", async () => {
  const harness = await new GroupHarness({}, new FakeSlotJournals(1)).start();
  const [member] = await harness.stableGroup({});
  expect(await harness.coordinator.deleteGroup("g")).toBe(ErrorCode.NON_EMPTY_GROUP);
  expect(await harness.coordinator.deleteGroup("other")).toBe(ErrorCode.GROUP_ID_NOT_FOUND);
  await harness.coordinator.leave("g", [{ memberId: member?.memberId ?? "", groupInstanceId: null, reason: null }]);
  harness.journals.failing = true;
  expect(await harness.coordinator.deleteGroup("g")).toBe(ErrorCode.COORDINATOR_NOT_AVAILABLE);
  harness.journals.failing = false;
  await harness.advance(1_000);
  expect(await harness.coordinator.deleteGroup("g")).toBe(0);
  expect(await harness.coordinator.deleteGroup("g")).toBe(ErrorCode.GROUP_ID_NOT_FOUND);
});

test("an id that was given out in a deleted group is of no use in the next of that name", async () => {
  const harness = await new GroupHarness().start();
  const { memberId } = await harness.join({ memberIdRequired: true });
  expect(await harness.coordinator.deleteGroup("g")).toBe(0);
  expect((await harness.join({ memberId })).errorCode).toBe(ErrorCode.UNKNOWN_MEMBER_ID);
});

test("groups are bounded: a client that invents names takes no more than a slot's share of memory", async () => {
  const harness = await new GroupHarness({}, new FakeSlotJournals(1)).start();
  for (let count = 0; count < 100_000; count++) void harness.join({ groupId: `g${count}`, memberIdRequired: true });
  const full = ErrorCode.COORDINATOR_NOT_AVAILABLE;
  expect((await harness.join({ groupId: "one more", memberIdRequired: true })).errorCode).toBe(full);
  expect((await harness.join({ groupId: "g7", memberIdRequired: true })).errorCode).toBe(ErrorCode.MEMBER_ID_REQUIRED);
  await harness.advance(600_000); // the next look finds that nobody came
  expect((await harness.join({ groupId: "one more", memberIdRequired: true })).errorCode).toBe(
    ErrorCode.MEMBER_ID_REQUIRED,
  );
}, 120_000);
