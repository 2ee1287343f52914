import type { ClientQuota, Credentials, ScramCredential, ScramMechanism } from "../../src/ports/credentials.js";
import { deriveScramCredential, SCRAM_MECHANISMS } from "../../src/security/sasl/scram-keys.js";

/** Users that a test adds and removes. */
export class FakeCredentials implements Credentials {
  decoySecret: Buffer = Buffer.alloc(32, 7);
  /** What there is to be found by who looks. */
  changedElsewhere: () => Promise<void> = async () => undefined;
  readonly #users = new Map<string, ReadonlyMap<ScramMechanism, ScramCredential>>();
  readonly #listeners = new Set<() => void>();

  /** Gives a user a password, for both mechanisms unless told otherwise. */
  async set(user: string, password: string, mechanisms: readonly ScramMechanism[] = SCRAM_MECHANISMS): Promise<void> {
    const derived = mechanisms.map(async (mechanism) => {
      const salt = Buffer.from(`salt of ${user} ${password}`);
      return [mechanism, await deriveScramCredential(mechanism, password, salt, 4096)] as const;
    });
    this.#users.set(user, new Map(await Promise.all(derived)));
    for (const listener of this.#listeners) listener();
  }

  users(): Iterable<string> {
    return this.#users.keys();
  }

  scram(user: string): ReadonlyMap<ScramMechanism, ScramCredential> | undefined {
    return this.#users.get(user);
  }

  quotas(): readonly ClientQuota[] {
    return [];
  }

  refresh(): Promise<void> {
    return this.changedElsewhere();
  }

  onChange(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }
}
