import { expect, test } from "vitest";
import { ManualClock } from "../../test/fakes/manual-clock.js";
import { FetchSessions, type SessionPartition } from "./fetch-sessions.js";

let nextInteger = 0;
const random = { uuid: () => "x", integer: (limit: number) => nextInteger++ % limit };

function sessionsOf(slotsMax: number): { clock: ManualClock; sessions: FetchSessions } {
  const clock = new ManualClock();
  return { clock, sessions: new FetchSessions({ clock, random, slotsMax, evictionMs: 1000 }) };
}

function partitions(count: number): Map<string, SessionPartition> {
  const all = new Map<string, SessionPartition>();
  for (let partition = 0; partition < count; partition++) {
    const key = `t:${partition}`;
    all.set(key, {
      key,
      topic: "t",
      topicId: "",
      partition,
      currentLeaderEpoch: -1,
      fetchOffset: 0,
      lastFetchedEpoch: -1,
      maxBytes: 1,
      toldHighWatermark: -1,
      toldLogStartOffset: -1,
    });
  }
  return all;
}

test("a full cache grants no session until one is stale", () => {
  const { clock, sessions } = sessionsOf(1);
  const first = sessions.create(false, partitions(1));
  expect(first).toBeDefined();
  expect(sessions.create(false, partitions(1))).toBeUndefined();
  clock.advance(1001);
  const second = sessions.create(false, partitions(1));
  expect(second).toBeDefined();
  expect(sessions.get(first?.id as number)).toBeUndefined();
  expect(sessions.size).toBe(1);
});

test("a session in use is not stale, but gives way to a larger one once it has had its time", () => {
  const { clock, sessions } = sessionsOf(1);
  const first = sessions.create(false, partitions(2));
  clock.advance(1001);
  sessions.touch(first as NonNullable<typeof first>);
  expect(sessions.create(false, partitions(2))).toBeUndefined();
  expect(sessions.create(false, partitions(3))).toBeDefined();
});

test("epochs wrap from the largest to 1, never to 0", () => {
  const { sessions } = sessionsOf(1);
  const session = sessions.create(false, partitions(1)) as NonNullable<ReturnType<FetchSessions["create"]>>;
  session.epoch = 0x7fff_ffff;
  session.advance();
  expect(session.epoch).toBe(1);
});
