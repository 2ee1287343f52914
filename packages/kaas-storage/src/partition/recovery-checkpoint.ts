import { encodeDocument } from "../documents/documents.js";
import { replaceHint } from "../documents/durable-files.js";
import type { ActiveSegment } from "./active-segment.js";
import { CHECKPOINT_NAME } from "./file-names.js";
import type { LogCore } from "./log-core.js";
import type { LogTasks } from "./log-tasks.js";
import type { Segment } from "./segment.js";

/** After so much has been fsynced, recovery is told, so that it need not check it again. */
const CHECKPOINT_BYTES = 32 * 1024 * 1024;

/** Tells recovery how much of the active segment is durable. A hint: nothing depends on it but how long it takes. */
export class RecoveryCheckpoint {
  readonly #core: LogCore;
  readonly #tasks: LogTasks;
  #written: { readonly segment: Segment; readonly sizeBytes: number } | undefined;

  constructor(core: LogCore, tasks: LogTasks) {
    this.#core = core;
    this.#tasks = tasks;
  }

  /** So much of the active segment has been fsynced: noted when it is a lot more than is noted already. */
  synced({ segment }: ActiveSegment, sizeBytes: number): void {
    if (sizeBytes - this.#writtenBytesOf(segment) >= CHECKPOINT_BYTES) this.#write(segment, sizeBytes);
  }

  /** Notes how much of the active segment has been fsynced, if that is more than is noted already. */
  update(syncedBytes: number): void {
    const segment = this.#core.active?.segment;
    if (segment !== undefined && syncedBytes > this.#writtenBytesOf(segment)) this.#write(segment, syncedBytes);
  }

  #writtenBytesOf(segment: Segment): number {
    return this.#written?.segment === segment ? this.#written.sizeBytes : 0;
  }

  #write(segment: Segment, sizeBytes: number): void {
    this.#written = { segment, sizeBytes };
    const { environment, directory } = this.#core;
    const content = encodeDocument("checkpoint", { epoch: segment.epoch, baseOffset: segment.baseOffset, sizeBytes });
    this.#tasks.runInBackground("writing a checkpoint", () =>
      replaceHint(environment, directory, CHECKPOINT_NAME, content),
    );
  }
}
