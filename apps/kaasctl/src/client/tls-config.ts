import { certificatesOf, privateKeysOf } from "@kaas/core/internal";
import { UsageError } from "../usage-error.js";
import type { ClientIdentity, TlsSettings } from "./client-settings.js";
import type { ConfigValues } from "./config-values.js";

/** Reads a file as text. Rejects when there is none, or it may not be read. */
export type TextFiles = (path: string) => Promise<string>;

const ENDPOINT_CHECK = "ssl.endpoint.identification.algorithm";
const VERSIONS = ["TLSv1.2", "TLSv1.3"] as const;

/**
 * What a configuration says of TLS, with the files that it names.
 *
 * @throws UsageError naming the configuration that cannot be used
 */
export async function tlsSettingsOf(config: ConfigValues, files: TextFiles): Promise<TlsSettings> {
  return {
    trust: await trustOf(config, files),
    identity: await identityOf(config, files),
    checksHost: checksHost(config),
    ...versionsOf(config),
  };
}

async function trustOf(config: ConfigValues, files: TextFiles): Promise<string | undefined> {
  const inline = "ssl.truststore.certificates";
  const file = "ssl.truststore.location";
  const pem = await pemOf(config, "ssl.truststore.type", { inline, file }, files);
  if (pem === undefined) return undefined;
  const certificates = certificatesOf(pem.text);
  if (certificates === "") throw config.invalid(pem.name, "has no certificate in PEM");
  return certificates;
}

async function identityOf(config: ConfigValues, files: TextFiles): Promise<ClientIdentity | undefined> {
  const inline = "ssl.keystore.certificate.chain";
  const file = "ssl.keystore.location";
  const pem = await pemOf(config, "ssl.keystore.type", { inline, file }, files);
  const ownKey = config.text("ssl.keystore.key");
  if (pem === undefined) {
    const alone = ["ssl.keystore.key", "ssl.key.password"].find((name) => config.has(name));
    if (alone !== undefined) throw config.invalid(alone, `needs ${file}, or ${inline}`);
    return undefined;
  }
  if (pem.name === file && ownKey !== undefined)
    throw config.invalid("ssl.keystore.key", `and ${file} exclude each other`);
  if (pem.name === inline && ownKey === undefined) throw config.invalid(inline, "needs ssl.keystore.key");
  const certificates = certificatesOf(pem.text);
  const keys = privateKeysOf(ownKey ?? pem.text);
  const [key = ""] = keys;
  if (certificates === "") throw config.invalid(pem.name, "has no certificate in PEM");
  if (keys.length !== 1) {
    const name = ownKey === undefined ? pem.name : "ssl.keystore.key";
    throw config.invalid(name, `has ${keys.length} private keys in PEM, not one`);
  }
  return { certificates, key, password: config.text("ssl.key.password") };
}

/** What stands in the configuration itself, or in the file that it names; undefined where there is neither. */
async function pemOf(
  config: ConfigValues,
  typeName: string,
  { inline, file }: { readonly inline: string; readonly file: string },
  files: TextFiles,
): Promise<{ readonly name: string; readonly text: string } | undefined> {
  const text = config.text(inline);
  const path = config.text(file);
  if (text === undefined && path === undefined) return undefined;
  if (text !== undefined && path !== undefined) throw config.invalid(inline, `and ${file} exclude each other`);
  const type = config.text(typeName)?.toUpperCase() ?? "JKS, the default";
  if (type !== "PEM") {
    throw config.invalid(typeName, `is ${type}; kaasctl reads PEM only (keytool and openssl make it): set it to PEM`);
  }
  if (text !== undefined) return { name: inline, text };
  try {
    return { name: file, text: await files(path ?? "") };
  } catch (error) {
    throw new UsageError(`${config.path}: ${file} cannot be read: ${(error as Error).message}`);
  }
}

function checksHost(config: ConfigValues): boolean {
  const algorithm = config.text(ENDPOINT_CHECK);
  if (algorithm === undefined) return !config.has(ENDPOINT_CHECK);
  if (algorithm.toLowerCase() === "https") return true;
  throw config.invalid(ENDPOINT_CHECK, `is ${algorithm}; it may be https, or empty so that hosts are not checked`);
}

function versionsOf(config: ConfigValues): Pick<TlsSettings, "versionMin" | "versionMax"> {
  const names = (config.text("ssl.enabled.protocols") ?? VERSIONS.join(",")).split(",").map((name) => name.trim());
  const unknown = names.find((name) => !VERSIONS.some((version) => version === name));
  if (unknown !== undefined)
    throw config.invalid("ssl.enabled.protocols", `has ${unknown}; kaasctl has ${VERSIONS.join(", ")}`);
  return {
    versionMin: names.includes("TLSv1.2") ? "TLSv1.2" : "TLSv1.3",
    versionMax: names.includes("TLSv1.3") ? "TLSv1.3" : "TLSv1.2",
  };
}
