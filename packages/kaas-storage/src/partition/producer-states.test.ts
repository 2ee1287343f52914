import { ErrorCode } from "@kaas/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findDuplicate, judgeSequence, lastSequence, ProducerStates, recordBatch } from "./producer-states.js";

const MODULUS = 2 ** 31;

/** Everything a producer ever appended, and what that says about its next batch. */
class Model {
  #epoch = -1;
  #batches: { first: bigint; count: number; baseOffset: number }[] = [];

  judge(epoch: number, first: bigint, count: number): string {
    if (this.#epoch < 0) return "new";
    if (epoch < this.#epoch) return "old epoch";
    if (epoch > this.#epoch) return first % BigInt(MODULUS) === 0n ? "new" : "out of order";
    const known = this.#batches.slice(-5).find((one) => one.first === first && one.count === count);
    if (known !== undefined) return `duplicate of ${known.baseOffset}`;
    const last = this.#batches.at(-1);
    return last === undefined || last.first + BigInt(last.count) === first ? "new" : "out of order";
  }

  append(epoch: number, first: bigint, count: number, baseOffset: number): void {
    if (epoch !== this.#epoch) this.#batches = [];
    this.#epoch = epoch;
    this.#batches.push({ first, count, baseOffset });
  }

  get next(): bigint {
    const last = this.#batches.at(-1);
    return last === undefined ? 0n : last.first + BigInt(last.count);
  }
}

const step = fc.record({
  epochChange: fc.constantFrom(0, 0, 0, 0, 0, -1, 1),
  /** Where the batch begins, relative to what comes next. */
  shift: fc.constantFrom(0, 0, 0, 0, -1, -2, -3, -7, 1, 5),
  count: fc.integer({ min: 1, max: 3 }),
});

test("the window of five says what the whole history says", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(0, MODULUS - 5), (steps, begin) => {
      const model = new Model();
      const states = new ProducerStates();
      let epoch = 3;
      let offset = 0;
      let first = BigInt(begin);
      for (const { epochChange, shift, count } of steps) {
        const batchEpoch = Math.max(0, epoch + epochChange);
        let sequence = offset === 0 ? first : model.next + BigInt(shift);
        if (epochChange > 0 && shift === 0) sequence = 0n;
        if (sequence < 0n) sequence = 0n;
        const sequenced = {
          producerEpoch: batchEpoch,
          firstSequence: Number(sequence % BigInt(MODULUS)),
          recordCount: count,
          isTransactional: false,
        };
        const verdict = findDuplicate(states.get(1), sequenced) ?? judgeSequence(states.get(1), sequenced);
        const expected = model.judge(batchEpoch, sequence, count);
        if (verdict.kind === "new") expect(expected).toBe("new");
        else if (verdict.kind === "duplicate") expect(expected).toBe(`duplicate of ${verdict.baseOffset}`);
        else
          expect(verdict.errorCode).toBe(
            expected === "old epoch" ? ErrorCode.INVALID_PRODUCER_EPOCH : ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
          );
        if (verdict.kind !== "new") continue;
        recordBatch(states.obtain(1), sequenced, offset, 0, 0);
        model.append(batchEpoch, sequence, count, offset);
        epoch = batchEpoch;
        offset += count;
        first = sequence;
      }
      // A snapshot keeps all that matters.
      const restored = ProducerStates.of(JSON.parse(JSON.stringify(states.records())));
      expect(restored.views()).toEqual(states.views());
      expect(restored.records()).toEqual(states.records());
    }),
  );
});

test("the last sequence number wraps to 0", () => {
  expect(lastSequence(5, 3)).toBe(7);
  expect(lastSequence(0x7fff_ffff, 1)).toBe(0x7fff_ffff);
  expect(lastSequence(0x7fff_ffff, 2)).toBe(0);
  expect(lastSequence(0x7fff_fffe, 4)).toBe(1);
});
