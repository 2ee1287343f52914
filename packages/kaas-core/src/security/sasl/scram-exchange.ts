import { timingSafeEqual } from "node:crypto";
import type { Credentials, ScramCredential, ScramMechanism } from "../../ports/credentials.js";
import type { Random } from "../../ports/clock.js";
import type { Decoys } from "./decoys.js";
import { failed, type SaslExchange, type SaslStep } from "./sasl-mechanism.js";
import { scramHash, scramHmac, SCRAM_ITERATIONS_MIN } from "./scram-keys.js";
import { type ClientFirstMessage, parseClientFinal, parseClientFirst } from "./scram-messages.js";

/** What is kept between the two messages of a client. */
interface Begun {
  readonly first: ClientFirstMessage;
  readonly nonce: string;
  readonly serverFirst: string;
  readonly credential: ScramCredential;
  readonly isDecoy: boolean;
}

/**
 * A login by SCRAM (RFC 5802, RFC 7677).
 *
 * A user that does not exist is led through all of it, with a salt that stays the same for the name, and fails in the
 * end like a wrong password: neither the answers nor the time they take tell who exists.
 */
export class ScramExchange implements SaslExchange {
  readonly #mechanism: ScramMechanism;
  readonly #credentials: Credentials;
  readonly #decoys: Decoys;
  readonly #random: Random;
  #begun: Begun | undefined;
  #isOver = false;

  constructor(mechanism: ScramMechanism, credentials: Credentials, decoys: Decoys, random: Random) {
    this.#mechanism = mechanism;
    this.#credentials = credentials;
    this.#decoys = decoys;
    this.#random = random;
  }

  step(token: Buffer): SaslStep {
    if (this.#isOver) return failed("the SCRAM exchange was over");
    const step = this.#begun === undefined ? this.#first(token) : this.#final(this.#begun, token);
    this.#isOver = step.kind !== "challenge";
    return step;
  }

  #first(token: Buffer): SaslStep {
    const first = parseClientFirst(token);
    if (typeof first === "string") return failed(first);
    // Acting as somebody else is not served: CVE-2017-12610.
    if (first.authorizationId !== "" && first.authorizationId !== first.user) {
      return failed("the client asked for an authorization id other than its user");
    }
    const decoy = this.#decoys.credential(this.#mechanism, first.user); // made in any case: it takes time
    const known = this.#credentials.scram(first.user)?.get(this.#mechanism);
    if (known !== undefined && known.iterations < SCRAM_ITERATIONS_MIN) {
      return failed(`the credential has ${known.iterations} iterations, fewer than ${SCRAM_ITERATIONS_MIN}`);
    }
    const credential = known ?? decoy;
    const nonce = `${first.nonce}${this.#random.uuid()}`;
    const serverFirst = `r=${nonce},s=${credential.salt.toString("base64")},i=${credential.iterations}`;
    this.#begun = { first, nonce, serverFirst, credential, isDecoy: known === undefined };
    return { kind: "challenge", message: Buffer.from(serverFirst) };
  }

  #final({ first, nonce, serverFirst, credential, isDecoy }: Begun, token: Buffer): SaslStep {
    const final = parseClientFinal(token);
    if (typeof final === "string") return failed(final);
    // librdkafka before 2.6.1 puts its own nonce before it once more, which takes nothing from what the broker's proves.
    if (final.nonce !== nonce && final.nonce !== `${first.nonce}${nonce}`) {
      return failed("the nonce is not the one that was given out");
    }
    if (final.channelBinding !== Buffer.from(first.gs2Header).toString("base64")) {
      return failed("the channel binding is not what the first message said");
    }
    const authMessage = `${first.bare},${serverFirst},${final.withoutProof}`;
    const isProven = this.#isProven(credential, authMessage, final.proof);
    const signature = scramHmac(this.#mechanism, credential.serverKey, authMessage);
    if (isDecoy) return failed(`there is no user with credentials for ${this.#mechanism}`);
    if (!isProven) return failed("the password is wrong");
    return { kind: "done", message: Buffer.from(`v=${signature.toString("base64")}`), user: first.user };
  }

  #isProven({ storedKey }: ScramCredential, authMessage: string, proof: Buffer): boolean {
    const clientKey = scramHmac(this.#mechanism, storedKey, authMessage); // the client's signature, so far
    if (proof.length !== clientKey.length) return false;
    for (let at = 0; at < proof.length; at++) clientKey[at] = (clientKey[at] as number) ^ (proof[at] as number);
    return timingSafeEqual(scramHash(this.#mechanism, clientKey), storedKey);
  }
}
