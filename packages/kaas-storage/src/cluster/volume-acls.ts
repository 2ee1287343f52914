import type { AclAdmin, AclBinding, AclChange, AclChangeRefusal, Acls, Clock, Log } from "@kaas/core";
import type { DurableFiles } from "../documents/durable-files.js";
import { aclKey, AclsFile } from "./acls-file.js";
import { GenerationFollower } from "./generation-follower.js";

/** Where `acls.json` is, and how it is followed. */
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
 * What was read once stays in force for as long as nothing newer and valid is there: to lose ACLs by accident would open
 * what one of them denies.
 */
export class VolumeAcls implements Acls, AclAdmin {
  readonly #file: AclsFile;
  readonly #follower: GenerationFollower<"acls">;
  #bindings: readonly AclBinding[] = [];

  constructor({ files, directory, clock, log }: VolumeAclsOptions) {
    this.#file = new AclsFile(files, directory);
    const adopt = ({ acls }: { readonly acls: readonly AclBinding[] }): void => {
      this.#bindings = acls;
    };
    this.#follower = new GenerationFollower({ file: this.#file, clock, log, adopt });
  }

  /** Reads what is there, and follows it from then on. Rejects with `KAAS_VOLUME_INVALID` when it cannot be used. */
  start(): Promise<void> {
    return this.#follower.start();
  }

  /** Follows the file no more. */
  close(): void {
    this.#follower.close();
  }

  /** What was durable before the call is in force when it resolves; see {@link GenerationFollower.refresh}. */
  refresh(): Promise<void> {
    return this.#follower.refresh();
  }

  get generation(): number {
    return this.#follower.generation;
  }

  bindings(): readonly AclBinding[] {
    return this.#bindings;
  }

  onChange(callback: () => void): () => void {
    return this.#follower.onChange(callback);
  }

  async changeAcls({ added, removed }: AclChange): Promise<AclChangeRefusal | undefined> {
    const gone = new Set(removed.map(aclKey));
    const written = await this.#file.update(
      (acls) => [...acls.filter((acl) => !gone.has(aclKey(acl))), ...added],
      this.generation,
    );
    this.#follower.adoptOwn(written);
    return undefined;
  }
}
