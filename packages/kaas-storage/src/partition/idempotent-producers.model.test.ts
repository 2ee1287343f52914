import { ErrorCode, type PartitionLog } from "@kaas/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { consume, values } from "../testing/batches.js";
import { LosingFileSystem } from "../testing/losing-file-system.js";
import { openTestVolume, type TestVolume } from "../testing/open-test-volume.js";

const MODULUS = 2 ** 31;
const WINDOW = 5;

/** A batch as its producer numbers it; the sequence number does not wrap. */
interface Batch {
  readonly epoch: number;
  readonly sequence: number;
  readonly texts: readonly string[];
}

/** A producer's whole history, and what it says of a batch. */
class Model {
  readonly #begin: number;
  epoch = 0;
  readonly appended: (Batch & { readonly offset: number })[] = [];

  constructor(begin: number) {
    this.#begin = begin;
  }

  get next(): number {
    const last = this.appended.at(-1);
    if (last === undefined) return this.#begin;
    return last.epoch === this.epoch ? last.sequence + last.texts.length : 0;
  }

  /** The offset of the batch that this one repeats, an error, or undefined for a batch that is new. */
  judge({ epoch, sequence, texts }: Batch): number | { errorCode: ErrorCode } | undefined {
    const ofEpoch = this.appended.filter((one) => one.epoch === epoch).slice(-WINDOW);
    const current = this.appended.at(-1)?.epoch;
    if (current === undefined) return undefined;
    if (epoch < current) return { errorCode: ErrorCode.INVALID_PRODUCER_EPOCH };
    if (epoch > current) return sequence === 0 ? undefined : { errorCode: ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER };
    const known = ofEpoch.find((one) => one.sequence === sequence && one.texts.length === texts.length);
    if (known !== undefined) return known.offset;
    const last = ofEpoch.at(-1);
    if (last !== undefined && last.sequence + last.texts.length === sequence) return undefined;
    return { errorCode: ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER };
  }
}

type Step =
  | { kind: "send"; count: number; bumps: boolean }
  | { kind: "again"; back: number }
  | { kind: "gap"; by: number }
  | { kind: "zombie" }
  | { kind: "lost"; count: number; keeps: number }
  | { kind: "restart"; how: "closed" | "killed" | "crashed" };

const count = fc.integer({ min: 1, max: 3 });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("send"), count, bumps: fc.constantFrom(false, false, false, true) }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("again"), back: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("gap"), by: fc.constantFrom(-9, -1, 1, 7) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("zombie") }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("lost"), count, keeps: fc.integer({ min: 0, max: 400 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("restart"), how: fc.constantFrom("closed", "killed", "crashed") }),
  },
) as fc.Arbitrary<Step>;

class Run {
  readonly model: Model;
  readonly all: string[] = [];
  readonly #segmentBytes: number;
  #fileSystem = new LosingFileSystem();
  #volume!: TestVolume;
  #log!: PartitionLog;

  constructor(begin: number, segmentBytes: number) {
    this.model = new Model(begin);
    this.#segmentBytes = segmentBytes;
  }

  async open(): Promise<void> {
    this.#volume = await openTestVolume(this.#fileSystem);
    this.#log = await this.#volume.partition({ segmentBytes: this.#segmentBytes });
  }

  async take(step: Step): Promise<void> {
    const { model } = this;
    switch (step.kind) {
      case "send":
        if (step.bumps) model.epoch++;
        return this.#check(this.#next(step.count));
      case "again": {
        const sent = model.appended.at(-step.back);
        return sent === undefined ? undefined : this.#check(sent);
      }
      case "gap": {
        const next = this.#next(1);
        return this.#check({ ...next, sequence: Math.max(0, next.sequence + step.by) });
      }
      case "zombie":
        return model.epoch === 0 ? undefined : this.#check({ ...this.#next(1), epoch: model.epoch - 1 });
      case "lost":
        return this.#lose(this.#next(step.count), step.keeps);
      case "restart":
        if (step.how === "closed") await this.#volume.close();
        this.#fileSystem = step.how === "crashed" ? this.#fileSystem.crashed() : this.#fileSystem.killed();
        return this.open();
    }
  }

  /** Everything is there once, and in its order. */
  async compare(): Promise<void> {
    expect((await consume(this.#log)).map(({ value }) => value)).toEqual(this.all);
  }

  async #check(sent: Batch): Promise<void> {
    const expected = this.model.judge(sent);
    const { errorCode, baseOffset } = await this.#append(sent);
    if (typeof expected === "number") expect([errorCode, baseOffset]).toEqual([ErrorCode.NONE, expected]);
    else if (expected !== undefined) expect(errorCode).toBe(expected.errorCode);
    else {
      expect([errorCode, baseOffset]).toEqual([ErrorCode.NONE, this.all.length]);
      this.#took(sent, baseOffset);
    }
  }

  /** The machine loses power before the answer is out, and the producer sends the batch again. */
  async #lose(sent: Batch, keeps: number): Promise<void> {
    const offset = this.all.length;
    const answer = this.#append(sent);
    for (let turns = 0; turns < keeps % 5; turns++) await Promise.resolve();
    const after = this.#fileSystem.crashed((what, bytes) => (what === "bytes" ? Math.min(bytes, keeps) : keeps % 2));
    await answer;
    this.#fileSystem = after;
    await this.open();
    if (this.#log.logEndOffset > offset) this.#took(sent, offset);
    await this.#check(sent);
  }

  #took(sent: Batch, offset: number): void {
    this.model.appended.push({ ...sent, offset });
    this.all.push(...sent.texts);
  }

  #append({ epoch, sequence, texts }: Batch): ReturnType<PartitionLog["append"]> {
    const header = { producerId: 7, producerEpoch: epoch, baseSequence: sequence % MODULUS };
    return this.#log.append(values(texts, header), -1);
  }

  #next(length: number): Batch {
    const { epoch, next } = this.model;
    const texts = Array.from({ length }, (_, n) => `${this.all.length + n}`);
    return { epoch, sequence: next, texts };
  }
}

test("a producer's batches are in the log once, whatever is sent again, and whatever is lost", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 40 }),
      fc.constantFrom(0, 5, MODULUS - 4, MODULUS - 1),
      fc.constantFrom(1, 400, 100_000),
      async (steps, begin, segmentBytes) => {
        const run = new Run(begin, segmentBytes);
        await run.open();
        for (const one of steps) await run.take(one);
        await run.compare();
      },
    ),
    { numRuns: 150 },
  );
}, 300_000);
