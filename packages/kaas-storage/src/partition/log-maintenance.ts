import { ErrorCode, KaasError } from "@kaas/core";
import type { LogState } from "../documents/document-types.js";
import { encodeDocument } from "../documents/documents.js";
import { claimFile, replaceHint } from "../documents/durable-files.js";
import { removeFile } from "../file-system/file-system.js";
import { AbortedIndex } from "./aborted-index.js";
import type { ActiveSegment } from "./active-segment.js";
import type { Committer } from "./committer.js";
import { epochFileName } from "../leadership/epoch-names.js";
import {
  MANIFEST_COPY_NAME,
  manifestName,
  offsetFileName,
  SEGMENT_FILE_KINDS,
  SNAPSHOT_COPY_NAME,
} from "./file-names.js";
import type { LogCore } from "./log-core.js";
import type { LogTasks } from "./log-tasks.js";
import { expiredSegments, segmentsBelowStart } from "./retention.js";
import type { Segment } from "./segment.js";
import { saveAbortedIndex, writeIndexes } from "./segment-indexes.js";

/** Producers at an offset; without content where they are as they were saved before. */
interface CapturedProducers {
  readonly number: number;
  readonly offset: number;
  readonly content: Buffer | undefined;
}

/**
 * Closing segments, snapshots, manifests, removal. A destructive step is taken only after a durable manifest says so.
 */
export class LogMaintenance {
  readonly #core: LogCore;
  readonly #committer: Committer;
  readonly #tasks: LogTasks;
  readonly #failed: (error: unknown) => void;
  #manifestNumber = -1;
  /** Segments that the newest manifest declares obsolete, and whose files are still there. */
  readonly #obsolete = new Set<Segment>();
  /** Segments that take nothing more, and are not closed yet. */
  readonly #closing = new Set<ActiveSegment>();
  /** Closed segments whose data is fsynced and whose indexes are written. */
  readonly #finished: Set<Segment>;
  #obsoleteSnapshot: string | undefined;
  /** How often producers were captured, and the last capture that was saved. */
  #captures = 0;
  #savedCaptures = 0;

  /** `failed` is told when what was written cannot be trusted any more. */
  constructor(core: LogCore, committer: Committer, tasks: LogTasks, failed: (error: unknown) => void) {
    this.#core = core;
    this.#committer = committer;
    this.#tasks = tasks;
    this.#failed = failed;
    this.#finished = new Set(core.segments);
  }

