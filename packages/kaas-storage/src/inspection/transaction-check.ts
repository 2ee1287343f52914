import { readIfThere } from "../file-system/file-system.js";
import { KaasError } from "@kaas/core";
import type { SegmentRecord } from "../documents/document-types.js";
import { AbortedIndex, type AbortedRange } from "../partition/aborted-index.js";
import { ProducerReplay } from "../partition/producer-replay.js";
import { Segment } from "../partition/segment.js";
import { type Finding, finding } from "./finding.js";
import { unreadable, type VolumeView } from "./volume-view.js";

/** Follows the transactions of a log over its segments, and holds their indexes of aborted ones against them. */
export class TransactionCheck {
  readonly #replay = new ProducerReplay(0);
  /** Where the log that is there begins: transactions may have begun before. */
  readonly #firstOffset: number;
  #isComplete = true;

  constructor(firstOffset: number) {
    this.#firstOffset = firstOffset;
  }

  /** The next batch, which is whole. False for a marker that cannot be read: nothing can be said from there on. */
  see(buffer: Buffer, at: number): boolean {
    if (!this.#isComplete) return true;
    try {
      this.#replay.take(buffer, at);
      return true;
    } catch (error) {
      if (!(error instanceof KaasError)) throw error;
      this.giveUp();
      return false;
    }
  }

  /** Batches were not seen: nothing can be said from here on. */
  giveUp(): void {
    this.#isComplete = false;
  }

  /** To be called once all batches of the segment, and of those before it, were seen. */
  async check(view: VolumeView, directory: string, record: SegmentRecord): Promise<Finding[]> {
    if (record.abortedEntries < 0) return []; // it has yet to be made
    const file = Segment.of(directory, record).path("txnindex");
    const expected = this.#replay.aborted.within(record.baseOffset, record.nextOffset).entries();
    let bytes: Buffer | undefined;
    try {
      bytes = record.abortedEntries === 0 ? Buffer.alloc(0) : await readIfThere(view.fileSystem, file);
    } catch (error) {
      return [unreadable(file, error)];
    }
    if (bytes === undefined)
      return [finding("index-wrong", file, `it is not there; it should have ${record.abortedEntries} entries`)];
    const index = AbortedIndex.decode(bytes, record.baseOffset, record.nextOffset);
    if (index === undefined)
      return [finding("index-wrong", file, "it is no index of aborted transactions of this segment")];
    if (index.count !== record.abortedEntries) {
      return [finding("index-wrong", file, `it has ${index.count} entries instead of ${record.abortedEntries}`)];
    }
    const problem = this.#isComplete ? this.#compare(index.entries(), expected, record) : undefined;
    return problem === undefined ? [] : [finding("index-wrong", file, problem)];
  }

  #compare(
    entries: readonly AbortedRange[],
    expected: readonly AbortedRange[],
    record: SegmentRecord,
  ): string | undefined {
    const known = new Map(entries.map((entry) => [entry.lastOffset, entry]));
    for (const { producerId, firstOffset, lastOffset } of expected) {
      const entry = known.get(lastOffset);
      if (entry === undefined)
        return `the transaction of producer ${producerId} that offset ${lastOffset} aborts is not in it`;
      known.delete(lastOffset);
      const isSame = entry.producerId === producerId && entry.firstOffset <= firstOffset;
      if (!isSame)
        return `it says producer ${entry.producerId} from offset ${entry.firstOffset} on, aborted at ${lastOffset}; that is producer ${producerId} from ${firstOffset} on`;
    }
    if (record.generation !== undefined) return undefined; // compaction takes batches out and leaves their marker
    for (const entry of known.values()) {
      if (entry.firstOffset < this.#firstOffset) continue; // it began in a segment that is gone
      return `no marker at offset ${entry.lastOffset} aborts a transaction of producer ${entry.producerId}`;
    }
    return undefined;
  }
}
