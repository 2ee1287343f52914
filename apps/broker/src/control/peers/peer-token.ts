import { createHash, timingSafeEqual } from "node:crypto";

const SCHEME = "Bearer ";
/** What a token is at least: 128 bits, written in some way. */
const LENGTH_MIN = 16;

/**
 * The secret that brokers of a cluster share. While it is replaced there are several, a line each: the first is shown
 * to others, and each is taken from them.
 */
export class PeerToken {
  /** What a peer sends. */
  readonly header: string;
  readonly #digests: readonly Buffer[];

  /** @throws RangeError for one that is too short, or none */
  constructor(text: string) {
    const tokens = text.split("\n").map((line) => line.trim());
    const given = tokens.filter((token) => token !== "");
    if (given.length === 0 || given.some((token) => token.length < LENGTH_MIN)) {
      throw new RangeError(`a token has at least ${LENGTH_MIN} characters`);
    }
    this.header = `${SCHEME}${given[0]}`;
    this.#digests = given.map((token) => digest(`${SCHEME}${token}`));
  }

  /** Takes as long whatever is wrong with it. */
  admits(header: string | undefined): boolean {
    const shown = digest(header ?? "");
    return this.#digests.reduce((isKnown, one) => timingSafeEqual(shown, one) || isKnown, false);
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
