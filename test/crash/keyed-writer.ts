// Writes keys over and over into a log that is compacted: of each key the newest that was acknowledged has to stay.
import * as batch from "../../packages/kaas-core/src/records/batch.js";
import { readRecords } from "../../packages/kaas-core/src/records/batch-records.js";
import type { RecordInput } from "../../packages/kaas-core/src/records/build-batch.js";
import type { WireClient } from "../lib/wire-client.js";
import type { Moment } from "./moment.js";
import { type LogContent, readLog } from "./partition-check.js";
import { Writer, type WriterOptions } from "./writer.js";

const KEYS = 40;
const VALUE_BYTES_MAX = 800;
/** What says which record it is, whatever its value. */
const NUMBER_HEADER = "number";

type Keyed = { readonly key: string; readonly value: string | null };

export class KeyedWriter extends Writer {
  /** Every record by its number. */
  readonly #keyed: Keyed[] = [];

  constructor(options: Omit<WriterOptions, "kind" | "recordBytesMax">) {
    super({ ...options, kind: "idempotent", recordBytesMax: VALUE_BYTES_MAX });
  }

  protected override records(first: number): RecordInput[] {
    return Array.from({ length: 1 + this.prng.integer(20) }, (_, i) => {
      const key = `key-${this.prng.integer(KEYS)}`;
      const value = this.prng.oneIn(15) ? null : `${first + i}:${"v".repeat(this.prng.integer(VALUE_BYTES_MAX))}`;
      this.#keyed[first + i] = { key, value };
      return {
        key: Buffer.from(key),
        value: value === null ? null : Buffer.from(value),
        headers: [{ key: NUMBER_HEADER, value: Buffer.from(String(first + i)) }],
        timestamp: Date.now(),
      };
    });
  }

  override async problems(client: WireClient, moment: Moment): Promise<string[]> {
    const log = await readLog(client, this.topic, this.partition, true);
    return this.surprises
      .splice(0)
      .concat(this.#problemsIn(log, moment).map((what) => `${this.topic}-${this.partition} (compacted): ${what}`));
  }

  #problemsIn(log: LogContent, moment: Moment): string[] {
    const found = numbersIn(log);
    const newest = new Map<string, number>();
    let before = -1;
    for (const { number, key, value, offset } of found) {
      const sent = this.#keyed[number];
      if (sent?.key !== key || sent.value !== value) return [`what is at offset ${offset} was never sent`];
      if (number <= before) return [`record ${number} at offset ${offset} follows record ${before}`];
      before = number;
      newest.set(key, number);
    }
    return [...this.#misplaced(found, moment), ...this.#missing(newest, before, moment)];
  }

  /** Compaction removes, and moves nothing. */
  #misplaced(found: readonly Found[], moment: Moment): string[] {
    const offsets = new Map(found.map(({ number, offset }) => [number, offset]));
    for (const { first, count, offset, answer } of this.sent) {
      if (offset === undefined || answer === undefined || !moment.answered(answer)) continue;
      for (let i = 0; i < count; i++) {
        const at = offsets.get(first + i);
        if (at !== undefined && at !== offset + i)
          return [`record ${first + i} was acknowledged at ${offset + i}, and is at ${at}`];
      }
    }
    return [];
  }

  #missing(newest: ReadonlyMap<string, number>, last: number, moment: Moment): string[] {
    const acknowledged = new Map<string, number>();
    for (const { first, count, answer } of this.sent) {
      if (answer === undefined || !moment.answered(answer)) continue;
      for (let number = first; number < first + count; number++)
        acknowledged.set(this.#keyed[number]?.key ?? "", number);
    }
    const problems: string[] = [];
    for (const [key, number] of acknowledged) {
      const there = newest.get(key);
      if (there !== undefined && there >= number) continue;
      // A tombstone may go with what it buries: this one, or one that was not acknowledged and lies in the log.
      const mayBeBuried = this.#keyed.some(
        (one, n) => n >= number && n <= Math.max(last, number) && one.key === key && one.value === null,
      );
      if (!mayBeBuried) problems.push(`of ${key} record ${number} was acknowledged, and the newest is ${there}`);
    }
    return problems;
  }
}

type Found = { readonly number: number; readonly key: string; readonly value: string | null; readonly offset: number };

function numbersIn({ batches, startOffset }: LogContent): Found[] {
  const found: Found[] = [];
  for (const bytes of batches) {
    if (batch.recordCount(bytes, 0) === 0) continue;
    const reader = readRecords(bytes, 0);
    while (reader.next()) {
      if (reader.offset < startOffset) continue;
      const number = reader.headers.find(({ key }) => key === NUMBER_HEADER)?.value?.toString() ?? "-1";
      found.push({
        number: Number(number),
        key: reader.key?.toString() ?? "",
        value: reader.value?.toString() ?? null,
        offset: reader.offset,
      });
    }
  }
  return found;
}
