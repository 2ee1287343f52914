import { ClusterError } from "../client/cluster-error.js";
import { describeError, isForbidden } from "../client/refusal.js";
import { EXIT, type ExitCode, type Session } from "../session.js";

/** What could not be shown, and what is wrong with the cluster; said once the rest is shown. */
export class LiveReport {
  readonly #notes = new Set<string>();
  readonly #errors = new Set<string>();

  /** Something that is not shown, though nothing is wrong. */
  note(text: string): void {
    this.#notes.add(text);
  }

  error(text: string): void {
    this.#errors.add(text);
  }

  /** What a broker refused to tell: a note where the user may not know, else an error. */
  refused(what: string, errorCode: number, message: string | null = null): void {
    const text = `${what}: ${describeError(errorCode, message)}`;
    if (isForbidden(errorCode)) this.note(text);
    else this.error(text);
  }

  /** Does one of several things; that a broker fails is remembered, and the rest goes on. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      this.error(error.message);
    }
  }

  /** Writes what there is to say to standard error; resolves with how it all ends. */
  async end({ surroundings }: Session): Promise<ExitCode> {
    for (const text of [...this.#notes, ...this.#errors]) await surroundings.err.write(`kaasctl: ${text}\n`);
    return this.#errors.size === 0 ? EXIT.SOUND : EXIT.UNSOUND;
  }
}
