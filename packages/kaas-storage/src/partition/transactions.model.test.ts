import type { PartitionLog } from "@kaas/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { removeFile } from "../file-system/file-system.js";
import { values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";
import { consumeCommitted, TestProducer } from "../testing/transactions.js";

/** One offset of the log. */
interface Entry {
  readonly value: string;
  /** Undefined outside of transactions, and for markers. */
  readonly transaction: Transaction | undefined;
  readonly isMarker: boolean;
}

interface Transaction {
  readonly firstOffset: number;
  outcome: "open" | "committed" | "aborted";
}

/** Something that was appended. */
interface Appended {
  readonly producer: number | undefined;
  readonly texts: readonly string[];
  /** Whether a marker commits; undefined for records. */
  readonly isCommit: boolean | undefined;
}

/** The log as a plain array. */
class Model {
  readonly entries: Entry[] = [];
  readonly open = new Map<number, Transaction>();
  readonly appended: Appended[] = [];
  logStartOffset = 0;

  take(appended: Appended): void {
    this.appended.push(appended);
    if (appended.isCommit === undefined) this.#append(appended);
    else this.#end(appended.producer as number, appended.isCommit);
  }

  #append({ producer, texts }: Appended): void {
    let transaction: Transaction | undefined;
    if (producer !== undefined) {
      transaction = this.open.get(producer) ?? { firstOffset: this.entries.length, outcome: "open" };
      this.open.set(producer, transaction);
    }
    for (const value of texts) this.entries.push({ value, transaction, isMarker: false });
  }

  #end(producer: number, isCommit: boolean): void {
    const transaction = this.open.get(producer);
    if (transaction !== undefined) transaction.outcome = isCommit ? "committed" : "aborted";
    this.open.delete(producer);
    this.entries.push({ value: "", transaction: undefined, isMarker: true });
  }

  /** What was appended up to an offset, as if nothing had followed. */
  upTo(endOffset: number): Model {
    const shorter = new Model();
    shorter.logStartOffset = this.logStartOffset;
    for (const one of this.appended) if (shorter.entries.length < endOffset) shorter.take(one);
    return shorter;
  }

  get lastStableOffset(): number {
    const first = Math.min(this.entries.length, ...Array.from(this.open.values(), (one) => one.firstOffset));
    return Math.max(first, this.logStartOffset);
  }

  committedFrom(offset: number): { offset: number; value: string }[] {
    return this.entries
      .map((entry, at) => ({ ...entry, offset: at }))
      .filter((entry) => entry.offset >= offset && entry.offset < this.lastStableOffset && !entry.isMarker)
      .filter((entry) => entry.transaction === undefined || entry.transaction.outcome === "committed")
      .map(({ offset: at, value }) => ({ offset: at, value }));
  }
}

const PRODUCERS = 4;
const producer = fc.integer({ min: 0, max: PRODUCERS - 1 });

type Append =
  | { kind: "send"; producer: number; count: number }
  | { kind: "plain"; count: number }
  | { kind: "end"; producer: number; isCommit: boolean };

type Step =
  | Append
  /** Appends that do not wait for one another; then the machine may lose power before all of them are durable. */
  | { kind: "burst"; appends: readonly Append[]; isLost: boolean; keeps: number }
  | { kind: "restart"; how: "closed" | "killed" | "crashed"; loses: "nothing" | "indexes" | "snapshots" }
  | { kind: "delete"; share: number }
  | { kind: "tidy" }
  | { kind: "read"; share: number; maxBytes: number };

const append = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("send"), producer, count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("plain"), count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("end"), producer, isCommit: fc.boolean() }) },
) as fc.Arbitrary<Append>;

const step = fc.oneof(
  { weight: 12, arbitrary: append },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("burst"),
      appends: fc.array(append, { minLength: 2, maxLength: 12 }),
      isLost: fc.boolean(),
      keeps: fc.integer({ min: 0, max: 1_500 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("restart"),
      how: fc.constantFrom("closed", "killed", "crashed"),
      loses: fc.constantFrom("nothing", "nothing", "indexes", "snapshots"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("delete"), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("tidy") }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("read"),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      maxBytes: fc.constantFrom(1, 200, 500, 1_000_000),
    }),
  },
) as fc.Arbitrary<Step>;

/** The real log and the model, taking the same steps. */
class Run {
  model = new Model();
  producers = Array.from({ length: PRODUCERS }, (_, id) => new TestProducer(id));
  readonly #config: { segmentBytes: number; fileDeleteDelayMs: number };
  readonly #tailCacheBytes: number;
  #fileSystem = new LosingFileSystem();
  #volume: TestVolume | undefined;
  log!: PartitionLog;
  #values = 0;

  constructor(segmentBytes: number, tailCacheBytes: number) {
    this.#config = { segmentBytes, fileDeleteDelayMs: 0 };
    this.#tailCacheBytes = tailCacheBytes;
  }

