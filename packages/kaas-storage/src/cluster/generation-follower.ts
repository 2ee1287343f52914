import type { Clock, Log, Timer } from "@kaas/core";
import type { DocumentTypes } from "../documents/document-types.js";
import { type GenerationFile, generationFileName, type GenerationKind } from "./generation-file.js";

/** How often the file is looked at. */
const POLL_INTERVAL_MS = 1_000;
/** How long a login waits for a volume that does not answer, before what was read last has to do. */
const REFRESH_MS_MAX = 1_000;

export interface GenerationFollowerOptions<Kind extends GenerationKind> {
  readonly file: GenerationFile<Kind>;
  readonly clock: Clock;
  readonly log: Log;
  /** Takes over what is in force from now on. */
  readonly adopt: (document: DocumentTypes[Kind]) => void;
}

/**
 * Follows a document that others write.
 *
 * What was read once stays in force for as long as nothing newer and valid is there: a file that is gone, broken or of a
 * lower generation changes nothing, and is named in the log.
 */
export class GenerationFollower<Kind extends GenerationKind> {
  readonly #options: GenerationFollowerOptions<Kind>;
  readonly #name: string;
  readonly #listeners = new Set<() => void>();
  #generation = 0;
  #bytes: Buffer | undefined;
  /** What was last said to be wrong. */
  #complaint = "";
  #poll: Timer | undefined;
  /** The look that is under way, or was last. */
  #looking: Promise<void> = Promise.resolve();
  /** The one after it: of all who asked since it began. */
  #next: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: GenerationFollowerOptions<Kind>) {
    this.#options = options;
    this.#name = generationFileName(options.file.kind);
  }

  /** Reads what is there, and follows it from then on. Rejects with `KAAS_VOLUME_INVALID` when it cannot be used. */
  async start(): Promise<void> {
    await this.#look();
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    this.#poll?.cancel();
  }

  /** Of what is in force; 0 while nothing is. */
  get generation(): number {
    return this.#generation;
  }

  /** Calls back after anything has changed. Returns a function that takes it back. */
  onChange(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /** What this process has written itself is in force without being read, unless something newer is. */
  adoptOwn(written: DocumentTypes[Kind]): void {
    if (written.generation > this.#generation) this.#adopt(written);
  }

  /**
   * Looks at the file now: what was durable before the call is in force when it resolves, unless the volume does not
   * answer within a second. Never rejects. However many ask, one look is under way, and one to come.
   */
  refresh(): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const timer = clock.schedule(REFRESH_MS_MAX, resolve);
      void this.#lookAgain().then(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  #schedule(): void {
    this.#poll = this.#options.clock.schedule(POLL_INTERVAL_MS, () => {
      void this.#lookAgain().then(() => {
        if (!this.#isClosed) this.#schedule();
      });
    });
  }

  /** Looks, once the look under way has ended; what cannot be used is told to the log. */
  #lookAgain(): Promise<void> {
    this.#next ??= this.#looking.then(() => {
      this.#next = undefined;
      this.#looking = this.#look().then(
        () => this.#complainOnce(""),
        (error: unknown) =>
          this.#complainOnce(`${this.#name} cannot be used; what it said before stays in force`, error),
      );
      return this.#looking;
    });
    return this.#next;
  }

  async #look(): Promise<void> {
    const { file, log } = this.#options;
    const known = this.#generation; // a change of our own may come in between
    const bytes = await file.readBytes();
    if (this.#isClosed || isSame(bytes, this.#bytes)) return;
    if (bytes === undefined) throw new Error(`${file.path} is gone`);
    const document = await file.decode(bytes);
    this.#bytes = bytes;
    const { generation } = document;
    if (generation >= this.#generation) {
      this.#adopt(document);
    } else if (generation < known) {
      const fields = { path: file.path, generation, generationInForce: known };
      log.warn(fields, `${this.#name} has a lower generation than before and is ignored`);
    }
  }

  #adopt(document: DocumentTypes[Kind]): void {
    this.#generation = document.generation;
    this.#options.adopt(document);
    for (const listener of this.#listeners) listener();
  }

  #complainOnce(message: string, error?: unknown): void {
    const { file, log } = this.#options;
    const complaint = `${message}${error instanceof Error ? error.message : ""}`;
    if (complaint === this.#complaint) return;
    this.#complaint = complaint;
    if (message === "") log.info({ path: file.path }, `${this.#name} can be used again`);
    else log.error({ path: file.path, err: error }, message);
  }
}

function isSame(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && one.equals(other));
}
