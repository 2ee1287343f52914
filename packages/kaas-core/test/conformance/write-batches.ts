/**
 * Prints batches that kaas builds, as hex, one a line; with `--describe`, what they hold. `java/Batches.java --read`
 * must say the same of the former.
 */
import * as batch from "../../src/records/batch.js";
import { buildBatch, type RecordInput } from "../../src/records/build-batch.js";
import { loadCodec } from "../../src/records/compression/compression.js";
import { buildTransactionMarker } from "../../src/records/control-batch.js";
import { describeBatch } from "./describe-batch.js";

const time = 1_700_000_000_000;
const text = Buffer.alloc(200_000, "a line of text, much like the one before it\n");

const records: RecordInput[] = [
  { timestamp: time, key: Buffer.from("key"), value: Buffer.from("value") },
  {
    timestamp: time - 5,
    value: text,
    headers: [
      { key: "é", value: null },
      { key: "", value: Buffer.from("v") },
    ],
  },
  { timestamp: time + 5_000_000_000, key: Buffer.from("tombstone") },
  { timestamp: time, key: Buffer.alloc(0), value: Buffer.alloc(0), offsetDelta: 9 },
];

await loadCodec(batch.Compression.ZSTD);
const marker = { producerId: 5, producerEpoch: 1, coordinatorEpoch: 2, timestamp: time };
const batches = [
  ...Object.values(batch.Compression).flatMap((compression) => [
    buildBatch(records, { baseOffset: 100, leaderEpoch: 3, compression }),
    buildBatch(records.slice(0, 1), { compression, logAppendTime: time + 1 }),
    buildBatch(records, { compression, producerId: 5, producerEpoch: 1, baseSequence: 0, isTransactional: true }),
  ]),
  buildTransactionMarker({ ...marker, isCommit: true }, { baseOffset: 7 }),
  buildTransactionMarker({ ...marker, isCommit: false }),
];
for (const built of batches) {
  console.log(process.argv.includes("--describe") ? JSON.stringify(describeBatch(built)) : built.toString("hex"));
}
