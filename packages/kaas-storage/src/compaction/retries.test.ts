import { ErrorCode, type LogConfig } from "@kaas/core";
import { expect, test } from "vitest";
import { keyed } from "../testing/keyed-records.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume } from "../testing/open-test-volume.js";

const compacted: Partial<LogConfig> = {
  cleanupPolicy: { delete: false, compact: true },
  segmentBytes: 100_000,
  minCleanableDirtyRatio: 0,
  fileDeleteDelayMs: 0,
};

test("what a client may send again is still known when its records were compacted between two crashes", async () => {
  const fileSystem = new LosingFileSystem();
  const send = (log: Awaited<ReturnType<typeof open>>["log"], baseSequence: number) =>
    log.append(keyed([["key", `${baseSequence}`]], { producerId: 7, producerEpoch: 0, baseSequence }), -1);
  const open = async (on: LosingFileSystem) => {
    const volume = await openTestVolume(on);
    return { volume, log: await volume.partition(compacted) };
  };
  const first = await open(fileSystem);
  for (let sequence = 0; sequence < 5; sequence++) {
    expect((await send(first.log, sequence)).errorCode).toBe(ErrorCode.NONE);
  }
  // No segment was closed, so no producer was saved: what is known of them is in their batches.
  const afterCrash = fileSystem.crashed();
  const second = await open(afterCrash);
  await second.volume.logs.compact();
  const third = await open(afterCrash.crashed());
  for (let sequence = 1; sequence < 5; sequence++) {
    expect(await send(third.log, sequence)).toMatchObject({ errorCode: ErrorCode.NONE, baseOffset: sequence });
  }
  expect(third.log.logEndOffset).toBe(5);
});