  async open(): Promise<void> {
    this.#volume = await openTestVolume(this.#fileSystem, { tailCacheBytes: this.#tailCacheBytes });
    this.log = await this.#volume.partition(this.#config);
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case "send":
      case "plain":
      case "end":
        expect(await this.#append(step)).toBe(0);
        return;
      case "burst":
        return this.#burst(step);
      case "restart":
        return this.#restart(step);
      case "delete": {
        const offset = Math.floor(step.share * this.model.entries.length);
        await this.log.deleteRecords(offset);
        this.model.logStartOffset = Math.max(this.model.logStartOffset, offset);
        return;
      }
      case "tidy":
        await this.#volume?.logs.enforceRetention();
        return;
      case "read": {
        const start = this.model.logStartOffset;
        const from = start + Math.floor(step.share * (this.model.entries.length - start));
        return this.#compareFrom(from, step.maxBytes);
      }
    }
  }

  /** The model and the log take it at once; what the log answers comes later. */
  async #append(one: Append): Promise<number> {
    if (one.kind === "end") {
      this.model.take({ producer: one.producer, texts: [], isCommit: one.isCommit });
      return (await this.#producer(one.producer).end(this.log, one.isCommit)).errorCode;
    }
    const texts = Array.from({ length: one.count }, () => `v${this.#values++}`);
    const sender = one.kind === "send" ? one.producer : undefined;
    this.model.take({ producer: sender, texts, isCommit: undefined });
    if (sender === undefined) return (await this.log.append(values(texts), -1)).errorCode;
    return (await this.#producer(sender).send(this.log, ...texts)).errorCode;
  }

  async #burst({ appends, isLost, keeps }: Extract<Step, { kind: "burst" }>): Promise<void> {
    const before = this.model.entries.length;
    const answers = appends.map((one) => this.#append(one));
    if (!isLost) return void (await Promise.all(answers.map(async (answer) => expect(await answer).toBe(0))));
    for (let turns = 0; turns < keeps % 7; turns++) await Promise.resolve();
    const after = this.#fileSystem.crashed((what, count) => (what === "bytes" ? Math.min(count, keeps) : keeps % 2));
    await Promise.all(answers);
    this.#fileSystem = after;
    await this.open();
    expect(this.log.logEndOffset).toBeGreaterThanOrEqual(before);
    this.model = this.model.upTo(this.log.logEndOffset);
    this.producers = this.producers.map((one) => new TestProducer(one.id));
    for (const { producer: id, texts, isCommit } of this.model.appended) {
      if (id === undefined) continue;
      const one = this.#producer(id);
      if (isCommit === undefined) one.sequence += texts.length;
      else Object.assign(one, { epoch: one.epoch + 1, sequence: 0 });
    }
  }

  async check(): Promise<void> {
    expect(this.log.lastStableOffset).toBe(this.model.lastStableOffset);
    expect(this.log.highWatermark).toBe(this.model.entries.length);
    const open = this.log.producers().filter((one) => one.currentTransactionStartOffset >= 0);
    const starts = open.map((one) => [one.producerId, one.currentTransactionStartOffset]).sort();
    expect(starts).toEqual(Array.from(this.model.open, ([id, { firstOffset }]) => [id, firstOffset]).sort());
  }

  async compareAll(): Promise<void> {
    await this.#compareFrom(this.model.logStartOffset, 1_000_000);
  }

  async #compareFrom(from: number, maxBytes: number): Promise<void> {
    const found = await consumeCommitted(this.log, from, maxBytes);
    expect(found.map(({ offset, value }) => ({ offset, value }))).toEqual(this.model.committedFrom(from));
  }

  async #restart({ how, loses }: Extract<Step, { kind: "restart" }>): Promise<void> {
    if (how === "closed") await this.#volume?.close();
    this.#fileSystem = how === "crashed" ? this.#fileSystem.crashed() : this.#fileSystem.killed();
    // Losing the snapshots and some of the records they were made of loses the sequence numbers with them.
    const suffix = loses === "indexes" ? ".txnindex" : ".snapshot";
    if (loses === "indexes" || (loses === "snapshots" && this.model.logStartOffset === 0)) {
      for (const { name } of await this.#fileSystem.list("/data/t/0")) {
        // The process that was killed may have been about to remove it.
        if (name.endsWith(suffix)) await removeFile(this.#fileSystem, `/data/t/0/${name}`);
      }
    }
    await this.open();
  }

  #producer(id: number): TestProducer {
    return this.producers[id] as TestProducer;
  }
}

test("a log with transactions is the array it stands for", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40 }),
      fc.constantFrom(1, 300, 1_000, 100_000),
      fc.constantFrom(0, 1_000_000),
      async (steps, segmentBytes, tailCacheBytes) => {
        const run = new Run(segmentBytes, tailCacheBytes);
        await run.open();
        for (const one of steps) {
          await run.take(one);
          await run.check();
        }
        await run.compareAll();
      },
    ),
    {
      numRuns: 150,
      examples: [
        // The snapshot is lost, then records go that only it had told of.
        [
          [
            { kind: "send", producer: 0, count: 1 },
            { kind: "send", producer: 0, count: 1 },
            { kind: "restart", how: "closed", loses: "snapshots" },
            { kind: "delete", share: 0.5 },
            { kind: "send", producer: 0, count: 1 },
            { kind: "burst", appends: [{ kind: "send", producer: 0, count: 1 }], isLost: true, keeps: 0 },
          ],
          1,
          0,
        ],
      ],
    },
  );
}, 300_000);
