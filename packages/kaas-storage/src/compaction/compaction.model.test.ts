import { ErrorCode, type LogConfig, type PartitionLog } from "@kaas/core";
import { batch, loadCodec } from "@kaas/core/internal";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { contentOf, type Keyed, keyed, type KeyedRecord } from "../testing/keyed-records.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";
import type { CompactionOptions } from "./compaction-options.js";

beforeAll(() => loadCodec(batch.Compression.ZSTD));

/** A record as an array keeps it. */
interface Written extends KeyedRecord {
  readonly appendedMs: number;
  readonly transaction: Transaction | undefined;
}

interface Transaction {
  state: "open" | "committed" | "aborted";
}

interface Producer {
  readonly id: number;
  sequence: number;
  open: Transaction | undefined;
  last: { readonly records: Buffer; readonly offset: number } | undefined;
}

type Operation =
  | { readonly kind: "produce"; readonly producer: number; readonly codec: batch.Compression; readonly keys: Keyed[] }
  | { readonly kind: "end"; readonly producer: number; readonly isCommit: boolean }
  | { readonly kind: "compact" }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "delete"; readonly share: number }
  | { readonly kind: "retry"; readonly producer: number }
  | { readonly kind: "restart"; readonly how: "clean" | "killed" | "crashed"; readonly seed: number }
  | { readonly kind: "die"; readonly steps: number; readonly seed: number };

