import { type Clock, KaasError } from "@kaas/core";
import type { DurableFiles } from "../documents/durable-files.js";
import { claimFile } from "../documents/durable-files.js";
import type { FileHandle } from "../file-system/file-system.js";
import { FUSE_BYTES, fuseName, type Incarnation, liveContent } from "./fuse-file.js";

/** A synchronous read that takes longer shows a stalled disk; the event loop must not wait for it again. */
const READ_BUDGET_MS = 2;
const ASYNC_READS = 64;

export interface FuseOptions {
  readonly files: DurableFiles;
  readonly clock: Clock;
  /** The directory of the broker's incarnations. */
  readonly directory: string;
  readonly incarnation: Incarnation;
  /** Whether other machines may blow it: every read then has to ask the file server. */
  readonly isShared: boolean;
}

/**
 * The fuse of this process: the one thing to be read between making something durable and acting upon it.
 *
 * ```
 * durable ─▶ confirm() ─▶ act: acknowledge, advance the high watermark, unlink
 * ```
 *
 * A take-over blows the fuse before it measures what is there. So what was durable before a read that found LIVE is
 * measured, and what is acknowledged after such a read is never lost. No clock is in it.
 */
export class Fuse {
  readonly incarnation: Incarnation;
  /** Resolves once the fuse has been found blown. Nothing is acknowledged after that. */
  readonly fenced: Promise<KaasError>;
  readonly #options: FuseOptions;
  readonly #handle: FileHandle;
  readonly #live: Buffer;
  readonly #content: Buffer = Buffer.alloc(FUSE_BYTES);
  #tellFenced: (error: KaasError) => void = () => undefined;
  #blown: KaasError | undefined;
  /** The read under way. Whoever comes now waits for the next one. */
  #reading: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #asyncReads = 0;
  #confirmedMs: number;

  private constructor(options: FuseOptions, handle: FileHandle) {
    this.#options = options;
    this.#handle = handle;
    this.incarnation = options.incarnation;
    this.#live = liveContent(options.incarnation);
    this.#confirmedMs = options.clock.monotonic();
    this.fenced = new Promise((resolve) => {
      this.#tellFenced = resolve;
    });
  }

  /** Makes the fuse, durably, and holds it open. */
  static async create(options: FuseOptions): Promise<Fuse> {
    const { files, directory, incarnation, isShared } = options;
    const name = fuseName(incarnation.incarnation);
    if (!(await claimFile(files, directory, name, liveContent(incarnation)))) {
      throw new KaasError("KAAS_STORAGE_FAILED", `${directory}/${name} is there already: incarnations are not random`);
    }
    return new Fuse(options, await files.fileSystem.open(`${directory}/${name}`, isShared ? "uncached" : "read"));
  }

  /** Milliseconds since a read that found it live was issued. */
  get ageMs(): number {
    return this.#options.clock.monotonic() - this.#confirmedMs;
  }

  /** Why nothing may be acted upon any more, once that is known. */
  get blown(): KaasError | undefined {
    return this.#blown;
  }

  /**
   * Reads the fuse, in a read issued after this call. Resolves if it says LIVE, rejects with `KAAS_FENCED` if not. One
   * read serves all that called before it was issued.
   */
  confirm(): Promise<void> {
    if (this.#blown !== undefined) return Promise.reject(this.#blown);
    this.#next ??= this.#afterCurrent();
    return this.#next;
  }

  async close(): Promise<void> {
    this.#blow(new KaasError("KAAS_CLOSED", "the volume is closed"), false);
    await this.#reading?.catch(() => undefined);
    await this.#handle.close();
  }

  /** All that asks in this turn of the event loop, or while a read is under way, shares one read. */
  async #afterCurrent(): Promise<void> {
    await this.#reading?.catch(() => undefined);
    this.#reading = this.#next;
    this.#next = undefined;
    try {
      if (this.#blown !== undefined) throw this.#blown;
      await this.#read();
    } finally {
      this.#reading = undefined;
    }
  }

  async #read(): Promise<void> {
    let cause: unknown;
    const issuedMs = this.#options.clock.monotonic();
    try {
      const count = await this.#readContent();
      if (count === FUSE_BYTES && this.#content.equals(this.#live)) {
        this.#confirmedMs = issuedMs;
        return;
      }
      cause = undefined;
    } catch (error) {
      cause = error; // a stale handle, or a file that is not to be read: whether it says LIVE is not known
    }
    const { broker, incarnation } = this.incarnation;
    const reason = cause === undefined ? "its fuse is blown" : "its fuse cannot be read";
    const message = `${broker} (${incarnation}) no longer leads anything: ${reason}`;
    throw this.#blow(new KaasError("KAAS_FENCED", message, { cause }), true);
  }

  /** A buffered read is in memory within microseconds, unless the disk is stalled. */
  async #readContent(): Promise<number> {
    const { clock, isShared } = this.#options;
    if (isShared) return this.#handle.read(this.#content, 0);
    if (this.#asyncReads > 0) {
      this.#asyncReads--;
      return this.#handle.read(this.#content, 0);
    }
    const before = clock.monotonic();
    const count = this.#handle.readSync(this.#content, 0);
    if (clock.monotonic() - before > READ_BUDGET_MS) this.#asyncReads = ASYNC_READS;
    return count;
  }

  #blow(error: KaasError, tells: boolean): KaasError {
    this.#blown ??= error;
    if (tells) this.#tellFenced(error);
    return this.#blown;
  }
}
