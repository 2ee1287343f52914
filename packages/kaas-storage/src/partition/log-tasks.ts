import { ErrorCode } from "@kaas/core";
import type { LogCore } from "./log-core.js";

/** What a log does beside appending and reading: one thing after the other, and nothing once it is closed. */
export class LogTasks {
  readonly #core: LogCore;
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(core: LogCore) {
    this.#core = core;
  }

  /** Runs a task after those before it. Once closed, tasks are dropped; undefined tells so. */
  run<Result>(task: () => Promise<Result>): Promise<Result | undefined> {
    const result = this.#last.then(() => (this.#isClosed ? undefined : task()));
    this.#last = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  /** The same, for tasks that nobody waits for: a failure is logged, and made up for by recovery. */
  runInBackground(what: string, task: () => Promise<void>): void {
    this.run(task).catch((error: unknown) => {
      const { id, environment, health } = this.#core;
      if (health !== ErrorCode.NONE) return;
      environment.log.warn({ topic: id.topic, partition: id.partition, err: error }, `${what} failed`);
    });
  }

  /** Starts nothing more; resolves when the running task has ended. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#last;
  }
}
