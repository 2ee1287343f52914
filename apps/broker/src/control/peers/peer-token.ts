import { createHash, timingSafeEqual } from "node:crypto";

const SCHEME = "Bearer ";
/** What a token is at least: 128 bits, written in some way. */
const LENGTH_MIN = 16;

/** What is wrong with a text that has none, or one that is too short. */
export const TOKEN_RULE: string = `a token has at least ${LENGTH_MIN} characters`;

/** The tokens of a text, a line each; undefined where it has none, or one that is too short. */
export function tokensIn(text: string): readonly string[] | undefined {
  const tokens = text.split("\n").map((line) => line.trim());
  const given = tokens.filter((token) => token !== "");
  return given.length > 0 && given.every(({ length }) => length >= LENGTH_MIN) ? given : undefined;
}

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
