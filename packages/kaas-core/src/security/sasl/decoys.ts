import { createHmac } from "node:crypto";
import type { Credentials, ScramCredential, ScramMechanism } from "../../ports/credentials.js";
import { SCRAM_HASHES, SCRAM_ITERATIONS_MIN } from "./scram-keys.js";

/** Bytes of salt where there is no credential to go by. */
const SALT_BYTES = 20;
/** What one HMAC gives. */
const SALT_BYTES_MAX = 64;

/** What real credentials of a mechanism look like. */
interface Likeness {
  readonly iterations: number;
  readonly saltBytes: number;
}

/**
 * What users without a credential are answered with. The same for a name each time, on every broker and after every
 * start, and unpredictable without the secret: a salt that changed, or could be computed, would tell that nobody has
 * the name.
 */
export class Decoys {
  readonly #credentials: Credentials;
  readonly #likenesses = new Map<ScramMechanism, Likeness>();

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
    credentials.onChange(() => this.#likenesses.clear());
  }

  credential(mechanism: ScramMechanism, user: string): ScramCredential {
    const { iterations, saltBytes } = this.#likeness(mechanism);
    const { bytes } = SCRAM_HASHES[mechanism];
    const derive = (purpose: string, length: number): Buffer =>
      createHmac("sha512", this.#credentials.decoySecret)
        .update(`${purpose}\0${mechanism}\0${user}`)
        .digest()
        .subarray(0, length);
    return {
      iterations,
      salt: derive("salt", saltBytes),
      storedKey: derive("stored key", bytes),
      serverKey: derive("server key", bytes),
    };
  }

  #likeness(mechanism: ScramMechanism): Likeness {
    const known = this.#likenesses.get(mechanism);
    if (known !== undefined) return known;
    const found = this.#find(mechanism);
    this.#likenesses.set(mechanism, found);
    return found;
  }

  #find(mechanism: ScramMechanism): Likeness {
    for (const user of this.#credentials.users()) {
      const credential = this.#credentials.scram(user)?.get(mechanism);
      if (credential !== undefined) {
        return { iterations: credential.iterations, saltBytes: Math.min(credential.salt.length, SALT_BYTES_MAX) };
      }
    }
    return { iterations: SCRAM_ITERATIONS_MIN, saltBytes: SALT_BYTES };
  }
}
