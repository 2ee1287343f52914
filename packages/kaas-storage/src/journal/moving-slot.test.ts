import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { KaasError, SlotJournal } from "@kaas/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { posixFileSystem } from "../file-system/posix.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";

const IN_FLIGHT = 1_000;
/** Commits of one turn of the event loop share an fsync. */
const GROUP = 10;

let directory: string;
let volumes: TestVolume[];

beforeEach(async () => {
  directory = await mkdtemp(`${tmpdir()}/kaas-moving-`);
  volumes = [];
});

afterEach(async () => {
  for (const volume of volumes) await volume.close();
  await rm(directory, { recursive: true });
});

async function broker(brokerName: string): Promise<TestVolume> {
  const volume = await openTestVolume(posixFileSystem, {
    directory,
    sharing: "shared",
    brokerName,
    usableBytesMin: 0,
  });
  volumes.push(volume);
  return volume;
}

/**
 * Commits one, then with a thousand in flight, and more as they are answered, until one is refused; what became of each.
 * `move` is called while they are on their way.
 */
async function commitAll(journal: SlotJournal, move: () => void): Promise<readonly (string | undefined)[]> {
  const outcomes: Promise<string | undefined>[] = [];
  let isRefused = false;
  while (!isRefused) {
    const outcome = journal.append(outcomes.length).then(
      () => undefined,
      (error: unknown) => {
        isRefused = true;
        return (error as KaasError).code;
      },
    );
    outcomes.push(outcome);
    if (outcomes.length === 1) await outcome;
    if (outcomes.length === IN_FLIGHT) move();
    if (outcomes.length % GROUP === 0) await outcomes[outcomes.length - IN_FLIGHT];
  }
  return Promise.all(outcomes);
}

/** Every acknowledged commit is there, in order; of the others those may be that were on their way. */
function expectNothingLost(recovered: readonly unknown[], outcomes: readonly (string | undefined)[]): void {
  const acknowledged = outcomes.flatMap((outcome, commit) => (outcome === undefined ? [commit] : []));
  expect(recovered).toEqual(expect.arrayContaining(acknowledged));
  expect(recovered).toEqual([...recovered].sort((a, b) => Number(a) - Number(b)));
  expect(new Set(recovered).size).toBe(recovered.length);
}

test("a slot that is taken away under a thousand commits: what was acknowledged is there, the rest is refused", async () => {
  const [first, second] = [await broker("kaas-0"), await broker("kaas-1")];
  const journal = await first.slotJournals.open("groups", 0);
  let taking: Promise<SlotJournal> | undefined;
  const outcomes = await commitAll(journal, () => {
    taking = second.slotJournals.open("groups", 0);
  });
  const taken = await (taking as Promise<SlotJournal>);
  const { entries } = taken.recovered();
  expect(new Set(outcomes)).toEqual(new Set([undefined, "KAAS_FENCED"]));
  expectNothingLost(entries, outcomes);
  expect(taken.epoch).toBe(journal.epoch + 1);
  await taken.append("after");
});

test("a slot that is handed over under a thousand commits loses none of those that were accepted", async () => {
  const [first, second] = [await broker("kaas-0"), await broker("kaas-1")];
  const journal = await first.slotJournals.open("groups", 0);
  let leaving: Promise<void> | undefined;
  const outcomes = await commitAll(journal, () => {
    leaving = journal.close();
  });
  await leaving;
  const taken = await second.slotJournals.open("groups", 0);
  expect(new Set(outcomes)).toEqual(new Set([undefined, "KAAS_CLOSED"]));
  expect(taken.recovered().entries).toEqual(
    outcomes.flatMap((outcome, commit) => (outcome === undefined ? [commit] : [])),
  );
  expect([first.status(), second.status()]).toEqual(["ok", "ok"]);
});
