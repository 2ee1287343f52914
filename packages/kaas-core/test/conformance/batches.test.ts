import { beforeAll, describe, expect, test } from "vitest";
import * as batch from "../../src/records/batch.js";
import { buildBatch, type RecordInput } from "../../src/records/build-batch.js";
import { loadCodec } from "../../src/records/compression/compression.js";
import { buildTransactionMarker } from "../../src/records/control-batch.js";
import { recompressBatch } from "../../src/records/recompress-batch.js";
import { validateBatch } from "../../src/records/validate-batch.js";
import { type BatchDescription, describeBatch, type RecordDescription } from "./describe-batch.js";
import { lines } from "./jar-data.js";

interface Line {
  readonly name: string;
  readonly hex: string;
  readonly batch: BatchDescription;
}

const batches = [...lines<Line>("batches-4.4.0.jsonl.gz")].map((line) => ({
  ...line,
  bytes: Buffer.from(line.hex, "hex"),
}));

beforeAll(() => loadCodec(batch.Compression.ZSTD));

const bytesOf = (base64: string | null): Buffer | null => (base64 === null ? null : Buffer.from(base64, "base64"));

function recordInput({ key, value, headers, timestamp }: RecordDescription): RecordInput {
  return {
    key: bytesOf(key),
    value: bytesOf(value),
    headers: headers.map((header) => ({ key: header.key, value: bytesOf(header.value) })),
    timestamp,
  };
}

test("all codecs are there", () => {
  const names = new Set(batches.map((line) => line.batch.compression));
  expect(names).toEqual(new Set(Object.keys(batch.Compression).map((name) => name.toLowerCase())));
});

describe.each(batches)("a batch that the Java classes build: $name", ({ bytes, batch: expected }) => {
  test("is read as Kafka reads it", () => {
    expect(validateBatch(bytes, 0, bytes.length, { maxMessageBytes: 1 << 20, origin: "coordinator" })).toBeUndefined();
    expect(describeBatch(bytes)).toEqual(expected);
  });

  test("keeps its records when it is compressed in another way", () => {
    for (const codec of Object.values(batch.Compression)) {
      const { records } = describeBatch(recompressBatch(bytes, 0, codec));
      expect(records).toEqual(expected.records);
    }
  });
});

/** Records of append time lose their own time, so these alone can be told from what Kafka reads. */
const plain = batches.filter(
  (line) => line.batch.compression === "none" && line.batch.timestampType === "CreateTime" && !line.batch.isControl,
);

test.each(plain)("the same records are built to the same bytes: $name", ({ bytes, batch: expected }) => {
  const { baseOffset, leaderEpoch, producerId, producerEpoch, baseSequence, isTransactional } = expected;
  const header = { baseOffset, leaderEpoch, producerId, producerEpoch, baseSequence, isTransactional };
  expect(buildBatch(expected.records.map(recordInput), header).equals(bytes)).toBe(true);
});

test.each(batches.filter((line) => line.batch.isControl))(
  "the same marker is built to the same bytes: $name",
  (line) => {
    const { baseOffset, leaderEpoch, producerId, producerEpoch, maxTimestamp, coordinatorEpoch } = line.batch;
    const marker = {
      producerId,
      producerEpoch,
      coordinatorEpoch: coordinatorEpoch as number,
      timestamp: maxTimestamp,
      isCommit: line.batch.controlType === "COMMIT",
    };
    expect(buildTransactionMarker(marker, { baseOffset, leaderEpoch }).equals(line.bytes)).toBe(true);
  },
);
