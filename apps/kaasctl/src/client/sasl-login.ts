import { ErrorCode, errorName, type Random, type ScramMechanism } from "@kaas/core";
import type { LoginSettings } from "./client-settings.js";
import { ClusterError } from "./cluster-error.js";
import type { Calls } from "./calls.js";
import { ScramLogin } from "./scram-login.js";

/** What a login asks the broker by. */
export interface LoginCalls {
  call<Name extends "SaslHandshake" | "SaslAuthenticate">(
    name: Name,
    request: Calls[Name]["request"],
  ): Promise<Calls[Name]["response"]>;
}

/**
 * Logs in on a connection that has just been opened.
 *
 * @throws ClusterError when the broker does not let the user in, or cannot prove to know its password
 */
export async function logIn(calls: LoginCalls, login: LoginSettings, random: Random): Promise<void> {
  const { mechanism, user } = login;
  const { errorCode, mechanisms } = await calls.call("SaslHandshake", { mechanism });
  if (errorCode !== ErrorCode.NONE) {
    const offered = mechanisms.join(", ") || "none";
    throw new ClusterError(`it takes no logins by ${mechanism} (${errorName(errorCode)}); it takes ${offered}`);
  }
  const exchange = async (token: Buffer): Promise<Buffer> => {
    const answer = await calls.call("SaslAuthenticate", { authBytes: token });
    if (answer.errorCode === ErrorCode.NONE) return answer.authBytes;
    const why = answer.errorMessage ?? errorName(answer.errorCode);
    throw new ClusterError(`it does not let ${user} in: ${why}; see sasl.jaas.config and sasl.mechanism`);
  };
  if (mechanism === "PLAIN") await exchange(Buffer.from(`\0${user}\0${login.password}`));
  else await logInByScram(exchange, mechanism, login, random);
}

async function logInByScram(
  exchange: (token: Buffer) => Promise<Buffer>,
  mechanism: ScramMechanism,
  { user, password }: LoginSettings,
  random: Random,
): Promise<void> {
  const scram = new ScramLogin(mechanism, user, password, random.uuid());
  const final = await scram.final(await exchange(scram.first));
  scram.verify(await exchange(final));
}
