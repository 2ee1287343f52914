import { ErrorCode, type LogConfig, type PartitionLog } from "@kaas/core";
import { beforeEach, describe, expect, test } from "vitest";
import { MemoryFileSystem } from "../file-system/memory.js";
import { values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";

let volume: TestVolume;
beforeEach(async () => {
  volume = await openTestVolume(new MemoryFileSystem());
});

const open = (config: Partial<LogConfig> = {}) => volume.partition(config);
const refusal = async (log: PartitionLog, records: Buffer) => (await log.append(records, -1)).errorCode;

describe("idempotent producers", () => {
  const sent = (baseSequence: number, texts = ["x"], producerEpoch = 0, producerId = 7) =>
    values(texts, { producerId, producerEpoch, baseSequence });

  test("a retry among the last five is answered with the original offset", async () => {
    const log = await open();
    for (let n = 0; n < 6; n++) expect((await log.append(sent(n), -1)).baseOffset).toBe(n);
    for (let n = 1; n < 6; n++) {
      expect(await log.append(sent(n), -1)).toMatchObject({ errorCode: ErrorCode.NONE, baseOffset: n });
    }
    expect(await refusal(log, sent(0))).toBe(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
    expect(log.logEndOffset).toBe(6);
  });

  test("gaps, old epochs and new epochs that do not begin at 0 are refused", async () => {
    const log = await open();
    expect(await refusal(log, sent(41, ["a", "b"], 3))).toBe(ErrorCode.NONE);
    expect(await refusal(log, sent(44, ["a"], 3))).toBe(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
    expect(await refusal(log, sent(43, ["a"], 2))).toBe(ErrorCode.INVALID_PRODUCER_EPOCH);
    expect(await refusal(log, sent(43, ["a"], 4))).toBe(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
    expect(await refusal(log, sent(0, ["a"], 4))).toBe(ErrorCode.NONE);
    expect(log.producers()).toMatchObject([{ producerId: 7, producerEpoch: 4, lastSequence: 0 }]);
  });

  test("sequence numbers wrap to 0, within a batch and between two", async () => {
    const log = await open();
    expect(await refusal(log, sent(0x7fff_fffe, ["a", "b", "c"]))).toBe(ErrorCode.NONE);
    expect(await refusal(log, sent(1))).toBe(ErrorCode.NONE);
    const other = await log.append(sent(0x7fff_ffff, ["a"], 0, 8), -1);
    expect(other.errorCode).toBe(ErrorCode.NONE);
    expect(await refusal(log, sent(0, ["a"], 0, 8))).toBe(ErrorCode.NONE);
  });

  test("several batches of one producer in one append follow each other, or none is taken", async () => {
    const log = await open();
    expect(await refusal(log, Buffer.concat([sent(0), sent(2)]))).toBe(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
    expect(log.producers()).toEqual([]);
    expect(await refusal(log, Buffer.concat([sent(0), sent(1)]))).toBe(ErrorCode.NONE);
    expect(await log.append(sent(1), -1)).toMatchObject({ errorCode: ErrorCode.NONE, baseOffset: 1 });
  });

  test("several batches of which one was there before are answered like that one", async () => {
    const log = await open();
    await log.append(Buffer.concat([sent(0), sent(1, ["a", "b"], 0, 8)]), -1);
    const mixed = await log.append(Buffer.concat([sent(3, ["c"], 0, 8), sent(0)]), -1);
    expect(mixed).toMatchObject({ errorCode: ErrorCode.NONE, baseOffset: 0 });
    expect(log.logEndOffset).toBe(3);
    expect(await log.append(sent(3, ["c"], 0, 8), -1)).toMatchObject({ errorCode: ErrorCode.NONE, baseOffset: 3 });
  });

  test("what is known of a producer outlives its records, also where a kill came before it was saved", async () => {
    let fileSystem = new LosingFileSystem();
    const first = await (await openTestVolume(fileSystem)).partition();
    expect(await refusal(first, sent(0))).toBe(ErrorCode.NONE);
    fileSystem = fileSystem.killed();
    const second = await openTestVolume(fileSystem);
    const log = await second.partition({ retentionBytes: values(["later"]).length }); // what the first one left goes
    expect(await refusal(log, values(["later"]))).toBe(ErrorCode.NONE);
    await second.logs.enforceRetention();
    expect(log.logStartOffset).toBeGreaterThan(0);
    const third = await (await openTestVolume(fileSystem.killed())).partition();
    expect(third.producers()).toMatchObject([{ producerId: 7, lastSequence: 0 }]);
  });

  test("what is known of a producer is saved with what comes after, where it could not be saved by itself", async () => {
    const fileSystem = new LosingFileSystem();
    const first = await openTestVolume(fileSystem);
    const log = await first.partition({ segmentBytes: 1 });
    let left = 1;
    fileSystem.before = (operation, path) => {
      if (operation === "sync" && path.includes("tmp-") && left-- > 0)
        throw Object.assign(new Error(), { code: "EIO" });
    };
    const appends = [sent(0), values(["a"]), values(["b"]), values(["c"])].map((records) => log.append(records, -1));
    for (const { errorCode } of await Promise.all(appends)) expect(errorCode).toBe(ErrorCode.NONE);
    await first.logs.enforceRetention(); // after all that is going on in the background
    expect(left).toBeLessThan(0);
    const second = await (await openTestVolume(fileSystem.killed())).partition();
    expect(second.producers()).toMatchObject([{ producerId: 7, lastSequence: 0 }]);
  });

  test("a producer that has been silent for long is forgotten", async () => {
    const log = await open();
    await log.append(sent(0), -1);
    volume.clock.advance(86_400_000);
    await log.append(sent(0, ["x"], 0, 8), -1);
    volume.clock.advance(600_000);
    expect(log.producers().map(({ producerId }) => producerId)).toEqual([8]);
    expect(await refusal(log, sent(77))).toBe(ErrorCode.NONE);
  });
});
