/** What the next message of a client leads to. */
export type SaslStep =
  /** The client is to go on. */
  | { readonly kind: "challenge"; readonly message: Buffer }
  /** It is who it says. */
  | { readonly kind: "done"; readonly message: Buffer; readonly user: string }
  /** It is not, for a reason that is for the log only. */
  | { readonly kind: "failed"; readonly reason: string };

/** One login by one mechanism, from the broker's side. */
export interface SaslExchange {
  /** Takes the next message; once a step is `done` or `failed`, the exchange is over. */
  step(token: Buffer): SaslStep | Promise<SaslStep>;
}

/** A step that ends a login. */
export function failed(reason: string): SaslStep {
  return { kind: "failed", reason };
}
