// Where a log may begin: DeleteRecords that are asked for at random, and retention by size.
import { ApiKey } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { DeleteRecordsResponse } from "../../packages/kaas-core/src/messages/generated/index.js";
import type { Prng } from "../bad-input/prng.js";
import { placeOf, type WireClient } from "../lib/wire-client.js";
import { Actor, pause } from "./actor.js";
import { type Change, type Mark, type Moment, possible } from "./moment.js";
import type { LogContent } from "./partition-check.js";
import type { Writer } from "./writer.js";

export type TrimmerOptions = { readonly prng: Prng; readonly mark: Mark; readonly pauseMs: number };

/** Deletes the oldest records of what a writer has written, some at a time. */
export class Trimmer extends Actor {
  readonly #writer: Writer;
  readonly #options: TrimmerOptions;
  readonly #starts: Change<number>[] = [];

  constructor(writer: Writer, options: TrimmerOptions) {
    super(options.pauseMs);
    this.#writer = writer;
    this.#options = options;
  }

  protected async step(client: WireClient): Promise<void> {
    const { prng, mark } = this.#options;
    const { topic, partition, acknowledgedEnd } = this.#writer;
    const before = this.#starts.at(-1)?.value ?? 0;
    if (acknowledgedEnd <= before) return pause(20);
    const offset = before + prng.integer(acknowledgedEnd - before);
    const change: Change<number> = { value: offset, askedAt: mark(), answer: undefined };
    this.#starts.push(change);
    const response = await client.call<DeleteRecordsResponse>(ApiKey.DeleteRecords, 2, {
      topics: [{ name: topic, partitions: [{ partitionIndex: partition, offset }] }],
      timeoutMs: 30_000,
    });
    if (response.topics[0]?.partitions[0]?.errorCode === 0) change.answer = placeOf(response);
    else await pause(50);
  }

  startProblem({ startOffset }: LogContent, moment: Moment): string | undefined {
    const { certain = 0, values } = possible(this.#starts, moment);
    const highest = values.at(-1) ?? 0;
    if (startOffset >= certain && startOffset <= highest) return undefined;
    return `it begins at ${startOffset}; records below ${certain} were deleted, below ${highest} were to be`;
  }

  async problems(): Promise<string[]> {
    return this.surprises.splice(0); // the writer looks at the log
  }
}

/** Retention by size keeps that much; what was in flight may have counted, and been lost. */
export function retentionProblem(retentionBytes: number, inFlightBytesMax: number) {
  return (writer: Writer, { startOffset }: LogContent, moment: Moment): string | undefined => {
    if (startOffset === 0) return undefined;
    const kept = writer.sent
      .filter(
        ({ offset, count, answer }) =>
          offset !== undefined && answer !== undefined && offset + count > startOffset && moment.answered(answer),
      )
      .reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (kept >= retentionBytes - inFlightBytesMax) return undefined;
    return `it begins at ${startOffset}: of what was acknowledged ${kept} bytes are left, ${retentionBytes} are to be kept`;
  };
}
