import { ErrorCode, type PartitionLog } from "@kaas/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { consume, values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume } from "../testing/open-test-volume.js";

interface Producer {
  readonly id: number;
  sequence: number;
}

interface History {
  /** Offset of every record that was acknowledged by acks=all, by its value. */
  readonly acknowledged: Map<string, number>;
  /** Values of the batches that were sent, with the sequence number each had. */
  readonly sent: Map<string, number>;
}

/** Appends until the file system fails, a few batches at a time, as an idempotent producer does. */
async function produceUntilDeath(log: PartitionLog, producer: Producer, history: History): Promise<void> {
  for (let alive = true; alive; ) {
    const group = Array.from({ length: 3 }, () => {
      const baseSequence = producer.sequence++;
      const value = `${producer.id}/${baseSequence}`;
      history.sent.set(value, baseSequence);
      return { value, records: values([value], { producerId: producer.id, producerEpoch: 0, baseSequence }) };
    });
    const results = await Promise.all(group.map(({ records }) => log.append(records, -1)));
    for (const [index, { errorCode, baseOffset }] of results.entries()) {
      if (errorCode === ErrorCode.NONE) history.acknowledged.set((group[index] as { value: string }).value, baseOffset);
      else alive = false;
    }
  }
}

/** Everything acknowledged is there, once, at its offset; offsets are dense; each producer's records are in order. */
async function examine(log: PartitionLog, history: History): Promise<void> {
  const found = await consume(log);
  expect(found.map(({ offset }) => offset)).toEqual(Array.from(found, (_, index) => log.logStartOffset + index));
  const values = found.map(({ value }) => value);
  expect(new Set(values).size).toBe(values.length);
  for (const [value, offset] of history.acknowledged) {
    if (offset >= log.logStartOffset)
      expect([offset, found[offset - log.logStartOffset]?.value]).toEqual([offset, value]);
  }
  for (const id of ["1", "2"]) {
    const sequences = values
      .filter((value) => value.startsWith(`${id}/`))
      .map((value) => history.sent.get(value) ?? -1);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  }
}

test("nothing acknowledged is lost, doubled or reordered, whenever and however the machine dies", async () => {
  const life = fc.record({
    /** After how many operations on the disk it dies. */
    steps: fc.integer({ min: 0, max: 120 }),
    ending: fc.constantFrom("crash" as const, "kill" as const, "clean" as const),
    segmentBytes: fc.constantFrom(1, 500, 1_000_000),
    keeps: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 6 }), async (lives) => {
      let fileSystem = new LosingFileSystem();
      await (await openTestVolume(fileSystem)).partition();
      fileSystem = fileSystem.crashed();
      const history: History = { acknowledged: new Map(), sent: new Map() };
      let epoch = 0;
      for (const { steps, ending, segmentBytes, keeps } of lives) {
        const volume = await openTestVolume(fileSystem);
        const log = await volume.partition({ segmentBytes, retentionMs: -1 });
        expect(log.leaderEpoch).toBeGreaterThan(epoch);
        epoch = log.leaderEpoch;
        await examine(log, history);
        let left = steps;
        if (ending !== "clean") {
          fileSystem.before = () => {
            if (left-- <= 0) throw Object.assign(new Error("the machine is dead"), { code: "EIO" });
          };
          // A producer goes on where the log says it stopped.
          const known = log.producers();
          const producers = [1, 2].map((id) => ({
            id,
            sequence: (known.find(({ producerId }) => producerId === id)?.lastSequence ?? -1) + 1,
          }));
          await Promise.all(producers.map((producer) => produceUntilDeath(log, producer, history)));
        } else {
          await volume.close();
        }
        fileSystem.before = () => {
          throw Object.assign(new Error("the machine is dead"), { code: "EIO" });
        };
        const keep = (_what: string, count: number) => Math.round((keeps.next().value as number) * count);
        fileSystem = ending === "crash" ? fileSystem.crashed(keep) : fileSystem.killed();
      }
      const log = await (await openTestVolume(fileSystem)).partition();
      await examine(log, history);
    }),
    { numRuns: 150 },
  );
}, 300_000);
