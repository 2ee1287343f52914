import { createHash, timingSafeEqual } from "node:crypto";

const SCHEME = "Bearer ";
/** What a token is at least: 128 bits, written in some way. */
const LENGTH_MIN = 16;

/** What a header of a call can carry. */
const PRINTABLE = /^[ -~]*$/;

/** What is wrong with a text that has none, or one that cannot be shown to others. */
export const TOKEN_RULE: string = `a token has at least ${LENGTH_MIN} characters, all of them printable ASCII`;

/** The tokens of a text, a line each; undefined where it has none, or one that breaks {@link TOKEN_RULE}. */
export function tokensIn(text: string): readonly string[] | undefined {
  const tokens = text.split("\n").map((line) => line.trim());
  const given = tokens.filter((token) => token !== "");
  const areAllSound = given.every((token) => token.length >= LENGTH_MIN && PRINTABLE.test(token));
  return given.length > 0 && areAllSound ? given : undefined;
}

/**
 * The secret that brokers of a cluster share. While it is replaced there are several, a line each: the first is shown
 * to others, and each is taken from them.
 */
export class PeerToken {
  /** What a peer sends. */
  readonly header: string;
  readonly #digests: readonly Buffer[];

  /** @throws RangeError for one that breaks {@link TOKEN_RULE}, or none */
  constructor(text: string) {
    const tokens = tokensIn(text);
    if (tokens === undefined) throw new RangeError(TOKEN_RULE);
    this.header = `${SCHEME}${tokens[0]}`;
    this.#digests = tokens.map((token) => digest(`${SCHEME}${token}`));
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
