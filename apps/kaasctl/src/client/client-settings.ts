import type { ScramMechanism } from "@kaas/core";

/** How connections are encrypted, and who vouches for whom; all of it is PEM. */
export interface TlsSettings {
  /** The authorities that brokers' certificates may come from; undefined: those that Node knows. */
  readonly trust: string | undefined;
  /** What this client shows where it is asked to. */
  readonly identity: ClientIdentity | undefined;
  /** Whether the certificate has to name the host that is called. */
  readonly checksHost: boolean;
  readonly versionMin: "TLSv1.2" | "TLSv1.3";
  readonly versionMax: "TLSv1.2" | "TLSv1.3";
}

/** A certificate with those that vouch for it, and its key. */
export interface ClientIdentity {
  readonly certificates: string;
  readonly key: string;
  readonly password: string | undefined;
}

/** The mechanisms that kaasctl can log in with. */
export type LoginMechanism = "PLAIN" | ScramMechanism;

/** Who logs in, and how. */
export interface LoginSettings {
  readonly mechanism: LoginMechanism;
  readonly user: string;
  readonly password: string;
}

/** How brokers are talked to. */
export interface ClientSettings {
  /** Undefined: in the clear. */
  readonly tls: TlsSettings | undefined;
  /** Undefined: nobody logs in. */
  readonly login: LoginSettings | undefined;
  readonly clientId: string;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

/** What holds where nothing else is said: Kafka's defaults. */
export const DEFAULT_SETTINGS: ClientSettings = {
  tls: undefined,
  login: undefined,
  clientId: "kaasctl",
  connectTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
};
