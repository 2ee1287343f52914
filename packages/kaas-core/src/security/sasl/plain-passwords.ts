import { createHmac, timingSafeEqual } from "node:crypto";
import type { Credentials, ScramCredential, ScramMechanism } from "../../ports/credentials.js";
import type { Decoys } from "./decoys.js";
import { credentialOfSalted, saltedPassword, SCRAM_MECHANISMS } from "./scram-keys.js";

/** Passwords stretched at a time; each holds a thread that files need too. */
const CONCURRENT_MAX = 2;
/** Logins that wait for their turn; beyond these they fail at once. */
const WAITING_MAX = 1_000;
/** Passwords remembered as right, so that who connects often is not stretched each time. */
const REMEMBERED_MAX = 1_000;

/** Whether a password is right; `busy`: too many are being checked to say. */
export type PasswordVerdict = "right" | "wrong" | "busy";

interface Remembered {
  readonly digest: Buffer;
  /** The credential that it was right for; another one after the password has changed. */
  readonly storedKey: Buffer;
}

/**
 * Checks passwords that come in plain against SCRAM credentials, which costs milliseconds of a processor each: few at a
 * time, on the thread pool, and not again for a password that was right. What is remembered is a keyed digest, with a
 * key that never leaves this process.
 */
export class PlainPasswords {
  readonly #credentials: Credentials;
  readonly #decoys: Decoys;
  readonly #key: Buffer;
  readonly #remembered = new Map<string, Remembered>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param key random bytes of this process */
  constructor(credentials: Credentials, decoys: Decoys, key: Buffer) {
    this.#credentials = credentials;
    this.#decoys = decoys;
    this.#key = key;
  }

  /** A user who does not exist takes as long as one who does. */
  async check(user: string, password: string): Promise<PasswordVerdict> {
    const credentials = this.#credentials.scram(user);
    const mechanism = SCRAM_MECHANISMS.find((name) => credentials?.has(name) === true) ?? "SCRAM-SHA-256";
    const decoy = this.#decoys.credential(mechanism, user);
    const known = credentials?.get(mechanism);
    const digest = this.#digest(user, password);
    if (known !== undefined && this.#remembers(user, digest, known)) return "right";
    const isRight = await this.#stretch(mechanism, password, known ?? decoy);
    if (isRight === undefined) return "busy";
    if (known === undefined || !isRight) return "wrong";
    this.#remember(user, { digest, storedKey: known.storedKey });
    return "right";
  }

  async #stretch(
    mechanism: ScramMechanism,
    password: string,
    { salt, iterations, storedKey }: ScramCredential,
  ): Promise<boolean | undefined> {
    if (this.#running >= CONCURRENT_MAX) {
      if (this.#waiting.length >= WAITING_MAX) return undefined;
      await new Promise<void>((resolve) => this.#waiting.push(resolve)); // takes over the place of who made room
    } else {
      this.#running++;
    }
    try {
      const salted = await saltedPassword(mechanism, password, salt, iterations);
      return timingSafeEqual(credentialOfSalted(mechanism, salted, salt, iterations).storedKey, storedKey);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  #digest(user: string, password: string): Buffer {
    return createHmac("sha256", this.#key)
      .update(`${Buffer.byteLength(user)}:${user}:`)
      .update(password)
      .digest();
  }

  #remembers(user: string, digest: Buffer, { storedKey }: ScramCredential): boolean {
    const remembered = this.#remembered.get(user);
    if (remembered === undefined || !remembered.storedKey.equals(storedKey)) return false;
    return timingSafeEqual(remembered.digest, digest);
  }

  #remember(user: string, remembered: Remembered): void {
    this.#remembered.delete(user);
    this.#remembered.set(user, remembered);
    if (this.#remembered.size <= REMEMBERED_MAX) return;
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined) this.#remembered.delete(oldest);
  }
}