/** 0 is nobody, 1 and 2 are idempotent, 3 and 4 transactional. */
const PRODUCERS = 5;
const isTransactional = (producer: number): boolean => producer >= 3;

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant("produce" as const),
      producer: fc.nat(PRODUCERS - 1),
      codec: fc.constantFrom(...Object.values(batch.Compression)),
      keys: fc.array(
        fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.option(fc.string({ maxLength: 60 }), { freq: 4 })),
        { minLength: 1, maxLength: 4 },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("end" as const),
      producer: fc.integer({ min: 3, max: 4 }),
      isCommit: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: fc.constant({ kind: "compact" as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(1, 600, 1_500) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("delete" as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("retry" as const), producer: fc.integer({ min: 1, max: 2 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("restart" as const),
      how: fc.constantFrom("clean" as const, "killed" as const, "crashed" as const),
      seed: fc.nat(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("die" as const), steps: fc.nat(80), seed: fc.nat() }) },
);

/** A compacted log, and the array that it is compared with. */
class Subject {
  fileSystem = new LosingFileSystem();
  volume!: TestVolume;
  log!: PartitionLog;
  readonly written: (Written | "marker")[] = [];
  readonly producers: Producer[] = Array.from({ length: PRODUCERS }, (_, id) => ({
    id,
    sequence: 0,
    open: undefined,
    last: undefined,
  }));
  start = 0;
  readonly config: Partial<LogConfig>;
  readonly options: Partial<CompactionOptions>;

  constructor(config: Partial<LogConfig>, options: Partial<CompactionOptions>) {
    this.config = config;
    this.options = options;
  }

  async open(): Promise<void> {
    const clock = this.volume?.clock;
    this.volume = await openTestVolume(this.fileSystem, {
      ...(clock === undefined ? {} : { clock }),
      compaction: () => this.options,
      tailCacheBytes: 500,
      indexCacheBytes: 10_000,
    });
    this.log = await this.volume.partition(this.config);
  }

  async produce(id: number, codec: batch.Compression, keys: readonly Keyed[]): Promise<void> {
    const producer = this.producers[id] as Producer;
    const now = this.volume.clock.now();
    const records = keyed(
      keys.map(([key, value]) => [key, value, now] as const),
      {
        compression: codec,
        ...(id === 0 ? {} : { producerId: id, producerEpoch: 0, baseSequence: producer.sequence }),
        isTransactional: isTransactional(id),
      },
    );
    const guard = isTransactional(id)
      ? this.log.guardTransaction({
          producerId: id,
          producerEpoch: 0,
          baseSequence: producer.sequence,
          supportsEpochBump: false,
        })
      : undefined;
    const copy = Buffer.from(records);
    const { errorCode, baseOffset } = await this.log.append(records, -1, guard);
    expect([errorCode, baseOffset]).toEqual([ErrorCode.NONE, this.written.length]);
    producer.sequence += keys.length;
    producer.last = { records: copy, offset: baseOffset };
    if (isTransactional(id)) producer.open ??= { state: "open" };
    for (const [key, value] of keys) {
      const offset = this.written.length;
      this.written.push({ offset, key: key ?? "", value, timestamp: now, appendedMs: now, transaction: producer.open });
    }
  }

  async end(id: number, isCommit: boolean): Promise<void> {
    const producer = this.producers[id] as Producer;
    if (producer.open === undefined) return;
    const { errorCode } = await this.log.endTransaction({
      producerId: id,
      producerEpoch: 0,
      isCommit,
      coordinatorEpoch: 0,
      transactionVersion: 0,
    });
    expect(errorCode).toBe(ErrorCode.NONE);
    this.written.push("marker");
    producer.open.state = isCommit ? "committed" : "aborted";
    producer.open = undefined;
  }

  /** A retry of the last batch is recognised, whatever compaction has left of it. */
  async retry(id: number): Promise<void> {
    const { last } = this.producers[id] as Producer;
    if (last === undefined) return;
    const { errorCode, baseOffset } = await this.log.append(Buffer.from(last.records), -1);
    expect([errorCode, baseOffset]).toEqual([ErrorCode.NONE, last.offset]);
  }

  async delete(share: number): Promise<void> {
    const offset = Math.floor(this.log.highWatermark * share);
    this.start = Math.max(this.start, offset);
    expect(await this.log.deleteRecords(offset)).toEqual({ errorCode: ErrorCode.NONE, lowWatermark: this.start });
  }

  async restart(how: "clean" | "killed" | "crashed", seed: number): Promise<void> {
    if (how === "clean") await this.volume.close();
    this.fileSystem.before = dead;
    let state = seed;
    // Of what was not fsynced, any part may be there.
    const keep = (_what: string, count: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state % (count + 1);
    };
    this.fileSystem = how === "crashed" ? this.fileSystem.crashed(keep) : this.fileSystem.killed();
    await this.open();
  }

  /** The machine stops in the middle of a compaction. */
  async die(steps: number, seed: number): Promise<void> {
    let left = steps;
    this.fileSystem.before = () => {
      if (left-- <= 0) dead();
    };
    await this.volume.logs.compact();
    await this.restart("crashed", seed);
  }

  isLast({ offset, key }: Written, endOffset: number): boolean {
    return !this.written
      .slice(offset + 1, endOffset)
      .some((other) => other !== "marker" && other.key === key && other.transaction?.state !== "aborted");
  }

  /** What holds at any time. */
  async check(): Promise<void> {
    const { log, written, start } = this;
    expect([log.logStartOffset, log.logEndOffset, log.highWatermark]).toEqual([start, written.length, written.length]);
    const { records } = await contentOf(log);
    this.checkOriginal(records);
    const committed = (await contentOf(log, "read_committed")).records;
    this.checkOriginal(committed);
    for (const { offset } of committed) {
      const { transaction } = written[offset] as Written;
      expect([offset, transaction?.state ?? "committed"]).toEqual([offset, "committed"]);
    }
    const there = new Set(records.map(({ offset }) => offset));
    const now = this.volume.clock.now();
    for (const one of written.slice(start)) {
      if (one === "marker" || one.transaction?.state === "aborted") continue;
      const mustBeThere = one.value !== null || now - one.appendedMs < (this.config.deleteRetentionMs as number);
      if (mustBeThere && this.isLast(one, written.length))
        expect([one.offset, there.has(one.offset)]).toEqual([one.offset, true]);
    }
  }

  checkOriginal(records: readonly KeyedRecord[]): void {
    let before = this.start - 1;
    for (const record of records) {
      const { offset, key, value, timestamp } = this.written[record.offset] as Written;
      expect(record).toEqual({ offset, key, value, timestamp });
      expect(offset).toBeGreaterThan(before);
      before = offset;
    }
  }

  /** What holds right behind a compaction that nothing kept from anything. */
  async checkCompacted(): Promise<void> {
    if (this.producers.some(({ open }) => open !== undefined)) return;
    const names = (await this.fileSystem.list("/data/t/0")).map(({ name }) => name);
    const bases = names.filter((name) => name.endsWith(".log")).map((name) => Number(name.split(/[-.]/)[1]));
    const activeBase = Math.max(...bases);
    const { records } = await contentOf(this.log);
    for (const { offset } of records) {
      if (offset >= activeBase) break;
      const one = this.written[offset] as Written;
      expect([offset, one.transaction?.state === "aborted", this.isLast(one, activeBase)]).toEqual([
        offset,
        false,
        true,
      ]);
    }
  }

  async run(operation: Operation): Promise<void> {
    switch (operation.kind) {
      case "produce":
        return this.produce(operation.producer, operation.codec, operation.keys);
      case "end":
        return this.end(operation.producer, operation.isCommit);
      case "wait":
        return this.volume.clock.advance(operation.ms);
      case "delete":
        return this.delete(operation.share);
      case "retry":
        return this.retry(operation.producer);
      case "restart":
        return this.restart(operation.how, operation.seed);
      case "die":
        return this.die(operation.steps, operation.seed);
      case "compact":
        await this.volume.logs.compact();
        return this.checkCompacted();
    }
  }
}

function dead(): never {
  throw Object.assign(new Error("the machine is dead"), { code: "EIO" });
}

test("a compacted log holds what an array says that it must, and nothing else", async () => {
  const setting = fc.record({
    segmentBytes: fc.constantFrom(1, 200, 700),
    /** How many keys the map takes: 1, 2, or more than there are. */
    loadFactor: fc.constantFrom(0.07, 0.13, 0.9),
    deleteRetentionMs: fc.constantFrom(0, 1_000),
    minCompactionLagMs: fc.constantFrom(0, 0, 800),
  });
  await fc.assert(
    fc.asyncProperty(setting, fc.array(operation, { maxLength: 40, size: "max" }), async (choice, operations) => {
      const { segmentBytes, loadFactor, minCompactionLagMs, deleteRetentionMs } = choice;
      const subject = new Subject(
        {
          segmentBytes,
          minCompactionLagMs,
          cleanupPolicy: { delete: false, compact: true },
          minCleanableDirtyRatio: 0,
          deleteRetentionMs,
          fileDeleteDelayMs: 0,
          indexIntervalBytes: 1,
        },
        { dedupeBufferBytes: 1, loadFactor, ioBufferBytes: 1 },
      );
      await subject.open();
      for (const one of operations) {
        if (one.kind === "compact" && minCompactionLagMs > 0) await subject.volume.logs.compact();
        else await subject.run(one);
        await subject.check();
      }
    }),
    { numRuns: Number(process.env.COMPACTION_RUNS ?? 150) },
  );
}, 300_000);
