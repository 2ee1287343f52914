import type { KafkaUser } from "@kaas/operator-api";
import type { AclsFile } from "@kaas/storage";
import { aclsOf } from "./user-acls.js";

/**
 * Keeps `acls.json` what all users together say. It is rebuilt whole with each user that is looked at, so that what was
 * written last is remembered: a thousand users that have not changed cost no thousand readings of the file.
 */
export class AclKeeper {
  readonly #file: AclsFile;
  readonly #users: () => readonly KafkaUser[];
  #written: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param users all that there are, asked when it is written: of two writes the later has what is newer */
  constructor(file: AclsFile, users: () => readonly KafkaUser[]) {
    this.#file = file;
    this.#users = users;
  }

  /** Writes what is different from what was written last. */
  keep(): Promise<void> {
    return this.#inTurn(async () => {
      if (JSON.stringify(aclsOf(this.#users())) !== this.#written) await this.#write();
    });
  }

  /** Writes what is different from what is in the file, whoever has written that. */
  restore(): Promise<void> {
    return this.#inTurn(() => this.#write());
  }

  async #write(): Promise<void> {
    const acls = aclsOf(this.#users());
    this.#written = undefined; // unknown, if this fails
    await this.#file.update(() => acls);
    this.#written = JSON.stringify(acls);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const working = this.#last.then(work);
    this.#last = working.catch(() => undefined);
    return working;
  }
}
