import { type LogConfig, type PartitionLog, ErrorCode } from "@kaas/core";
import { batch, loadCodec } from "@kaas/core/internal";
import fc from "fast-check";
import { beforeAll, test } from "vitest";
import { consume, values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";

beforeAll(() => loadCodec(batch.Compression.ZSTD));

/** A log as an array would do it. */
interface Model {
  values: string[];
  timestamps: number[];
  start: number;
}

interface Real {
  fileSystem: LosingFileSystem;
  volume: TestVolume;
  log: PartitionLog;
  readonly config: Partial<LogConfig>;
}

type Command = fc.AsyncCommand<Model, Real>;

async function reopen(real: Real): Promise<void> {
  real.volume = await openTestVolume(real.fileSystem, { tailCacheBytes: 2_000, indexCacheBytes: 10_000 });
  real.log = await real.volume.partition(real.config);
}

function same(actual: unknown, expected: unknown, what: string): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  }
}

class Append implements Command {
  readonly groups: readonly (readonly string[])[];
  readonly compression: batch.Compression;
  readonly timestamp: number;
  constructor(groups: readonly (readonly string[])[], compression: batch.Compression, timestamp: number) {
    this.groups = groups;
    this.compression = compression;
    this.timestamp = timestamp;
  }
  check = () => true;
  async run(model: Model, { log }: Real): Promise<void> {
    const offsets = this.groups.map((group) => {
      const offset = model.values.length;
      model.values.push(...group);
      model.timestamps.push(...group.map(() => this.timestamp));
      return offset;
    });
    const batches = this.groups.map((group) => values(group, { compression: this.compression }, this.timestamp));
    const results = await Promise.all(batches.map((one) => log.append(one, -1)));
    same(
      results.map(({ errorCode, baseOffset }) => [errorCode, baseOffset]),
      offsets.map((offset) => [0, offset]),
      "append",
    );
    same([log.highWatermark, log.logEndOffset], [model.values.length, model.values.length], "end");
  }
  toString = () => `append ${this.groups.map((group) => group.length)} at ${this.timestamp}`;
}

class Read implements Command {
  readonly from: number;
  readonly maxBytes: number;
  constructor(from: number, maxBytes: number) {
    this.from = from;
    this.maxBytes = maxBytes;
  }
  check = () => true;
  async run(model: Model, { log }: Real): Promise<void> {
    const from = model.start + (this.from % (model.values.length - model.start + 1));
    const options = { maxBytes: this.maxBytes, minOneBatch: true, isolation: "read_uncommitted" } as const;
    const found = await consume(log, from, options);
    same(
      found.map(({ offset, value }) => [offset, value]),
      model.values.slice(from).map((value, n) => [from + n, value]),
      "read",
    );
  }
  toString = () => `read from ${this.from}, ${this.maxBytes} bytes at a time`;
}

class Lookup implements Command {
  readonly timestamp: number;
  constructor(timestamp: number) {
    this.timestamp = timestamp;
  }
  check = () => true;
  async run(model: Model, { log }: Real): Promise<void> {
    const first = model.timestamps.findIndex((time, offset) => offset >= model.start && time >= this.timestamp);
    const found = await log.offsetForTimestamp(this.timestamp, "read_uncommitted");
    same(found?.offset ?? -1, first, `first at ${this.timestamp}`);
    const largest = Math.max(...model.timestamps.slice(model.start));
    const firstLargest = model.timestamps.findIndex((time, offset) => offset >= model.start && time === largest);
    same((await log.offsetOfMaxTimestamp())?.offset ?? -1, firstLargest, "largest time");
  }
  toString = () => `look up ${this.timestamp}`;
}

class Delete implements Command {
  readonly share: number;
  constructor(share: number) {
    this.share = share;
  }
  check = () => true;
  async run(model: Model, { log }: Real): Promise<void> {
    const target = Math.floor(model.values.length * this.share);
    model.start = Math.max(model.start, target);
    same(await log.deleteRecords(target), { errorCode: ErrorCode.NONE, lowWatermark: model.start }, "delete");
  }
  toString = () => `delete ${this.share}`;
}

class Tidy implements Command {
  check = () => true;
  async run(_model: Model, { volume }: Real): Promise<void> {
    await volume.logs.enforceRetention();
    volume.clock.advance(60_000);
  }
  toString = () => "let time pass";
}

class Restart implements Command {
  readonly how: "clean" | "killed" | "crashed";
  constructor(how: "clean" | "killed" | "crashed") {
    this.how = how;
  }
  check = () => true;
  async run(model: Model, real: Real): Promise<void> {
    const epoch = real.log.leaderEpoch;
    if (this.how === "clean") await real.volume.close();
    real.fileSystem = this.how === "crashed" ? real.fileSystem.crashed() : real.fileSystem.killed();
    await reopen(real);
    const { leaderEpoch, logStartOffset, logEndOffset } = real.log;
    same(
      [leaderEpoch, logStartOffset, logEndOffset],
      [epoch + 1, model.start, model.values.length],
      `restart (${this.how})`,
    );
  }
  toString = () => `restart (${this.how})`;
}

const value = fc.string({ minLength: 0, maxLength: 40 });
const timestamp = fc.integer({ min: 0, max: 100 });
const commands = fc.commands<Model, Real, false>(
  [
    fc
      .tuple(
        fc.array(fc.array(value, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...Object.values(batch.Compression)),
        timestamp,
      )
      .map(([groups, compression, time]) => new Append(groups, compression, time)),
    fc.tuple(fc.nat(1_000), fc.integer({ min: 1, max: 2_000 })).map(([from, maxBytes]) => new Read(from, maxBytes)),
    timestamp.map((time) => new Lookup(time)),
    fc.double({ min: 0, max: 1, noNaN: true }).map((share) => new Delete(share)),
    fc.constant(new Tidy()),
    fc.constantFrom("clean" as const, "killed" as const, "crashed" as const).map((how) => new Restart(how)),
  ],
  { maxCommands: 40 },
);

test("a log does what an array does, over any number of restarts and crashes", async () => {
  const settings = fc.record({
    segmentBytes: fc.integer({ min: 1, max: 3_000 }),
    indexIntervalBytes: fc.integer({ min: 1, max: 500 }),
  });
  await fc.assert(
    fc.asyncProperty(commands, settings, async (sequence, config) => {
      const fileSystem = new LosingFileSystem();
      const fixed = { ...config, retentionMs: -1 };
      const volume = await openTestVolume(fileSystem, { tailCacheBytes: 2_000 });
      const real: Real = { fileSystem, volume, log: await volume.partition(fixed), config: fixed };
      await fc.asyncModelRun(() => ({ model: { values: [], timestamps: [], start: 0 }, real }), sequence);
    }),
    { numRuns: 60 },
  );
}, 300_000);
