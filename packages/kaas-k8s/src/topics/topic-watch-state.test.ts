import { silentLog } from "@kaas/core";
import type { KafkaTopic } from "@kaas/operator-api";
import fc from "fast-check";
import { expect, test } from "vitest";
import { TopicWatchState } from "./topic-watch-state.js";
import type { WatchedTopic } from "./watched-topic.js";

/** What the API server has: by object name, the uid and the number of partitions. */
type World = Map<string, { readonly uid: string; readonly partitions: number; readonly version: number }>;

const objectOf = (
  name: string,
  { uid, partitions, version }: { uid: string; partitions: number; version: number },
): KafkaTopic => ({
  apiVersion: "kaas.rs/v1alpha1",
  kind: "KafkaTopic",
  // Two objects may claim one name.
  metadata: { name, uid, resourceVersion: String(version), creationTimestamp: `t${uid}` },
  spec: { partitions, ...(name === "d" ? { topicName: "a" } : {}) },
});

const NAMES = ["a", "b", "c", "d"];
const EVENTS = fc.array(
  fc.record({
    name: fc.constantFrom(...NAMES),
    does: fc.constantFrom("put", "put", "delete", "recreate"),
    /** Whether the watch is there to see it, or a list begins, or is cut short, before it. */
    seen: fc.constantFrom("seen", "seen", "missed", "missed", "cut short", "listed"),
  }),
  { maxLength: 60 },
);

/** What should be known of a world: of each name the oldest claim. */
function expected(world: World): Map<string, { uid: string; partitions: number }> {
  const found = new Map<string, { uid: string; partitions: number }>();
  const byAge = [...world].sort(([, a], [, b]) => (`t${a.uid}` < `t${b.uid}` ? -1 : 1));
  for (const [name, { uid, partitions }] of byAge) {
    const topic = name === "d" ? "a" : name;
    if (!found.has(topic)) found.set(topic, { uid, partitions });
  }
  return found;
}

test("whatever was missed and cut short, a whole list leaves what there is, and nothing is told twice", () => {
  fc.assert(
    fc.property(EVENTS, (events) => {
      const world: World = new Map();
      const known = new Map<string, WatchedTopic>();
      let synced = 0;
      let version = 0;
      let canDelete = true;
      const state = new TopicWatchState(
        {
          topicChanged: (topic) => {
            const before = known.get(topic.name);
            expect(before === undefined || before.uid === topic.uid).toBe(true);
            expect(before).not.toEqual(topic);
            known.set(topic.name, topic);
          },
          topicDeleted: (topic) => {
            expect(canDelete).toBe(true);
            expect(known.get(topic.name)).toEqual(topic);
            known.delete(topic.name);
          },
          onSynced: () => void synced++,
        },
        silentLog,
      );
      const list = (isWhole: boolean): void => {
        state.relistBegan();
        const all = [...world].sort(([a], [b]) => (a < b ? -1 : 1));
        for (const [name, content] of isWhole ? all : all.slice(0, 1)) state.listed(objectOf(name, content));
        if (isWhole) state.relistCompleted();
        else state.relistAborted();
      };
      const check = (): void => {
        const is = [...known.values()].map(({ name, uid, partitions }) => [name, { uid, partitions }] as const);
        expect(new Map(is)).toEqual(expected(world));
      };
      list(true);
      for (const { name, does, seen } of events) {
        const before = world.get(name);
        version++;
        const uid = before === undefined || does === "recreate" ? String(version).padStart(4, "0") : before.uid;
        if (does === "delete") world.delete(name);
        else world.set(name, { uid, partitions: version, version });
        const after = world.get(name);
        if (seen === "seen" && after !== undefined) {
          if (before !== undefined && before.uid !== after.uid) state.removed(objectOf(name, before));
          state.changed(objectOf(name, after));
        } else if (seen === "seen" && before !== undefined) state.removed(objectOf(name, before));
        else if (seen === "cut short") list(false);
        else if (seen === "listed") {
          list(true);
          check();
        }
      }
      list(true);
      check();
      expect(synced).toBe(1);
      // Cut short a thousand times, a list that shows nothing new says nothing.
      canDelete = false;
      const told = new Map(known);
      for (let round = 0; round < 3; round++) list(false);
      expect(known).toEqual(told);
    }),
    { numRuns: 1000 },
  );
});

test("what the operator has carried out is told: it comes after the id, and after the wish", () => {
  const told: (string | undefined)[] = [];
  const listener = {
    topicChanged: ({ progress }: WatchedTopic) => void told.push(progress),
    topicDeleted: () => undefined,
    onSynced: () => undefined,
  };
  const state = new TopicWatchState(listener, silentLog);
  state.relistBegan();
  state.relistCompleted();
  const wish = objectOf("a", { uid: "1", partitions: 1, version: 1 });
  const seen = (version: number, status: object): void =>
    state.changed({ ...wish, metadata: { ...wish.metadata, resourceVersion: String(version) }, status });
  const ready = (status: "True" | "False") => ({
    type: "Ready",
    status,
    reason: "R",
    message: "",
    lastTransitionTime: "",
  });
  state.changed(wish);
  seen(2, { topicId: "id" });
  seen(3, { topicId: "id", observedGeneration: 1, conditions: [ready("False")] });
  seen(4, { topicId: "id", observedGeneration: 1, conditions: [ready("True")] });
  seen(5, { topicId: "id", observedGeneration: 1, conditions: [{ ...ready("True"), message: "other words" }] });
  seen(6, { topicId: "id", observedGeneration: 2, conditions: [ready("True")] });
  // Of which partitions are to be moved, brokers are told once that is written where they look.
  const migration = { ...ready("False"), type: "Migration", reason: "Progressing" };
  seen(7, { topicId: "id", observedGeneration: 2, conditions: [ready("True"), { ...migration, message: "0, 1" }] });
  seen(8, { topicId: "id", observedGeneration: 2, conditions: [ready("True"), { ...migration, message: "1" }] });
  const expected = [undefined, undefined, "1 False", "1 True", "2 True"];
  expect(told).toEqual([...expected, "2 True Progressing 0, 1", "2 True Progressing 1"]);
});
