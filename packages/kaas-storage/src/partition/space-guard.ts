import type { Clock, Log, Timer } from "@kaas/core";
import type { FileSystem, SpaceStatus } from "../file-system/file-system.js";

const CHECK_INTERVAL_MS = 5_000;

export interface SpaceGuardOptions {
  readonly fileSystem: FileSystem;
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Below so much free space nothing is appended: a full volume fails fsyncs, and takes offset commits with it. */
  readonly usableBytesMin: number;
}

/** Watches the free space of a volume, more closely the more is appended. */
export class SpaceGuard {
  readonly #options: SpaceGuardOptions;
  #timer: Timer | undefined;
  #isLow = false;
  #isChecking = false;
  #isClosed = false;
  #bytesSinceCheck = 0;

  constructor(options: SpaceGuardOptions) {
    this.#options = options;
  }

  /** Whether appends are refused. */
  get isLow(): boolean {
    return this.#isLow;
  }

  async start(): Promise<void> {
    await this.check();
    this.#scheduleNext();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  /** To be told of every append. */
  noteAppend(bytes: number): void {
    this.#bytesSinceCheck += bytes;
    if (this.#bytesSinceCheck > this.#options.usableBytesMin / 4 && !this.#isChecking) void this.check();
  }

  async check(): Promise<void> {
    this.#isChecking = true;
    this.#bytesSinceCheck = 0;
    const { fileSystem, directory, log } = this.#options;
    try {
      this.#judge(await fileSystem.space(directory));
    } catch (error) {
      log.warn({ directory, err: error }, "the free space of the volume could not be read");
    } finally {
      this.#isChecking = false;
    }
  }

  #judge({ usableBytes }: SpaceStatus): void {
    const { directory, log, usableBytesMin } = this.#options;
    const isLow = usableBytes >= 0 && usableBytes < usableBytesMin;
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    const fields = { directory, usableBytes, usableBytesMin };
    if (isLow) log.error(fields, "the volume is almost full: produce requests are refused until space is freed");
    else log.info(fields, "the volume has space again: produce requests are accepted");
  }

  #scheduleNext(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.schedule(CHECK_INTERVAL_MS, () => {
      void this.check().then(() => this.#scheduleNext());
    });
  }
}
