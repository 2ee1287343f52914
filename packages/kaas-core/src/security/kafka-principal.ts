/** Who a connection was authenticated as. One object for each login, so it may be the key of a cache. */
export interface KafkaPrincipal {
  /** `User` for whoever logs in. */
  readonly type: string;
  /** A SCRAM or PLAIN user, or what `ssl.principal.mapping.rules` make of a certificate's subject. */
  readonly name: string;
  /** Kafka's text form, such as `User:alice`. */
  readonly text: string;
}

/** The principal type of clients. */
export const USER_PRINCIPAL_TYPE = "User";

/** The principal of a user. */
export function userPrincipal(name: string): KafkaPrincipal {
  return { type: USER_PRINCIPAL_TYPE, name, text: `${USER_PRINCIPAL_TYPE}:${name}` };
}

/** Who a client without authentication is. */
export const ANONYMOUS: KafkaPrincipal = userPrincipal("ANONYMOUS");

/** Reads the text form; undefined when there is no type before a colon, or no name behind it. */
export function parsePrincipal(text: string): KafkaPrincipal | undefined {
  const colon = text.indexOf(":");
  if (colon < 1 || colon === text.length - 1) return undefined;
  return { type: text.slice(0, colon), name: text.slice(colon + 1), text };
}
