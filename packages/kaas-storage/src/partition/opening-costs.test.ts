import { ErrorCode } from "@kaas/core";
import { describe, expect, test } from "vitest";
import { values } from "../testing/batches.js";
import { CallCounter } from "../testing/counting-file-system.js";
import { defaultLogConfig } from "../testing/log-config.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";

const PARTITIONS = 20;
const producer = (text: string, baseSequence: number) =>
  values([text], { producerId: 7, producerEpoch: 0, baseSequence });

async function openAll(volume: TestVolume, segmentBytes = 200) {
  const [topic] = [...volume.topics.topics()];
  const { id } = topic ?? (await volume.topics.create("t", PARTITIONS, {}));
  const config = { ...defaultLogConfig, segmentBytes };
  const opening = Array.from({ length: PARTITIONS }, (_, partition) =>
    volume.logs.open({ topic: "t", topicId: id, partition }, config),
  );
  return Promise.all(opening);
}

/** What opening all partitions asks of the disk, for each of them; the tidying up behind it included. */
async function costs(counter: CallCounter): Promise<Record<string, number>> {
  const volume = await openTestVolume(counter.fileSystem);
  counter.take();
  await openAll(volume);
  await volume.logs.enforceRetention(); // after all that goes on in the background
  const counts = Object.entries(counter.take()).map(([name, count]) => [name, count / PARTITIONS]);
  await volume.close();
  return Object.fromEntries(counts) as Record<string, number>;
}

/** Appends batches of an idempotent producer to each partition, in segments of a few. */
async function append(volume: TestVolume, from: number, to: number): Promise<void> {
  for (const log of await openAll(volume)) {
    for (let n = from; n < to; n++) {
      expect((await log.append(producer(`${n}`, n), -1)).errorCode).toBe(ErrorCode.NONE);
    }
    expect(log.logEndOffset).toBe(to);
  }
}

describe("a clean opening", () => {
  test("reads two documents and no data, and makes a claim and a seal durable", async () => {
    const counter = new CallCounter(new LosingFileSystem());
    const volume = await openTestVolume(counter.fileSystem);
    await append(volume, 0, 6);
    await volume.close();
    const { read, ...each } = await costs(counter);
    expect(each).toEqual({
      list: 2,
      readFile: 2, // what the hand-over said, and the producers
      bytesRead: expect.closeTo(1_500, -3),
      open: 2,
      write: 2,
      dataSync: 2,
      link: 2,
      makeDirectory: 1,
      syncDirectory: 3,
      unlink: 7,
    });
    expect(read).toBeLessThanOrEqual(2); // of the fuse, which many partitions share
  });

  test("asks for no more the more there is", async () => {
    const counter = new CallCounter(new LosingFileSystem());
    const volume = await openTestVolume(counter.fileSystem);
    await append(volume, 0, 6);
    await volume.close();
    const { bytesRead: few = 0, ...before } = await costs(counter);
    const again = await openTestVolume(counter.fileSystem);
    await append(again, 6, 60);
    await again.close();
    const { bytesRead: many = 0, ...after } = await costs(counter);
    expect({ ...after, unlink: 0, read: 0 }).toEqual({ ...before, unlink: 0, read: 0 });
    expect(many).toBeLessThan(few + 60 * 200); // a line for each segment
  });
});

test("an opening after a crash reads what is behind the checkpoint a few times, and no older segment", async () => {
  const disk = new LosingFileSystem();
  const counter = new CallCounter(disk);
  const volume = await openTestVolume(counter.fileSystem);
  await append(volume, 0, 60);
  await volume.logs.enforceRetention(); // segments are closed by now, but for the active one
  const after = new CallCounter(disk.killed());
  const { bytesRead = 0, dataSync = 0, open = 0 } = await costs(after);
  expect(bytesRead).toBeLessThan(20_000);
  expect(dataSync).toBeLessThanOrEqual(4); // claim, seal, tail
  expect(open).toBeLessThanOrEqual(12);
});
