import { ErrorCode } from "@kaas/core";
import { AbortedIndex, type AbortedRange } from "./aborted-index.js";
import type { LogCore } from "./log-core.js";
import { ProducerReplay, replaySegment } from "./producer-replay.js";
import { type Segment, segmentIndexFor } from "./segment.js";
import { readAbortedIndex, saveAbortedIndex } from "./segment-indexes.js";

/** A search for aborted transactions that has come to `position`. */
interface Search {
  readonly to: number;
  position: number;
  readonly found: AbortedRange[];
}

/**
 * The aborted transactions of a log, by the offsets they cover. A closed segment has an index of those that ended in
 * it; what has ended since is kept in memory.
 */
export class AbortedTransactions {
  readonly #core: LogCore;
  readonly #live = new AbortedIndex();
  #rebuilding: Promise<void> | undefined;

  constructor(core: LogCore) {
    this.#core = core;
  }

  /** Those that ended in no closed segment yet. */
  get live(): AbortedIndex {
    return this.#live;
  }

  /** Takes note of an abort marker that is on its way into the log. */
  note(aborted: AbortedRange): void {
    this.#live.append(aborted);
  }

  /** The segment takes nothing more: what ended in it is its own from now on. */
  close(segment: Segment): void {
    segment.describeAborted(this.#live.takeBelow(segment.nextOffset));
  }

  /**
   * Those that have records in `[from, to)`, ascending by first offset. `to` is at most the last stable offset: beyond
   * it there may be more that have not ended yet. At once where the indexes are in memory.
   */
  between(from: number, to: number): readonly AbortedRange[] | Promise<readonly AbortedRange[]> {
    return this.#search({ to, position: from, found: [] });
  }

  #search(search: Search): readonly AbortedRange[] | Promise<readonly AbortedRange[]> {
    const { segmentCache } = this.#core.environment;
    for (let segment = this.#next(search.position); segment !== undefined; segment = this.#next(search.position)) {
      const index = segment.unsavedAborted ?? segmentCache.peek(segment)?.aborted;
      if (index === undefined) return this.#searchUnloaded(segment, search);
      if (advance(search, segment, index)) return byFirstOffset(search.found);
    }
    this.#live.collect(search.position, search.to, search.found);
    return byFirstOffset(search.found);
  }

  async #searchUnloaded(segment: Segment, search: Search): Promise<readonly AbortedRange[]> {
    const index = await this.#load(segment);
    return advance(search, segment, index) ? byFirstOffset(search.found) : this.#search(search);
  }

  /** The first closed segment that has aborted transactions, and does not end before the position. */
  #next(position: number): Segment | undefined {
    const { segments, active } = this.#core;
    for (let at = Math.max(0, segmentIndexFor(segments, position)); at < segments.length; at++) {
      const segment = segments[at] as Segment;
      if (segment === active?.segment) return undefined;
      if (segment.abortedEntries !== 0 && segment.nextOffset > position) return segment;
    }
    return undefined;
  }

  async #load(segment: Segment): Promise<AbortedIndex> {
    const { environment, config } = this.#core;
    const access = await environment.segmentCache.acquire(segment, config.indexIntervalBytes);
    try {
      access.aborted ??= await readAbortedIndex(environment.fileSystem, segment);
      if (access.aborted !== undefined) return access.aborted;
      this.#rebuilding ??= this.#rebuild().finally(() => {
        this.#rebuilding = undefined;
      });
      await this.#rebuilding;
      access.aborted = segment.unsavedAborted ?? (await readAbortedIndex(environment.fileSystem, segment));
      if (access.aborted === undefined) throw new Error(`${segment.path("txnindex")} could not be made anew`);
      return access.aborted;
    } finally {
      await access.release();
    }
  }

  /**
   * Makes the indexes anew that are missing or wrong. A transaction may have begun in any segment before the one that it
   * ended in, so all of them are read; that is why these indexes, unlike others, are fsynced when they are written.
   */
  async #rebuild(): Promise<void> {
    const { environment, segments, active, id } = this.#core;
    const replay = new ProducerReplay(environment.clock.now());
    for (const segment of segments.filter((one) => one !== active?.segment)) {
      await replaySegment(environment, segment, replay);
      if (segment.abortedEntries === 0 || segment.unsavedAborted !== undefined) continue;
      if ((await readAbortedIndex(environment.fileSystem, segment)) !== undefined) continue;
      segment.describeAborted(replay.aborted.within(segment.baseOffset, segment.nextOffset));
      const fields = { topic: id.topic, partition: id.partition, file: segment.path("txnindex") };
      environment.log.warn(fields, "an index of aborted transactions was missing or wrong; it has been made anew");
      await this.#save(segment);
    }
  }

  /** The index is in memory, and right; if it cannot be written now, it stays there. */
  async #save(segment: Segment): Promise<void> {
    const { environment, directory, health } = this.#core;
    if (health !== ErrorCode.NONE) return;
    try {
      await saveAbortedIndex(environment, directory, segment);
    } catch (error) {
      environment.log.warn({ file: segment.path("txnindex"), err: error }, "an index could not be written");
    }
  }
}

/** Whether nothing behind the segment can matter. */
function advance(search: Search, segment: Segment, index: AbortedIndex): boolean {
  const isComplete = index.collect(search.position, search.to, search.found);
  search.position = segment.nextOffset;
  return isComplete;
}

function byFirstOffset(found: AbortedRange[]): readonly AbortedRange[] {
  return found.length < 2 ? found : found.sort((a, b) => a.firstOffset - b.firstOffset);
}
