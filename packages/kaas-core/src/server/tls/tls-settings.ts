import type { SecureVersion } from "node:tls";
import type { ListenerConfig } from "../../config/listener-config.js";
import { KaasError } from "../../errors/kaas-error.js";
import { parsePrincipalMapping, type PrincipalMapping } from "../../security/principal-mapping.js";
import { openSslCipher } from "./cipher-suites.js";

/** Where a certificate or a key is: in the configuration itself, or in a file. */
export type SecretSource = { readonly text: string } | { readonly path: string };

/** The certificate that a listener shows, and its key. */
export type KeySource =
  | {
      readonly kind: "pem";
      readonly certificates: SecretSource;
      readonly key: SecretSource;
      readonly password: string | undefined;
    }
  | { readonly kind: "pkcs12"; readonly file: SecretSource; readonly password: string | undefined };

/** Whether clients show certificates. */
export type ClientAuth = "none" | "requested" | "required";

/** How a listener encrypts, and what it asks of clients. */
export interface TlsSettings {
  readonly key: KeySource;
  /** The authorities that clients' certificates may come from; undefined where clients show none. */
  readonly trust: SecretSource | undefined;
  readonly clientAuth: ClientAuth;
  readonly versionMin: SecureVersion;
  readonly versionMax: SecureVersion;
  /** OpenSSL's list; undefined for Node's own. */
  readonly ciphers: string | undefined;
  readonly mapping: PrincipalMapping;
}

/**
 * How a listener encrypts.
 *
 * @param isSasl whether clients log in besides; a certificate is then asked for by the listener's own setting alone
 * @throws KaasError KAAS_CONFIG_INVALID naming the listener, the configuration, and what to do.
 */
export function tlsSettingsOf(config: ListenerConfig, isSasl: boolean): TlsSettings {
  const clientAuth = clientAuthOf(config, isSasl);
  return {
    key: keyOf(config, clientAuth),
    trust: clientAuth === "none" ? undefined : trustOf(config, clientAuth),
    clientAuth,
    ...versionsOf(config),
    ciphers: ciphersOf(config),
    mapping: parsePrincipalMapping(config.text("ssl.principal.mapping.rules") ?? "DEFAULT"),
  };
}

function clientAuthOf(config: ListenerConfig, isSasl: boolean): ClientAuth {
  if (isSasl && !config.hasOwn("ssl.client.auth")) return "none";
  return (config.text("ssl.client.auth") ?? "none") as ClientAuth;
}

function keyOf(config: ListenerConfig, clientAuth: ClientAuth): KeySource {
  const type = (config.text("ssl.keystore.type") ?? "JKS").toUpperCase();
  const chain = config.text("ssl.keystore.certificate.chain");
  const key = config.text("ssl.keystore.key");
  const path = config.text("ssl.keystore.location");
  if (chain === undefined && key === undefined && path === undefined) {
    throw invalid(
      config,
      "has no certificate: set ssl.keystore.type=PEM and ssl.keystore.location, or ssl.keystore.certificate.chain and ssl.keystore.key",
    );
  }
  if (type === "PEM") return pemKeyOf(config, chain, key, path);
  if (chain !== undefined || key !== undefined) {
    throw invalid(config, "has ssl.keystore.certificate.chain or ssl.keystore.key, which need ssl.keystore.type=PEM");
  }
  if (type !== "PKCS12") throw invalid(config, `has a keystore of type ${type}, which cannot be read; ${CONVERT}`);
  if (clientAuth !== "none") {
    // OpenSSL would trust every certificate in the file, and with them clients that nobody meant to let in.
    throw invalid(config, `asks clients for certificates, which a PKCS12 keystore cannot be used for; ${CONVERT}`);
  }
  return { kind: "pkcs12", file: { path: path ?? "" }, password: config.text("ssl.keystore.password") };
}

const CONVERT =
  "make PEM of it (keytool -importkeystore -deststoretype PKCS12, then openssl pkcs12 -nodes) and set ssl.keystore.type=PEM";

function pemKeyOf(
  config: ListenerConfig,
  chain: string | undefined,
  key: string | undefined,
  path: string | undefined,
): KeySource {
  const password = config.text("ssl.key.password");
  if (path !== undefined) {
    if (chain !== undefined || key !== undefined) {
      throw invalid(config, "has both ssl.keystore.location and ssl.keystore.certificate.chain or ssl.keystore.key");
    }
    return { kind: "pem", certificates: { path }, key: { path }, password };
  }
  if (chain === undefined || key === undefined) {
    throw invalid(config, "needs both ssl.keystore.certificate.chain and ssl.keystore.key");
  }
  return { kind: "pem", certificates: { text: chain }, key: { text: key }, password };
}

function trustOf(config: ListenerConfig, clientAuth: ClientAuth): SecretSource {
  const text = config.text("ssl.truststore.certificates");
  const path = config.text("ssl.truststore.location");
  const type = (config.text("ssl.truststore.type") ?? "JKS").toUpperCase();
  if (text === undefined && path === undefined) {
    throw invalid(
      config,
      `has ssl.client.auth=${clientAuth} and no authorities that clients' certificates may come from: set ssl.truststore.type=PEM and ssl.truststore.location or ssl.truststore.certificates`,
    );
  }
  if (text !== undefined && path !== undefined) {
    throw invalid(config, "has both ssl.truststore.location and ssl.truststore.certificates");
  }
  if (type !== "PEM") {
    throw invalid(
      config,
      `has a truststore of type ${type}, which cannot be read; make PEM of it (keytool -exportcert -rfc) and set ssl.truststore.type=PEM`,
    );
  }
  return text === undefined ? { path: path ?? "" } : { text };
}

function versionsOf(config: ListenerConfig): Pick<TlsSettings, "versionMin" | "versionMax"> {
  const versions = config.list("ssl.enabled.protocols");
  const unserved = versions.filter((version) => version !== "TLSv1.2" && version !== "TLSv1.3");
  if (versions.length === 0 || unserved.length > 0) {
    throw invalid(config, `has ssl.enabled.protocols=${versions.join(",")}; TLSv1.2 and TLSv1.3 can be had`);
  }
  return {
    versionMin: versions.includes("TLSv1.2") ? "TLSv1.2" : "TLSv1.3",
    versionMax: versions.includes("TLSv1.3") ? "TLSv1.3" : "TLSv1.2",
  };
}

function ciphersOf(config: ListenerConfig): string | undefined {
  const names = config.list("ssl.cipher.suites");
  if (names.length === 0) return undefined;
  const ciphers = names.map((name) => {
    const cipher = openSslCipher(name);
    if (cipher === undefined) throw invalid(config, `has ssl.cipher.suites with ${name}, which OpenSSL does not have`);
    return cipher;
  });
  return ciphers.join(":");
}

function invalid({ listenerName }: ListenerConfig, why: string): KaasError {
  return new KaasError("KAAS_CONFIG_INVALID", `listener ${listenerName} ${why}`);
}
