import { constants } from "node:crypto";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { KaasError } from "../../errors/kaas-error.js";
import type { SecretFiles } from "../../ports/secret-files.js";
import { certificatesOf, privateKeysOf } from "./pem.js";
import type { SecretSource, TlsSettings } from "./tls-settings.js";

/** What a listener's files hold at some moment. */
export interface TlsSecrets {
  readonly key: Buffer;
  readonly certificates: Buffer;
  readonly trust: Buffer | undefined;
}

const NO_FILES: SecretFiles = {
  read: () => Promise.reject(new Error("this broker was given no way to read files")),
};

/** Reads what a listener's settings name; rejects when a file cannot be read. */
export async function readSecrets({ key, trust }: TlsSettings, files: SecretFiles = NO_FILES): Promise<TlsSecrets> {
  const read = async (source: SecretSource): Promise<Buffer> =>
    "text" in source ? Buffer.from(source.text) : files.read(source.path);
  const keySource = key.kind === "pem" ? key.key : key.file;
  const certificateSource = key.kind === "pem" ? key.certificates : key.file;
  return {
    key: await read(keySource),
    certificates: await read(certificateSource),
    trust: trust === undefined ? undefined : await read(trust),
  };
}

/** Whether two readings are the same. */
export function areSame(one: TlsSecrets, other: TlsSecrets): boolean {
  const trusts = [one.trust, other.trust];
  return (
    one.key.equals(other.key) &&
    one.certificates.equals(other.certificates) &&
    (trusts[0] === trusts[1] || (trusts[0] !== undefined && trusts[1] !== undefined && trusts[0].equals(trusts[1])))
  );
}

/**
 * What TLS connections are made with. It has been tried: key and certificate belong together.
 *
 * Sessions are not resumed: each connection shows its certificate anew, to the authorities of that moment.
 *
 * @throws KaasError KAAS_CONFIG_INVALID that quotes nothing of what was read.
 */
export function secureContextOptions(
  listenerName: string,
  settings: TlsSettings,
  secrets: TlsSecrets,
): SecureContextOptions {
  const options: SecureContextOptions = {
    ...keyOptions(listenerName, settings, secrets),
    ...(secrets.trust === undefined ? {} : { ca: trustOf(listenerName, secrets.trust) }),
    ...(settings.ciphers === undefined ? {} : { ciphers: settings.ciphers }),
    minVersion: settings.versionMin,
    maxVersion: settings.versionMax,
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  };
  try {
    createSecureContext(options);
  } catch (cause) {
    throw invalid(listenerName, `key and certificate cannot be used: ${(cause as Error).message}`, cause);
  }
  return options;
}

function keyOptions(listenerName: string, { key }: TlsSettings, secrets: TlsSecrets): SecureContextOptions {
  const passphrase = key.password === undefined ? {} : { passphrase: key.password };
  if (key.kind === "pkcs12") return { pfx: secrets.key, ...passphrase };
  const cert = certificatesOf(secrets.certificates.toString("latin1"));
  const keys = privateKeysOf(secrets.key.toString("latin1"));
  const [only = ""] = keys;
  if (cert === "") throw invalid(listenerName, "the keystore has no certificate in PEM");
  if (keys.length !== 1) throw invalid(listenerName, `the keystore has ${keys.length} private keys in PEM, not one`);
  return { cert, key: only, ...passphrase };
}

function trustOf(listenerName: string, trust: Buffer): string {
  const certificates = certificatesOf(trust.toString("latin1"));
  if (certificates === "") throw invalid(listenerName, "the truststore has no certificate in PEM");
  return certificates;
}

function invalid(listenerName: string, why: string, cause?: unknown): KaasError {
  return new KaasError("KAAS_CONFIG_INVALID", `listener ${listenerName}: ${why}`, { cause });
}
