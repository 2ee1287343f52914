import { ErrorCode, type LogConfig, type PartitionLog } from "@kaas/core";
import { batch, crc32c, loadCodec } from "@kaas/core/internal";
import { beforeAll, describe, expect, test } from "vitest";
import { MemoryFileSystem } from "../file-system/memory.js";
import { contentOf, type Keyed, keyed } from "../testing/keyed-records.js";
import { defaultLogConfig } from "../testing/log-config.js";
import { openTestVolume } from "../testing/open-test-volume.js";

beforeAll(() => loadCodec(batch.Compression.ZSTD));

const { NONE, GZIP, SNAPPY, LZ4, ZSTD } = batch.Compression;
const topics: readonly (readonly [LogConfig["compressionType"], number | undefined])[] = [
  ["producer", undefined],
  ["uncompressed", NONE],
  ["gzip", GZIP],
  ["snappy", SNAPPY],
  ["lz4", LZ4],
  ["zstd", ZSTD],
];
const records = Array.from(
  { length: 40 },
  (_, n): Keyed => [`key ${n}`, n % 7 === 0 ? null : `value ${n} `.repeat(9), 5 + n],
);
const sequenced = { producerId: 8, producerEpoch: 2, baseSequence: 0 } as const;

async function stored(log: PartitionLog): Promise<Buffer> {
  const { records: buffers } = await log.read(0, { maxBytes: 1e6, minOneBatch: true, isolation: "read_uncommitted" });
  return buffers[0] as Buffer;
}

describe.each(topics)("a topic that wants %s", (compressionType, wanted) => {
  test.each(Object.entries(batch.Compression))("takes batches of %s", async (_name, codec) => {
    const volume = await openTestVolume(new MemoryFileSystem());
    const log = await volume.partition({ compressionType });
    const sent = keyed(records, { compression: codec, ...sequenced });
    const asSent = Buffer.from(sent);
    expect(await log.append(sent, -1)).toMatchObject({ errorCode: 0, baseOffset: 0 });
    const batchThere = await stored(log);
    expect(batch.compression(batchThere, 0)).toBe(wanted ?? codec);
    expect(batch.crc(batchThere, 0)).toBe(crc32c(batchThere, batch.BATCH_CRC_START));
    expect([batch.producerId(batchThere, 0), batch.producerEpoch(batchThere, 0)]).toEqual([8, 2]);
    // What needs no other codec is stored as it came, but for offset and epoch, which lie outside of the checksum.
    if (wanted === undefined || wanted === codec) expect(batch.crc(batchThere, 0)).toBe(batch.crc(asSent, 0));
    const content = await contentOf(log);
    expect(content.records.map(({ key, value, timestamp }): Keyed => [key, value, timestamp])).toEqual(records);
    // A retry is recognised by what its producer says, however it is compressed.
    expect(await log.append(asSent, -1)).toMatchObject({ errorCode: 0, baseOffset: 0 });
    expect(log.logEndOffset).toBe(40);
  });
});

describe("the level of a topic's codec", () => {
  const large = Array.from({ length: 2_000 }, (_, n): Keyed => [`key ${(n * 7919) % 1009}`, `value ${n % 97}`, 5]);

  test.each([
    ["gzip", { gzip: 1 }, { gzip: 9 }],
    ["lz4", { lz4: 1 }, { lz4: 12 }],
    ["zstd", { zstd: -10 }, { zstd: 15 }],
  ] as const)("%s counts where batches are compressed anew, and nowhere else", async (compressionType, low, high) => {
    const { compressionLevels } = defaultLogConfig;
    const codec = topics.find(([name]) => name === compressionType)?.[1] as batch.Compression;
    const sizeWith = async (levels: object, compression: batch.Compression): Promise<number> => {
      const volume = await openTestVolume(new MemoryFileSystem());
      const log = await volume.partition({ compressionType, compressionLevels: { ...compressionLevels, ...levels } });
      expect((await log.append(keyed(large, { compression }), -1)).errorCode).toBe(0);
      return batch.batchSize(await stored(log), 0);
    };
    expect(await sizeWith(high, NONE)).toBeLessThan(await sizeWith(low, NONE));
    expect(await sizeWith(high, codec)).toBe(await sizeWith(low, codec));
  });
});

describe("max.decompressed.message.bytes", () => {
  const sizes = [10, 3_000, 20, 5_000];
  const sent = (compression: batch.Compression) =>
    keyed(
      sizes.map((size): Keyed => ["k", "v".repeat(size), 5]),
      { compression },
    );

  test.each(Object.entries(batch.Compression))("holds for each record of a batch of %s", async (name, compression) => {
    const volume = await openTestVolume(new MemoryFileSystem());
    const log = await volume.partition({ maxDecompressedMessageBytes: 2_999 });
    const result = await log.append(sent(compression), -1);
    // What is not compressed is bounded by max.message.bytes.
    if (name === "NONE") return expect(result.errorCode).toBe(0);
    expect(result.errorCode).toBe(ErrorCode.INVALID_RECORD);
    expect(result.recordErrors.map(({ batchIndex }) => batchIndex)).toEqual([1, 3]);
    log.configure({ ...defaultLogConfig, maxDecompressedMessageBytes: 5_100 });
    expect((await log.append(sent(compression), -1)).errorCode).toBe(0);
  });
});
