import { CleaningStopped, type Pace } from "../compaction/pace.js";
import type { LogState, SegmentRecord } from "../documents/document-types.js";
import { encodeDocument } from "../documents/documents.js";
import { claimFile, type DurableFiles } from "../documents/durable-files.js";
import { ensureDirectory, removeFile } from "../file-system/file-system.js";
import { epochFileName } from "../leadership/epoch-names.js";
import { offsetFileName, parsePartitionFile, segmentFileName } from "../partition/file-names.js";
import type { LogCore } from "../partition/log-core.js";
import type { OpenLog } from "../partition/open-log.js";
import { Segment } from "../partition/segment.js";
import { type LogVolume, partitionDirectory } from "./log-places.js";
import { SegmentCopy, type Spent } from "./segment-copy.js";

/** So much may be left to be copied while nobody can append. */
const REST_BYTES_MAX = 1024 * 1024;
/** After so many rounds a producer is faster than the copying may be, which from there on is as fast as it can. */
const PACED_ROUNDS_MAX = 8;
/** After so many, what is left is copied while nobody can append, however much it is. */
const ROUNDS_MAX = 64;

/**
 * A log in another log directory, as it becomes while the original serves.
 *
 * Its files carry the epoch of the leader that copies, and numbers that this one uses for nothing else: nobody else ever
 * writes or removes a file of the same name. While no seal names them they count for nothing, which `<epoch>.arriving`
 * says to whoever sweeps the directory.
 */
export class LogCopy {
  readonly #log: OpenLog;
  readonly #files: DurableFiles;
  readonly #directory: string;
  readonly #pace: Pace;
  readonly #segments = new Map<string, SegmentCopy>();

  private constructor(log: OpenLog, directory: string, pace: Pace) {
    const { fileSystem, random } = log.core.environment;
    this.#log = log;
    this.#files = { fileSystem, random };
    this.#directory = directory;
    this.#pace = pace;
  }

  static async begin(log: OpenLog, target: LogVolume, pace: Pace): Promise<LogCopy> {
    const { id, environment, epoch } = log.core;
    const { broker, incarnation, fileSystem } = environment;
    await target.prepare(id);
    await ensureDirectory(fileSystem, `${target.path}/${id.topic}`, String(id.partition));
    const directory = partitionDirectory(target, id);
    const arriving = encodeDocument("arriving", { epoch, broker, incarnation });
    await claimFile(environment, directory, epochFileName(epoch, "arriving"), arriving);
    return new LogCopy(log, directory, pace);
  }

  /** Copies until little is missing. The log serves meanwhile: segments are added and go. */
  async catchUp(): Promise<void> {
    for (let round = 1; ; round++) {
      const spent: Spent =
        round <= PACED_ROUNDS_MAX ? (bytes) => this.#pace.spent(bytes) : async () => this.#pace.check();
      for (const segment of [...this.#core.segments]) await this.#follow(segment, spent);
      await this.#forgetRemoved();
      if (this.#missingBytes() <= REST_BYTES_MAX || round === ROUNDS_MAX) break;
    }
    await this.#files.fileSystem.syncDirectory(this.#directory);
  }

  /**
   * Copies what is left of a log that takes nothing more, durably; resolves with the same state in terms of the copy.
   */
  async finish(state: LogState): Promise<LogState> {
    // Nobody can append meanwhile: what can wait for the disk together does.
    const [segments, snapshot] = await Promise.all([
      this.#finishSegments(state.segments),
      this.#copySnapshot(state.producers.snapshot),
    ]);
    await this.#files.fileSystem.syncDirectory(this.#directory);
    return { ...state, segments, producers: { ...state.producers, snapshot } };
  }

  async #finishSegments(records: readonly SegmentRecord[]): Promise<SegmentRecord[]> {
    const unhindered: Spent = async () => undefined;
    const { epoch } = this.#core;
    const segments: SegmentRecord[] = [];
    for (const record of records) {
      const copy = this.#copyOf(Segment.of(this.#core.directory, record));
      await copy.advance(record.sizeBytes, unhindered);
      await copy.complete();
      segments.push({ ...record, epoch, generation: copy.target.generation });
    }
    return segments;
  }

  /** Lets go of what is open. */
  async close(): Promise<void> {
    for (const copy of this.#segments.values()) await copy.close();
  }

  /** Removes all that was copied, and what says that something is coming. */
  async discard(): Promise<void> {
    for (const copy of this.#segments.values()) await copy.discard();
    const { fileSystem } = this.#files;
    await removeFile(fileSystem, `${this.#directory}/${epochFileName(this.#core.epoch, "arriving")}`);
  }

  get #core(): LogCore {
    return this.#log.core;
  }

  async #follow(segment: Segment, spent: Spent): Promise<void> {
    const core = this.#core;
    try {
      const copy = this.#copyOf(segment);
      await copy.advance(core.visibleBytesOf(segment), spent);
      const isWhole = copy.copiedBytes === segment.sizeBytes;
      if (isWhole && this.#log.maintenance.isFinished(segment)) await copy.complete();
    } catch (error) {
      // Retention or compaction may have taken it away.
      if (error instanceof CleaningStopped || core.segments.includes(segment)) throw error;
    }
  }

  #copyOf(source: Segment): SegmentCopy {
    const { epoch, baseOffset, generation } = source;
    const key = segmentFileName(epoch, baseOffset, generation, "log");
    let copy = this.#segments.get(key);
    if (copy === undefined) {
      const number = this.#core.nextGeneration();
      const target = new Segment(this.#directory, this.#core.epoch, baseOffset, source.lastAppendMs, number);
      copy = new SegmentCopy(this.#files, source, target);
      this.#segments.set(key, copy);
    }
    return copy;
  }

  async #forgetRemoved(): Promise<void> {
    for (const [key, copy] of this.#segments) {
      if (this.#core.segments.includes(copy.source)) continue;
      this.#segments.delete(key);
      await copy.discard();
    }
  }

  #missingBytes(): number {
    const core = this.#core;
    const copied = new Map([...this.#segments.values()].map((copy) => [copy.source, copy.copiedBytes]));
    let missing = 0;
    for (const segment of core.segments) missing += core.visibleBytesOf(segment) - (copied.get(segment) ?? 0);
    return missing;
  }

  async #copySnapshot(name: string | null): Promise<string | null> {
    const file = name === null ? undefined : parsePartitionFile(name);
    if (name === null || file === undefined) return null;
    const content = await this.#files.fileSystem.readFile(`${this.#core.directory}/${name}`);
    const copied = offsetFileName(this.#core.epoch, file.number, "snapshot");
    if (!(await claimFile(this.#files, this.#directory, copied, content))) {
      throw new Error(`${this.#directory} has a ${copied} that is not ours`);
    }
    return copied;
  }
}
