import { expect, test } from "vitest";
import { type BatchRecord, recordsOf } from "./batch-contents.js";
import { Compression } from "./batch.js";
import { buildBatch } from "./build-batch.js";
import { loadCodec } from "./compression/compression.js";
import { buildTransactionMarker } from "./control-batch.js";

const text = (value: string): Buffer => Buffer.from(value);

async function all(batches: readonly Buffer[]): Promise<BatchRecord[]> {
  const records: BatchRecord[] = [];
  for await (const record of recordsOf(batches)) records.push(record);
  return records;
}

test.each(Object.entries(Compression))("records come out of several batches as they went in: %s", async (_, codec) => {
  await loadCodec(codec);
  const headers = [{ key: "h", value: null }];
  const first = buildBatch(
    [
      { key: text("k"), value: text("a"), headers, timestamp: 10 },
      { value: null, timestamp: 12 },
    ],
    { baseOffset: 5, compression: codec },
  );
  const second = buildBatch([{ value: text("b") }], { baseOffset: 9, logAppendTime: 77, compression: codec });
  const third = buildBatch([{ value: text("c") }], { baseOffset: 10, compression: codec });
  expect(await all([Buffer.concat([first, second]), third])).toEqual([
    { offset: 5, timestamp: 10, key: text("k"), value: text("a"), headers },
    { offset: 6, timestamp: 12, key: null, value: null, headers: [] },
    { offset: 9, timestamp: 77, key: null, value: text("b"), headers: [] },
    { offset: 10, timestamp: 0, key: null, value: text("c"), headers: [] },
  ]);
});

test("a marker of a transaction is no record", async () => {
  const end = { producerId: 7, producerEpoch: 0, coordinatorEpoch: 1, timestamp: 3, isCommit: true };
  const marker = buildTransactionMarker(end, { baseOffset: 0, leaderEpoch: 1 });
  const batch = buildBatch([{ value: text("a") }], { baseOffset: 1 });
  expect((await all([Buffer.concat([marker, batch])])).map(({ offset }) => offset)).toEqual([1]);
});

test("nothing is found in nothing, and what is damaged is not passed over", async () => {
  expect(await all([])).toEqual([]);
  const damaged = buildBatch([{ value: text("abc") }]);
  damaged[61] = 2;
  await expect(all([damaged])).rejects.toMatchObject({ code: "KAAS_RECORDS_INVALID" });
});
