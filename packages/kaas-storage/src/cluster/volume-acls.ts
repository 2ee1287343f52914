import type { AclAdmin, AclBinding, AclChange, AclChangeRefusal, Acls, Clock, Log, Timer } from "@kaas/core";
import type { DurableFiles } from "../documents/durable-files.js";
import { aclKey, type AclsDocument, AclsFile } from "./acls-file.js";

/** How often the file is looked at. */
const POLL_INTERVAL_MS = 1_000;

export interface VolumeAclsOptions {
  readonly files: DurableFiles;
  /** The cluster directory. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The ACLs of `acls.json`, followed while others write it, and changed by a broker that is alone.
 *
 * What was read once stays in force for as long as nothing newer and valid is there: a file that is gone, broken or of a
 * lower generation changes nothing, and is named in the log. To lose ACLs by accident would open what one of them
 * denies.
 */
export class VolumeAcls implements Acls, AclAdmin {
  readonly #options: VolumeAclsOptions;
  readonly #file: AclsFile;
  readonly #listeners = new Set<() => void>();
  #inForce: AclsDocument = { generation: 0, acls: [] };
  #bytes: Buffer | undefined;
  /** What was last said to be wrong. */
  #complaint = "";
  #poll: Timer | undefined;
  #isClosed = false;

  constructor(options: VolumeAclsOptions) {
    this.#options = options;
    this.#file = new AclsFile(options.files, options.directory);
  }

  /** Reads what is there, and follows it from then on. Rejects with `KAAS_VOLUME_INVALID` when it cannot be used. */
  async start(): Promise<void> {
    await this.#look();
    this.#schedule();
  }

  /** Follows the file no more. */
  close(): void {
    this.#isClosed = true;
    this.#poll?.cancel();
  }

  get generation(): number {
    return this.#inForce.generation;
  }

  bindings(): readonly AclBinding[] {
    return this.#inForce.acls;
  }

  onChange(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  async changeAcls({ added, removed }: AclChange): Promise<AclChangeRefusal | undefined> {
    const gone = new Set(removed.map(aclKey));
    const written = await this.#file.update(
      (acls) => [...acls.filter((acl) => !gone.has(aclKey(acl))), ...added],
      this.#inForce.generation,
    );
    if (written.generation > this.#inForce.generation) this.#adopt(written);
    return undefined;
  }

  #schedule(): void {
    this.#poll = this.#options.clock.schedule(POLL_INTERVAL_MS, () => {
      void this.#look()
        .then(
          () => this.#complainOnce(""),
          (error: unknown) => this.#complainOnce("acls.json cannot be used; what it said before stays in force", error),
        )
        .finally(() => {
          if (!this.#isClosed) this.#schedule();
        });
    });
  }

  async #look(): Promise<void> {
    const known = this.#inForce.generation; // a change of our own may come in between
    const bytes = await this.#file.readBytes();
    if (this.#isClosed || isSame(bytes, this.#bytes)) return;
    if (bytes === undefined) throw new Error(`${this.#file.path} is gone`);
    const document = await this.#file.decode(bytes);
    this.#bytes = bytes;
    if (document.generation >= this.#inForce.generation) {
      this.#adopt(document);
      return;
    }
    const { generation } = document;
    if (generation >= known) return;
    const fields = { path: this.#file.path, generation, generationInForce: known };
    this.#options.log.warn(fields, "acls.json has a lower generation than before and is ignored");
  }

  #adopt(document: AclsDocument): void {
    this.#inForce = document;
    for (const listener of this.#listeners) listener();
  }

  #complainOnce(message: string, error?: unknown): void {
    const complaint = `${message}${error instanceof Error ? error.message : ""}`;
    if (complaint === this.#complaint) return;
    this.#complaint = complaint;
    if (message === "") this.#options.log.info({ path: this.#file.path }, "acls.json can be used again");
    else this.#options.log.error({ path: this.#file.path, err: error }, message);
  }
}

function isSame(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && one.equals(other));
}
