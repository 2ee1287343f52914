import { batch } from "@kaas/core/internal";
import type { SegmentRecord } from "../documents/document-types.js";
import { type FileHandle, isErrno } from "../file-system/file-system.js";
import { Segment } from "../partition/segment.js";
import type { BatchScanner } from "./batch-scanner.js";
import { type Finding, finding } from "./finding.js";
import { type FollowedIndex, finishIndexes, openIndexes } from "./index-check.js";
import { type BatchTotals, countBatch, noBatches, scanSegment } from "./segment-scan.js";
import type { TransactionCheck } from "./transaction-check.js";
import { unreadable, type VolumeView } from "./volume-view.js";

/** Of one file, so many places are named; who has more looks at the file as a whole. */
const FINDINGS_MAX = 10;

export interface SegmentCheck {
  readonly findings: readonly Finding[];
  readonly totals: BatchTotals;
}

/** Checks a segment that a document describes against its files: every checksum, every offset, every index entry. */
export async function checkSegment(
  view: VolumeView,
  directory: string,
  record: SegmentRecord,
  transactions: TransactionCheck,
  progress: (bytes: number) => void,
): Promise<SegmentCheck> {
  const file = Segment.of(directory, record).path("log");
  const totals = noBatches();
  let handle: FileHandle;
  try {
    handle = await view.fileSystem.open(file, "read");
  } catch (error) {
    if (!isErrno(error, "ENOENT")) return { findings: [unreadable(file, error)], totals };
    transactions.giveUp();
    const range = `offsets ${record.baseOffset} to ${record.nextOffset - 1}, ${record.sizeBytes} bytes`;
    return { findings: [finding("segment-missing", file, `it is not there; it should hold ${range}`)], totals };
  }
  try {
    const { followed, findings } = await openIndexes(view, directory, record);
    const reader = new SegmentReader(file, record, totals, followed, transactions);
    const sizeBytes = await handle.size();
    if (sizeBytes < record.sizeBytes) reader.foundShort(sizeBytes);
    await scanSegment(handle, 0, Math.min(sizeBytes, record.sizeBytes), {
      batch: (scanner) => reader.batch(scanner),
      damage: (position, reason, resumesAt) => reader.damage(position, reason, resumesAt),
      progress,
    });
    findings.push(...reader.finish(), ...(await transactions.check(view, directory, record)));
    return { findings, totals };
  } catch (error) {
    return { findings: [unreadable(file, error)], totals };
  } finally {
    await handle.close();
  }
}

/** Holds the batches of a segment against its description. */
class SegmentReader {
  readonly #file: string;
  readonly #record: SegmentRecord;
  readonly #totals: BatchTotals;
  readonly #followed: readonly FollowedIndex[];
  readonly #transactions: TransactionCheck;
  readonly #findings: Finding[] = [];
  /** Undefined behind damage. */
  #expectedOffset: number | undefined;
  #maxTimestamp = -1;
  #maxTimestampOffset = -1;
  #isWhole = true;

  /** Compaction leaves gaps, and batches of several epochs. */
  get #isCleaned(): boolean {
    return this.#record.generation !== undefined;
  }

  constructor(
    file: string,
    record: SegmentRecord,
    totals: BatchTotals,
    followed: readonly FollowedIndex[],
    transactions: TransactionCheck,
  ) {
    this.#transactions = transactions;
    this.#file = file;
    this.#record = record;
    this.#totals = totals;
    this.#followed = followed;
    this.#expectedOffset = record.baseOffset;
  }

  batch(scanner: BatchScanner): boolean {
    const { buffer, at, position } = scanner;
    const baseOffset = batch.baseOffset(buffer, at);
    // A batch that compaction emptied has a timestamp, and no record of that time.
    const maxTimestamp = batch.recordCount(buffer, at) === 0 ? -1 : batch.maxTimestamp(buffer, at);
    countBatch(this.#totals, scanner);
    this.#checkOffset(baseOffset, position);
    if (!this.#isCleaned && batch.leaderEpoch(buffer, at) !== this.#record.epoch) {
      const message = `the batch at byte ${position} has leader epoch ${batch.leaderEpoch(buffer, at)}`;
      this.#add(finding("segment-misdescribed", this.#file, message, position));
    }
    const lastOffset = batch.lastOffset(buffer, at);
    this.#expectedOffset = lastOffset + 1;
    if (maxTimestamp > this.#maxTimestamp) {
      this.#maxTimestamp = maxTimestamp;
      this.#maxTimestampOffset = baseOffset;
    }
    if (!this.#transactions.see(buffer, at)) {
      const message = `the control batch at byte ${position} cannot be read, though its checksum matches`;
      this.#add(finding("batch-damaged", this.#file, message, position));
    }
    for (const { follower } of this.#followed) follower.see({ baseOffset, lastOffset, position, maxTimestamp });
    return true;
  }

  damage(position: number, reason: string, resumesAt: number): void {
    this.#isWhole = false;
    this.#transactions.giveUp();
    this.#expectedOffset = undefined;
    const rest = resumesAt < 0 ? "nothing valid follows" : `the next valid batch begins at byte ${resumesAt}`;
    this.#add(finding("batch-damaged", this.#file, `the batch at byte ${position}: ${reason}; ${rest}`, position));
  }

  foundShort(sizeBytes: number): void {
    this.#isWhole = false;
    this.#transactions.giveUp();
    const message = `it has ${sizeBytes} bytes where ${this.#record.sizeBytes} are in force`;
    this.#add(finding("segment-short", this.#file, message, sizeBytes));
  }

  finish(): readonly Finding[] {
    // Behind damage nothing can be said about what it hides.
    if (!this.#isWhole) return this.#findings;
    const { nextOffset, maxTimestamp, maxTimestampOffset } = this.#record;
    this.#compare("next offset", this.#expectedOffset ?? -1, nextOffset);
    this.#compare("largest timestamp", this.#maxTimestamp, maxTimestamp);
    this.#compare("offset of the largest timestamp", this.#maxTimestampOffset, maxTimestampOffset);
    return [...this.#findings, ...finishIndexes(this.#followed)];
  }

  #checkOffset(baseOffset: number, position: number): void {
    const expected = this.#expectedOffset;
    if (expected === undefined || baseOffset === expected) return;
    if (this.#isCleaned && baseOffset > expected) return;
    const message = `the batch at byte ${position} has offset ${baseOffset} where ${expected} comes next`;
    this.#add(finding("offsets-not-dense", this.#file, message, position));
  }

  #compare(what: string, found: number, described: number): void {
    if (found === described) return;
    const message = `its ${what} is ${found}, the document in force says ${described}`;
    this.#add(finding("segment-misdescribed", this.#file, message));
  }

  #add(one: Finding): void {
    if (this.#findings.length < FINDINGS_MAX) this.#findings.push(one);
  }
}
