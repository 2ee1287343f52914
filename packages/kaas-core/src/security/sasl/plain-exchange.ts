import { createHash, timingSafeEqual } from "node:crypto";
import type { PlainPasswords } from "./plain-passwords.js";
import { failed, type SaslExchange, type SaslStep } from "./sasl-mechanism.js";

/** Longest name and password that are looked at. */
const TOKEN_BYTES_MAX = 8 * 1024;
const EMPTY = Buffer.alloc(0);

/** A login by PLAIN (RFC 4616): one message, `authorization id NUL user NUL password`. */
export class PlainExchange implements SaslExchange {
  readonly #passwords: PlainPasswords;
  /** Users of the listener's own configuration (`user_alice="…"`), who come before those with SCRAM credentials. */
  readonly #configured: ReadonlyMap<string, string>;

  constructor(passwords: PlainPasswords, configured: ReadonlyMap<string, string>) {
    this.#passwords = passwords;
    this.#configured = configured;
  }

  async step(token: Buffer): Promise<SaslStep> {
    if (token.length > TOKEN_BYTES_MAX) return failed("the PLAIN message is too long");
    const parts = token.toString("utf8").split("\0");
    const [authorizationId = "", user = "", password = ""] = parts;
    if (parts.length !== 3) return failed("the PLAIN message does not have three parts");
    if (user === "" || password === "") return failed("the PLAIN message has no user or no password");
    // Acting as somebody else is not served: CVE-2017-12610.
    if (authorizationId !== "" && authorizationId !== user) {
      return failed("the client asked for an authorization id other than its user");
    }
    const expected = this.#configured.get(user);
    if (expected !== undefined) {
      return isSame(expected, password) ? done(user) : failed("the password is wrong");
    }
    const verdict = await this.#passwords.check(user, password);
    if (verdict === "right") return done(user);
    return failed(verdict === "busy" ? "too many passwords are being checked" : "the user or the password is wrong");
  }
}

function done(user: string): SaslStep {
  return { kind: "done", message: EMPTY, user };
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
