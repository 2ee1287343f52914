import { createHash, createHmac, pbkdf2Sync } from "node:crypto";

/** The client's side of SCRAM, which a test may bend. */
export class ScramClient {
  readonly #hash: string;
  readonly #password: string;
  readonly #bare: string;
  readonly gs2: string;

  constructor(mechanism: string, user: string, password: string, nonce = "rOprNGfwEbeRWgbNEkqO", gs2 = "n,,") {
    this.#hash = mechanism === "SCRAM-SHA-512" ? "sha512" : "sha256";
    this.#password = password;
    this.gs2 = gs2;
    this.#bare = `n=${user.replaceAll("=", "=3D").replaceAll(",", "=2C")},r=${nonce}`;
  }

  first(): Buffer {
    return Buffer.from(`${this.gs2}${this.#bare}`);
  }

  /** The last message, and the signature that the server must answer with. */
  final(
    serverFirst: Buffer,
    bend: { readonly nonce?: string; readonly binding?: string } = {},
  ): { readonly message: Buffer; readonly signature: string } {
    const [, nonce = "", salt = "", iterations = ""] = /^r=([^,]+),s=([^,]+),i=(\d+)$/.exec(String(serverFirst)) ?? [];
    const salted = pbkdf2Sync(
      this.#password,
      Buffer.from(salt, "base64"),
      Number(iterations),
      this.#hash === "sha512" ? 64 : 32,
      this.#hash,
    );
    const hmac = (key: Buffer, text: string): Buffer => createHmac(this.#hash, key).update(text).digest();
    const clientKey = hmac(salted, "Client Key");
    const storedKey = createHash(this.#hash).update(clientKey).digest();
    const binding = bend.binding ?? Buffer.from(this.gs2).toString("base64");
    const withoutProof = `c=${binding},r=${bend.nonce ?? nonce}`;
    const authMessage = `${this.#bare},${String(serverFirst)},${withoutProof}`;
    const proof = hmac(storedKey, authMessage).map((byte, at) => byte ^ (clientKey[at] as number));
    return {
      message: Buffer.from(`${withoutProof},p=${Buffer.from(proof).toString("base64")}`),
      signature: `v=${hmac(hmac(salted, "Server Key"), authMessage).toString("base64")}`,
    };
  }
}
