import { type Clock, KaasError } from "@kaas/core";
import type { DurableFiles } from "../documents/durable-files.js";
import { claimFile } from "../documents/durable-files.js";
import type { FileHandle } from "../file-system/file-system.js";
import { SyncBudget } from "../file-system/sync-budget.js";
import { FUSE_BYTES, fuseName, type Incarnation, liveContent } from "./fuse-file.js";

/** What is chained to it runs as the next microtask. */
const SOON = Promise.resolve();

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
  readonly #budget = new SyncBudget();
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
    this.#next ??= this.#reading === undefined ? SOON.then(this.#issue) : this.#reading.then(this.#issue, this.#issue);
    return this.#next;
  }

  async close(): Promise<void> {
    this.#blow(new KaasError("KAAS_CLOSED", "the volume is closed"), false);
    await this.#reading?.catch(() => undefined);
    await this.#handle.close();
  }

  /**
   * A buffered read is in memory within microseconds, unless the disk is stalled. All that has asked in this turn of the
   * event loop, or while a read was under way, shares this one.
   */
  readonly #issue = (): void | Promise<void> => {
    this.#reading = this.#next;
    this.#next = undefined;
    if (this.#blown === undefined && (this.#options.isShared || this.#budget.takeAsync())) return this.#readAsync();
    try {
      this.#readSync();
    } finally {
      this.#reading = undefined;
    }
  };

  #readSync(): void {
    if (this.#blown !== undefined) throw this.#blown;
    const { clock } = this.#options;
    const issuedMs = clock.monotonic();
    let count: number;
    try {
      count = this.#handle.readSync(this.#content, 0);
    } catch (error) {
      throw this.#unreadable(error);
    }
    this.#budget.took(clock.monotonic() - issuedMs);
    this.#judge(count, issuedMs);
  }

  async #readAsync(): Promise<void> {
    const issuedMs = this.#options.clock.monotonic();
    try {
      this.#judge(await this.#handle.read(this.#content, 0), issuedMs);
    } catch (error) {
      throw this.#blown ?? this.#unreadable(error);
    } finally {
      this.#reading = undefined;
    }
  }

  #judge(count: number, issuedMs: number): void {
    if (count !== FUSE_BYTES || !this.#content.equals(this.#live)) throw this.#fence("its fuse is blown", undefined);
    this.#confirmedMs = issuedMs;
  }

  /** A stale handle, or a file that is not to be read: whether it says LIVE is not known. */
  #unreadable(cause: unknown): KaasError {
    return this.#fence("its fuse cannot be read", cause);
  }

  #fence(reason: string, cause: unknown): KaasError {
    const { broker, incarnation } = this.incarnation;
    const message = `${broker} (${incarnation}) no longer leads anything: ${reason}`;
    return this.#blow(new KaasError("KAAS_FENCED", message, { cause }), true);
  }

  #blow(error: KaasError, tells: boolean): KaasError {
    this.#blown ??= error;
    if (tells) this.#tellFenced(error);
    return this.#blown;
  }
}
