// Logs that kaas writes, one of each kind.
import { appendFileSync, cpSync, readdirSync } from "node:fs";
import { batch, loadCodec, type RecordInput } from "../../packages/kaas-core/src/internal.js";
import { TIME, WrittenLog } from "./written-log.js";

const { Compression } = batch;
const CODECS = [Compression.NONE, Compression.GZIP, Compression.SNAPPY, Compression.LZ4, Compression.ZSTD];

/** Records that have everything that records can have, and nothing of it. */
export function variedRecords(tag: string): RecordInput[] {
  const at = (index: number): number => TIME + index * 7;
  return [
    { key: Buffer.from(`${tag}-key`), value: Buffer.from(`${tag} value `.repeat(40).trim()), timestamp: at(0) },
    { key: null, value: Buffer.from(`${tag}-no-key`), timestamp: at(1) },
    { key: Buffer.from(`${tag}-no-value`), value: null, timestamp: at(2) },
    { key: null, value: null, timestamp: at(4) },
    { key: Buffer.alloc(0), value: Buffer.alloc(0), timestamp: at(3) },
    {
      key: Buffer.from("κλειδί"),
      value: Buffer.from("значение"),
      headers: [
        { key: "one", value: Buffer.from(tag) },
        { key: "none", value: null },
        { key: "one", value: Buffer.from("again") },
      ],
      timestamp: at(5),
    },
  ];
}

function plain(...pairs: readonly (readonly [key: string, value: string | null])[]): RecordInput[] {
  return pairs.map(([key, value]) => ({
    key: Buffer.from(key),
    value: value === null ? null : Buffer.from(value),
    timestamp: TIME,
  }));
}

export interface Case {
  readonly name: string;
  readonly log: WrittenLog;
  /** What has to be so for the case to show what it is for. */
  readonly isOf?: { readonly longer?: number; readonly cleaned?: number; readonly segments?: number };
}

export async function writeAll(directory: string): Promise<Case[]> {
  for (const codec of CODECS) await loadCodec(codec);
  return [
    { name: "every codec", log: await everyCodec(`${directory}/codecs`) },
    { name: "rolled segments", log: await rolled(`${directory}/rolled`), isOf: { segments: 3 } },
    { name: "idempotent producers", log: await idempotent(`${directory}/idempotent`) },
    { name: "transactions", log: await transactions(`${directory}/transactions`), isOf: { segments: 2 } },
    { name: "compacted", log: await compacted(`${directory}/compacted`), isOf: { cleaned: 1 } },
    { name: "recovered after a crash", log: await recovered(`${directory}/crash`), isOf: { longer: 1, segments: 2 } },
  ];
}

async function everyCodec(directory: string): Promise<WrittenLog> {
  const log = new WrittenLog(directory);
  await log.open();
  for (const compression of CODECS) await log.append(variedRecords(`codec${compression}`), { compression });
  await log.close();
  return log;
}

async function rolled(directory: string): Promise<WrittenLog> {
  const log = new WrittenLog(directory, { segmentBytes: 1 });
  await log.open();
  for (let i = 0; i < 3; i++) await log.append(variedRecords(`segment${i}`), { compression: CODECS[i] ?? 0 });
  await log.close();
  return log;
}

async function idempotent(directory: string): Promise<WrittenLog> {
  const log = new WrittenLog(directory);
  await log.open();
  for (let i = 0; i < 4; i++) {
    const compression = CODECS[i] ?? Compression.NONE;
    await log.append(variedRecords(`a${i}`), { producerId: 4000, producerEpoch: 0, baseSequence: i * 6, compression });
    await log.append(variedRecords(`b${i}`), { producerId: 2 ** 40, producerEpoch: 5, baseSequence: i * 6 });
  }
  await log.close();
  return log;
}

/** Of two producers at once, over two segments; the aborted ones are in the index of the segment where they end. */
async function transactions(directory: string): Promise<WrittenLog> {
  const log = new WrittenLog(directory, { segmentBytes: 1200 });
  await log.open();
  const send = (producerId: number, baseSequence: number, tag: string): Promise<void> =>
    log.append(variedRecords(tag).slice(0, 2), { producerId, producerEpoch: 0, baseSequence, isTransactional: true });
  await send(11, 0, "aborted"); // 0, 1
  await send(12, 0, "committed"); // 2, 3
  await log.endTransaction(11, 0, false); // 4
  log.aborted.push({ producerId: 11, firstOffset: 0, lastOffset: 4, lastStableOffset: 2 });
  await send(11, 2, "committed"); // 5, 6
  await log.endTransaction(12, 0, true); // 7
  await log.endTransaction(11, 0, true); // 8
  await send(12, 2, "aborted"); // 9, 10
  await log.endTransaction(12, 0, false); // 11
  log.aborted.push({ producerId: 12, firstOffset: 9, lastOffset: 11, lastStableOffset: 12 });
  await log.append(plain(["last", "of all"]));
  await log.close();
  return log;
}

/** Each codec keeps one of its three records; the tombstone stays for a while, and says until when. */
async function compacted(directory: string): Promise<WrittenLog> {
  const log = new WrittenLog(directory, {
    cleanupPolicy: { delete: false, compact: true },
    segmentBytes: 1200,
    minCleanableDirtyRatio: 0,
    deleteRetentionMs: 60_000,
    fileDeleteDelayMs: 0,
  });
  await log.open();
  for (const compression of CODECS) {
    const keeps = `only-${compression}`;
    await log.append(plain(["a", `${compression}`], [keeps, `stays ${compression}`.repeat(20)], ["b", "x"]), {
      compression,
    });
  }
  await log.append(plain(["a", null], ["c", "gone"]));
  await log.append(plain(["b", "the last b"], ["c", "the last c"]));
  await log.append(plain(["filler", "-".repeat(1200)]));
  await log.compact();
  await log.close();
  const latest = new Map<string, number>();
  for (const { records } of log.batches) for (const { key, offset } of records) latest.set(key ?? "", offset);
  log.batches = log.batches.map((batch) => {
    const records = batch.records.filter(({ key, offset }) => latest.get(key ?? "") === offset);
    const hasTombstone = records.some(({ value }) => value === null);
    return { ...batch, records, deleteHorizon: hasTombstone ? String(TIME + 60_000) : undefined };
  });
  return log;
}

/** The folder as a killed process leaves it, with half a batch at its end; another process goes on at the next epoch. */
async function recovered(directory: string): Promise<WrittenLog> {
  const first = new WrittenLog(`${directory}-1`);
  await first.open();
  await first.append(variedRecords("before"), { compression: Compression.ZSTD });
  await first.append(variedRecords("sequenced"), { producerId: 9, producerEpoch: 0, baseSequence: 0 });
  cpSync(`${directory}-1`, `${directory}-2`, { recursive: true, filter: (name) => !/\/lock-[^/]*$/.test(name) });
  await first.close();
  const partition = `${directory}-2/t/0`;
  const segment = readdirSync(partition).find((name) => name.endsWith(".log"));
  appendFileSync(`${partition}/${segment}`, Buffer.from("00000000000000ff000001000000000002abcdef", "hex"));
  const second = first.continueIn(`${directory}-2`);
  await second.open();
  await second.append(variedRecords("sequenced"), { producerId: 9, producerEpoch: 0, baseSequence: 6 });
  await second.append(variedRecords("after"), { compression: Compression.LZ4 });
  await second.close();
  return second;
}
