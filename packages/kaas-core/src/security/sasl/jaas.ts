import { KaasError } from "../../errors/kaas-error.js";

/** Kafka's login module for the mechanism PLAIN. */
export const PLAIN_LOGIN_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule";
const CONTROL_FLAGS: readonly string[] = ["required", "requisite", "sufficient", "optional"];
/** A quoted text with its escapes, a sign of its own, or a word; blanks and comments lie in between. */
const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([=;])|([^\s"'=;]+))\s*/y;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };
const USER_PREFIX = "user_";

/**
 * The users of Kafka's PLAIN login module, with their passwords:
 * `org.apache.kafka.common.security.plain.PlainLoginModule required user_alice="secret";`
 *
 * `username` and `password` are what a broker would use towards others, and are passed over.
 *
 * @param name of the configuration, for the error
 * @throws KaasError KAAS_CONFIG_INVALID that does not quote the text: it holds passwords.
 */
export function plainUsersOfJaas(name: string, text: string): ReadonlyMap<string, string> {
  const options = loginOptionsOfJaas(name, text, PLAIN_LOGIN_MODULE);
  const users = new Map<string, string>();
  for (const [key, value] of options) {
    if (!key.startsWith(USER_PREFIX)) continue;
    const user = key.slice(USER_PREFIX.length);
    if (user === "" || value === "") throw invalid(name, "has a user without a name or a password");
    users.set(user, value);
  }
  return users;
}

/**
 * What a JAAS text tells its one login module: `CLASS required name="value" …;`
 *
 * @param name of the configuration, for the error
 * @param module the Java class that it has to be
 * @throws KaasError KAAS_CONFIG_INVALID that does not quote the text: it holds passwords.
 */
export function loginOptionsOfJaas(name: string, text: string, module: string): ReadonlyMap<string, string> {
  const [given, flag = "", ...rest] = tokensOf(name, text);
  if (given !== module) throw invalid(name, `must begin with ${module}`);
  if (!CONTROL_FLAGS.includes(flag.toLowerCase())) throw invalid(name, `needs "required" behind ${module}`);
  if (rest.at(-1) !== ";") throw invalid(name, 'must end with ";"');
  const options = new Map<string, string>();
  for (let at = 0; at < rest.length - 1; at += 3) {
    const [key = "", equals, value = ";"] = rest.slice(at, at + 3);
    if (equals !== "=" || value === ";" || value === "=")
      throw invalid(name, "must have options of the form name=value, and one login module");
    options.set(key, unquoted(value));
  }
  return options;
}

function tokensOf(name: string, text: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (match === null) throw invalid(name, "has a quotation mark without its partner");
    tokens.push(match[1] ?? match[2] ?? match[3] ?? "");
  }
  return tokens;
}

function unquoted(token: string): string {
  if (!/^["']/.test(token)) return token;
  return token.slice(1, -1).replace(/\\(.)/gs, (_all, char: string) => ESCAPES[char] ?? char);
}

function invalid(name: string, why: string): KaasError {
  return new KaasError("KAAS_CONFIG_INVALID", `${name} ${why}`);
}
