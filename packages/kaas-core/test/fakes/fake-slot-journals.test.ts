import { expect, test } from "vitest";
import { FakeSlotJournals } from "./fake-slot-journals.js";

test("what was appended is recovered by the next journal, under the next epoch", async () => {
  const journals = new FakeSlotJournals();
  const journal = await journals.open("groups", 1);
  expect(journal.recovered()).toEqual({ snapshot: undefined, entries: [] });
  await journal.append({ a: 1 });
  const next = await journals.open("groups", 1);
  expect(next.recovered()).toEqual({ snapshot: undefined, entries: [{ a: 1 }] });
  expect(next.epoch).toBe(journal.epoch + 1);
});

test("held appends are durable when released, in order", async () => {
  const journals = new FakeSlotJournals();
  const journal = await journals.open("groups", 0);
  journals.holding = true;
  const appends = [journal.append(1), journal.append(2)];
  expect(journals.entries).toEqual([]);
  journals.release(1);
  await appends[0];
  expect(journals.entries).toEqual([1]);
  journals.failHeld();
  await expect(appends[1]).rejects.toThrow("cannot be written");
});

test("a journal that failed accepts nothing more", async () => {
  const journals = new FakeSlotJournals();
  const journal = await journals.open("groups", 0);
  journals.failing = true;
  await expect(journal.append(1)).rejects.toThrow();
  journals.failing = false;
  await expect(journal.append(2)).rejects.toThrow();
  await (await journals.open("groups", 0)).append(3);
  expect(journals.entries).toEqual([3]);
});

test("a snapshot takes the place of the entries before it", async () => {
  const journals = new FakeSlotJournals();
  journals.snapshotEvery = 2;
  const journal = await journals.open("groups", 0);
  await journal.append(1);
  expect(journal.wantsSnapshot).toBe(false);
  await journal.append(2);
  expect(journal.wantsSnapshot).toBe(true);
  await journal.writeSnapshot({ all: [1, 2] });
  await journal.append(3);
  const { snapshot, entries } = (await journals.open("groups", 0)).recovered();
  expect([snapshot, entries]).toEqual([{ all: [1, 2] }, [3]]);
});

test("after a crash only what was durable is there", async () => {
  const journals = new FakeSlotJournals();
  const journal = await journals.open("groups", 0);
  await journal.append(1);
  journals.holding = true;
  void journal.append(2);
  const after = journals.afterCrash();
  journals.release();
  expect((await after.open("groups", 0)).recovered().entries).toEqual([1]);
});