  /** Once no task runs any more: closes what waited for its turn. */
  async close(): Promise<void> {
    for (const active of this.#closing) {
      await active.closeForWriting();
      await active.access.release();
    }
    this.#closing.clear();
    // Readers may have opened what waits to be removed.
    for (const segment of this.#obsolete) await this.#core.environment.segmentCache.evict(segment);
  }

  segmentClosed(active: ActiveSegment, isSynced: boolean): void {
    active.indexes.finish();
    this.#core.aborted.close(active.segment);
    this.#closing.add(active);
    const producers = this.#captureProducers();
    this.#tasks.runInBackground("closing a segment", async () => {
      await this.#finishSegment(active, isSynced);
      await this.#saveProducers(producers);
      await this.#writeManifest(this.#core.logStartOffset, this.#core.segments);
    });
  }

  /** Removes what retention allows to go. */
  async enforceRetention(): Promise<void> {
    const core = this.#core;
    const { active } = core;
    const now = core.environment.clock.now();
    if (active !== undefined && expiredSegments(core, now).includes(active.segment)) await this.#committer.roll();
    await this.#tasks.run(() => this.#remove(expiredSegments(core, now)));
  }

  /** Moves the log start. */
  async deleteRecords(offset: number): Promise<{ readonly errorCode: ErrorCode; readonly lowWatermark: number }> {
    const moved = await this.#tasks.run(async () => {
      const core = this.#core;
      const target = offset === -1 ? core.highWatermark : offset;
      if (target < 0 || target > core.highWatermark)
        return { errorCode: ErrorCode.OFFSET_OUT_OF_RANGE, lowWatermark: -1 };
      if (target > core.logStartOffset) await this.#advanceStart(target, []);
      return { errorCode: ErrorCode.NONE, lowWatermark: core.logStartOffset };
    });
    if (moved === undefined) return { errorCode: this.#core.health, lowWatermark: -1 };
    if (moved.errorCode === ErrorCode.NONE) {
      this.#tasks.runInBackground("removing deleted records", () => this.#remove(segmentsBelowStart(this.#core)));
    }
    return moved;
  }

  /**
   * Hands the log over: brings everything to the disk that the next leader would otherwise have to find out. Nothing
   * may be in flight. Resolves with what the next leader is told; undefined when nothing could be.
   */
  async release(): Promise<LogState | undefined> {
    return this.#tasks.run(async () => {
      const core = this.#core;
      if (this.#committer.hasUnsynced) await this.#committer.flush();
      if (core.active !== undefined) {
        core.active.indexes.finish();
        core.aborted.close(core.active.segment);
        await this.#finishSegment(core.active, true);
        core.active = undefined;
      }
      // Of those that could not be closed, the next leader would not learn: it scans nothing.
      for (const unfinished of this.#closing) await this.#finishSegment(unfinished, true);
      await this.#saveProducers(this.#captureProducers());
      const state = this.#state(core.logStartOffset, core.segments);
      const content = encodeDocument("released", { epoch: core.epoch, ...state });
      const name = epochFileName(core.epoch, "released");
      return (await claimFile(core.environment, core.directory, name, content)) ? state : undefined;
    });
  }

  /** Whether a segment is closed, durable, and has its indexes. */
  isFinished(segment: Segment): boolean {
    return this.#finished.has(segment);
  }

  /**
   * Puts segments that compaction wrote in the place of those that it read. False, and nothing has happened, when one
   * of those is no longer in force. After a failure a manifest may name the new ones all the same: their files stay.
   */
  async replaceSegments(replaced: readonly Segment[], cleaned: readonly Segment[]): Promise<boolean> {
    return (await this.#tasks.run(() => this.#replaceSegments(replaced, cleaned))) ?? false;
  }

  async #replaceSegments(replaced: readonly Segment[], cleaned: readonly Segment[]): Promise<boolean> {
    const core = this.#core;
    const { fileSystem } = core.environment;
    const at = core.segments.indexOf(replaced[0] as Segment);
    if (at < 0 || replaced.some((segment, index) => core.segments[at + index] !== segment)) return false;
    if (!(await this.#producersKnownUpTo((replaced.at(-1) as Segment).nextOffset))) return false;
    // A manifest must not be durable before the names in it are.
    await fileSystem.syncDirectory(core.directory);
    for (const segment of cleaned) this.#finished.add(segment);
    for (const segment of replaced) this.#obsolete.add(segment);
    try {
      await this.#writeManifest(core.logStartOffset, core.segments.toSpliced(at, replaced.length, ...cleaned));
    } catch (error) {
      for (const segment of cleaned) this.#finished.delete(segment);
      for (const segment of replaced) this.#obsolete.delete(segment);
      throw error;
    }
    core.segments.splice(at, replaced.length, ...cleaned);
    // What was removed must not be read from memory: of an aborted transaction nobody may know any more.
    core.tail.dropBelow((replaced.at(-1) as Segment).nextOffset);
    this.#unlinkLater(replaced);
    return true;
  }

  async #finishSegment(active: ActiveSegment, isSynced: boolean): Promise<void> {
    const { segment } = active;
    const { environment, directory } = this.#core;
    try {
      await this.#closeFile(active, isSynced);
    } catch (error) {
      // What fails here speaks of what was written before: it is not known to be on the disk.
      this.#failed(error);
      throw error;
    }
    await writeIndexes(environment, directory, active.indexes, segment);
    active.access.aborted = segment.unsavedAborted ?? new AbortedIndex(0);
    await saveAbortedIndex(environment, directory, segment);
    this.#closing.delete(active);
    if (this.#core.segments.includes(segment)) environment.segmentCache.put(segment, active.access);
    else await active.access.release();
    this.#finished.add(segment);
  }

  async #closeFile(active: ActiveSegment, isSynced: boolean): Promise<void> {
    const { syncSlots, fuse } = this.#core.environment;
    if (!isSynced) await syncSlots.with(() => active.handle(0).dataSync());
    await active.preallocation?.stop();
    if (active.preallocation?.hasPadding === true) {
      await fuse.confirm();
      await active.handle(0).truncate(active.segment.sizeBytes);
    }
    await active.closeForWriting();
  }

  /** Producers as they are now. They may be ahead of what is durable, and are saved once that has caught up. */
  #captureProducers(): CapturedProducers {
    const core = this.#core;
    const offset = core.logEndOffset;
    const number = this.#captures;
    // What was captured and not saved, or not yet, is to be saved with what comes after it.
    if (!core.hasUnsavedProducers && this.#savedCaptures === number) return { number, offset, content: undefined };
    core.hasUnsavedProducers = false;
    this.#captures++;
    const producers = core.producers.records();
    const aborted = core.aborted.live
      .entries()
      .map((one) => [one.producerId, one.firstOffset, one.lastOffset, one.lastStableOffset] as const);
    const content = encodeDocument("producer-snapshot", { offset, producers, aborted });
    return { number: this.#captures, offset, content };
  }

  async #saveProducers({ number, offset, content }: CapturedProducers): Promise<void> {
    const core = this.#core;
    const { environment, directory, epoch } = core;
    if (content === undefined) {
      core.savedProducers = { offset, snapshot: core.savedProducers.snapshot };
      return;
    }
    if ((await this.#committer.whenVisible(offset)) !== ErrorCode.NONE) return;
    const snapshot = offsetFileName(epoch, offset, "snapshot");
    await claimFile(environment, directory, snapshot, content);
    await replaceHint(environment, directory, SNAPSHOT_COPY_NAME, content);
    this.#obsoleteSnapshot ??= core.savedProducers.snapshot ?? undefined;
    core.savedProducers = { offset, snapshot };
    this.#savedCaptures = number;
  }

  #state(logStartOffset: number, segments: readonly Segment[]): LogState {
    const core = this.#core;
    const unfinished = core.segments.find((segment) => !this.#finished.has(segment));
    const endOffset = unfinished?.baseOffset ?? core.highWatermark;
    return {
      logStartOffset,
      endOffset,
      // Closing one may have failed while those behind it were closed. Recovery reads all of them, from there on.
      segments: segments
        .filter((segment) => this.#finished.has(segment) && segment.nextOffset <= endOffset)
        .map((segment) => segment.record()),
      epochs: core.epochs.entries(),
      producers: core.savedProducers,
      cleanedOffset: core.cleanedOffset > 0 ? core.cleanedOffset : undefined,
    };
  }

  async #writeManifest(logStartOffset: number, segments: readonly Segment[]): Promise<void> {
    const { environment, directory, epoch } = this.#core;
    const before = this.#manifestNumber;
    const number = before + 1;
    // Nobody knows what becomes of a claim that fails: its name is used up.
    this.#manifestNumber = number;
    const obsolete = Array.from(this.#obsolete, (segment) => {
      const { epoch: writtenAt, baseOffset, generation } = segment.record();
      return { epoch: writtenAt, baseOffset, generation };
    });
    const content = encodeDocument("manifest", { epoch, number, obsolete, ...this.#state(logStartOffset, segments) });
    const name = manifestName(epoch, number);
    if (!(await claimFile(environment, directory, name, content))) {
      throw new KaasError("KAAS_STORAGE_FAILED", `${directory} has a manifest ${name} that is not ours`);
    }
    // From here on it is acted upon: the log start moves, segments go, and so does the manifest before this one.
    await environment.fuse.confirm();
    await replaceHint(environment, directory, MANIFEST_COPY_NAME, content);
    if (number > 0) await removeFile(environment.fileSystem, `${directory}/${manifestName(epoch, before)}`);
    await this.#removeObsoleteSnapshot();
  }

  /** A durable manifest names a newer one. */
  async #removeObsoleteSnapshot(): Promise<void> {
    const { environment, directory, savedProducers } = this.#core;
    const name = this.#obsoleteSnapshot;
    this.#obsoleteSnapshot = undefined;
    if (name === undefined || name === savedProducers.snapshot) return;
    await removeFile(environment.fileSystem, `${directory}/${name}`);
  }

  /** Removes segments from the oldest on, as far as they are closed for good. */
  async #remove(segments: readonly Segment[]): Promise<void> {
    const unfinished = segments.findIndex((segment) => !this.#finished.has(segment));
    const removed = unfinished < 0 ? segments : segments.slice(0, unfinished);
    const last = removed.at(-1);
    if (last === undefined) return;
    const core = this.#core;
    if (!(await this.#producersKnownUpTo(last.nextOffset))) return;
    await this.#advanceStart(Math.max(core.logStartOffset, last.nextOffset), removed);
  }

  /**
   * What is known of producers must not go with their batches, also not with those that compaction leaves out: it has to
   * be saved before. False when the log has stopped meanwhile.
   */
  async #producersKnownUpTo(offset: number): Promise<boolean> {
    const core = this.#core;
    if (offset > core.savedProducers.offset) await this.#saveProducers(this.#captureProducers());
    return offset <= core.savedProducers.offset;
  }

  /** Durable first, then in memory, then on disk. */
  async #advanceStart(logStartOffset: number, removed: readonly Segment[]): Promise<void> {
    const core = this.#core;
    for (const segment of removed) this.#obsolete.add(segment);
    try {
      await this.#writeManifest(
        logStartOffset,
        core.segments.filter((segment) => !this.#obsolete.has(segment)),
      );
    } catch (error) {
      for (const segment of removed) this.#obsolete.delete(segment);
      throw error;
    }
    core.segments.splice(0, removed.length);
    core.logStartOffset = logStartOffset;
    core.epochs.truncateBefore(logStartOffset);
    core.advanced();
    if (removed.length > 0) this.#unlinkLater(removed);
  }

  /** A durable manifest says that the segments are obsolete. Readers may still be at them. */
  #unlinkLater(segments: readonly Segment[]): void {
    const { environment, config } = this.#core;
    environment.clock.schedule(config.fileDeleteDelayMs, () => {
      this.#tasks.runInBackground("removing a segment", () => this.#unlink(segments));
    });
  }

  async #unlink(segments: readonly Segment[]): Promise<void> {
    const { fileSystem, segmentCache, fuse } = this.#core.environment;
    await fuse.confirm();
    for (const segment of segments) {
      await segmentCache.evict(segment);
      for (const kind of SEGMENT_FILE_KINDS) await removeFile(fileSystem, segment.path(kind));
      // Somebody may have opened it once more in between.
      await segmentCache.evict(segment);
      this.#obsolete.delete(segment);
      this.#finished.delete(segment);
    }
  }
}
