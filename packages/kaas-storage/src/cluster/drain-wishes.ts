import { encodeDocument } from "../documents/documents.js";
import { claimFile, type DurableFiles } from "../documents/durable-files.js";
import { ensureDirectory, isErrno, isListed } from "../file-system/file-system.js";
import { DRAINS_NAME, drainName } from "./cluster-names.js";

/**
 * Brokers that somebody wants to lead nothing, until the wish is taken back.
 *
 * ```
 * __cluster/drains/<broker>.json     made by link-claim, removed to take it back; that it is there is what counts
 * ```
 *
 * A broker looks each second, and asks the controller to be relieved of everything. The wish outlives its process, and
 * needs nobody to be reached but the volume.
 */
export class DrainWishes {
  readonly #files: DurableFiles;
  readonly #cluster: string;
  readonly #directory: string;

  /** @param cluster the cluster directory, `<data>/__cluster` */
  constructor(files: DurableFiles, cluster: string) {
    this.#files = files;
    this.#cluster = cluster;
    this.#directory = `${cluster}/${DRAINS_NAME}`;
  }

  /** Whether somebody wants the broker of that name to lead nothing. */
  async isWished(broker: string): Promise<boolean> {
    const { fileSystem } = this.#files;
    if (!(await isListed(fileSystem, this.#cluster, DRAINS_NAME))) return false;
    return isListed(fileSystem, this.#directory, drainName(broker));
  }

  /** Resolves with false where that was wished already. */
  async wish(broker: string, askedMs: number): Promise<boolean> {
    if (await this.isWished(broker)) return false;
    const { fileSystem } = this.#files;
    await ensureDirectory(fileSystem, this.#cluster, DRAINS_NAME);
    const content = encodeDocument("drain-wish", { broker, askedMs });
    return claimFile(this.#files, this.#directory, drainName(broker), content);
  }

  /** Resolves with false where there was no wish. */
  async withdraw(broker: string): Promise<boolean> {
    if (!(await this.isWished(broker))) return false;
    const { fileSystem } = this.#files;
    try {
      await fileSystem.unlink(`${this.#directory}/${drainName(broker)}`);
      await fileSystem.syncDirectory(this.#directory);
      return true;
    } catch (error) {
      if (isErrno(error, "ENOENT")) return false;
      throw error;
    }
  }
}
