import { expect, test } from "vitest";
import type { Json } from "../../ports/slot-journals.js";
import type { SlotEntry, SlotSnapshot } from "./slot-entry.js";
import { readSlotEntry, readSlotSnapshot } from "./slot-entry-reader.js";

const entries: SlotEntry[] = [
  {
    type: "commit",
    group: "g",
    committedAt: 5,
    expiresAt: null,
    topics: [{ topic: "t", topicId: "id", partitions: [[0, 7, -1, "metadata"]] }],
  },
  { type: "commit", group: "", committedAt: 5, expiresAt: 9e18, topics: [] },
  { type: "group", group: "g", protocolType: "consumer", protocol: "range", generation: 3, emptySince: null },
  { type: "group", group: "g", protocolType: null, protocol: null, generation: 0, emptySince: 8 },
  { type: "delete-offsets", group: "g", topics: [{ topic: "t", partitions: [1, 2] }] },
  { type: "delete-group", group: "g" },
  { type: "delete-topic", topic: "t", topicId: "id" },
];

const snapshot: SlotSnapshot = {
  groups: [
    {
      group: "g",
      protocolType: "consumer",
      protocol: null,
      generation: 2,
      emptySince: 4,
      offsets: [
        {
          topic: "t",
          topicId: "id",
          partitions: [
            [0, 7, -1, "", 5, null],
            [1, 7, 3, "m", 5, 6],
          ],
        },
      ],
    },
  ],
};

test.each(entries)("reads what is written: $type", (entry) => {
  expect(readSlotEntry(JSON.parse(JSON.stringify(entry)) as Json)).toEqual(entry);
});

test("reads a snapshot as it is written", () => {
  expect(readSlotSnapshot(JSON.parse(JSON.stringify(snapshot)) as Json)).toEqual(snapshot);
});

/** Every JSON in which one part of the given one is something else. */
function* damaged(json: Json): Generator<Json> {
  yield true;
  if (Array.isArray(json)) {
    for (const [index, item] of json.entries()) {
      for (const other of damaged(item as Json)) yield json.map((kept: Json, at) => (at === index ? other : kept));
    }
  } else if (typeof json === "object" && json !== null) {
    for (const [name, item] of Object.entries(json)) {
      for (const other of damaged(item)) yield { ...json, [name]: other };
      const { [name]: _removed, ...rest } = json as Record<string, Json>;
      if (item !== null) yield rest;
    }
  }
}

test("a part that is something else is named, not guessed at", () => {
  let count = 0;
  for (const entry of [...entries, snapshot]) {
    const read = entry === snapshot ? readSlotSnapshot : readSlotEntry;
    for (const json of damaged(entry)) {
      count++;
      expect(() => read(json), JSON.stringify(json)).toThrow(expect.objectContaining({ code: "KAAS_VOLUME_INVALID" }));
    }
  }
  expect(count).toBeGreaterThan(80);
});

test("a type of a later version is refused, not skipped", () => {
  expect(() => readSlotEntry({ type: "share-group" })).toThrow('"share-group" where "type" should be');
});

test("fractions are no numbers of ours", () => {
  expect(() => readSlotEntry({ type: "commit", group: "g", committedAt: 0.5, expiresAt: null, topics: [] })).toThrow(
    "0.5",
  );
});
