import type { ScramMechanism } from "@kaas/core";
import { saltedPassword, scramHash, scramHmac } from "@kaas/core/internal";
import { ClusterError } from "./cluster-error.js";

/** A broker is no reason to compute for minutes; Kafka's limit is 16384. */
const ITERATIONS_MAX = 1_000_000;
/** Without channel binding, and acting as nobody else. */
const GS2_HEADER = "n,,";
const SERVER_FIRST = /^r=([\x21-\x2b\x2d-\x7e]+),s=([A-Za-z0-9+/]+=*),i=([1-9]\d{0,8})(?:,.*)?$/s;

/** The client's side of SCRAM (RFC 5802): proves to know the password, and has the broker prove it too. */
export class ScramLogin {
  /** The first message. */
  readonly first: Buffer;
  readonly #mechanism: ScramMechanism;
  readonly #password: string;
  readonly #nonce: string;
  readonly #bare: string;
  #serverSignature = "";

  /** @param nonce random, without a comma */
  constructor(mechanism: ScramMechanism, user: string, password: string, nonce: string) {
    this.#mechanism = mechanism;
    this.#password = password;
    this.#nonce = nonce;
    this.#bare = `n=${user.replaceAll("=", "=3D").replaceAll(",", "=2C")},r=${nonce}`;
    this.first = Buffer.from(GS2_HEADER + this.#bare);
  }

  /** The last message, after the broker's first. */
  async final(serverFirst: Buffer): Promise<Buffer> {
    const text = serverFirst.toString();
    const [, nonce = "", salt = "", digits = ""] = SERVER_FIRST.exec(text) ?? [];
    const iterations = Number(digits);
    if (!nonce.startsWith(this.#nonce) || nonce === this.#nonce || iterations > ITERATIONS_MAX) {
      throw new ClusterError(`its answer to a login by ${this.#mechanism} makes no sense`);
    }
    const salted = await saltedPassword(this.#mechanism, this.#password, Buffer.from(salt, "base64"), iterations);
    const clientKey = scramHmac(this.#mechanism, salted, "Client Key");
    const withoutProof = `c=${Buffer.from(GS2_HEADER).toString("base64")},r=${nonce}`;
    const signed = `${this.#bare},${text},${withoutProof}`;
    const signature = scramHmac(this.#mechanism, scramHash(this.#mechanism, clientKey), signed);
    const proof = Buffer.from(signature.map((byte, at) => byte ^ (clientKey[at] ?? 0)));
    const serverKey = scramHmac(this.#mechanism, salted, "Server Key");
    this.#serverSignature = `v=${scramHmac(this.#mechanism, serverKey, signed).toString("base64")}`;
    return Buffer.from(`${withoutProof},p=${proof.toString("base64")}`);
  }

  /** Whoever does not know the password either could have let anybody in. */
  verify(serverFinal: Buffer): void {
    const [signature] = serverFinal.toString().split(",");
    if (signature === this.#serverSignature) return;
    throw new ClusterError("it cannot prove that it knows the user's password; who is it?");
  }
}
