import { createHash, timingSafeEqual } from "node:crypto";

const SCHEME = "Bearer ";
/** What a token is at least: 128 bits, written in some way. */
const LENGTH_MIN = 16;

/** The secret that brokers of a cluster share. */
export class PeerToken {
  /** What a peer sends. */
  readonly header: string;
  readonly #digest: Buffer;

  /** @throws RangeError for one that is too short */
  constructor(token: string) {
    if (token.length < LENGTH_MIN) throw new RangeError(`a token has at least ${LENGTH_MIN} characters`);
    this.header = `${SCHEME}${token}`;
    this.#digest = digest(this.header);
  }

  /** Takes as long whatever is wrong with it. */
  admits(header: string | undefined): boolean {
    return timingSafeEqual(digest(header ?? ""), this.#digest);
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
